/** A benchmark for a terminal. */
import type { BenchDocument, Comparison } from '../../../core/bench/document.ts';
import { formatValue, type SectionTable } from '../../../core/bench/table.ts';
import type { Colors } from '../io.ts';
import { table } from './text.ts';

export function drawBench(document: BenchDocument, sections: readonly SectionTable[], colors: Colors): string[] {
  const { device, driverVersion, runtimeVersion, machine } = document;
  return [
    `${device.name}, driver ${driverVersion ?? 'unknown'}, runtime ${runtimeVersion ?? 'unknown'}; ${machine.cpu}, ${machine.cores} cores`,
    ...sections.flatMap(({ title, cells, remarks }) => ['', colors.bold(title), ...table(cells), ...remarks]),
    ...drawPytorch(document.pytorch, colors),
  ];
}

function drawPytorch(pytorch: BenchDocument['pytorch'], colors: Colors): string[] {
  if (pytorch === null) return [];
  const { status, reason, version, comparisons } = pytorch;
  const title = colors.bold(`Beside PyTorch${version === undefined ? '' : ` ${version}`}, in the same run`);
  if (status !== 'done') return ['', title, `${status}: ${reason ?? 'no reason given'}.`];
  const calls = [...new Set(comparisons.map(({ call }) => call))];
  return [
    '',
    title,
    ...table([['', '', 'Copyscope', 'PyTorch', 'times as fast', 'call'], ...comparisons.map((one) => row(one, calls))]),
    ...calls.map((call, index) => `${index + 1}: ${call}`),
  ];
}

const row = ({ row: name, column, unit, copyscope, pytorch, ratio, call }: Comparison, calls: string[]): string[] => [
  name,
  column,
  formatValue(unit, copyscope),
  formatValue(unit, pytorch),
  ratio.toFixed(2),
  String(calls.indexOf(call) + 1),
];
