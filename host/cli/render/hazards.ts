/** Hazards as text: both operations, the effect, the missing order, the remedy, and the evidence of a run. */
import type { Hazard, HazardEvidence, HazardOperation, HazardReport } from '../../../core/explain/hazards/hazard.ts';
import type { Colors } from '../io.ts';
import { wrap } from './text.ts';

export function drawHazards(
  name: string,
  { hazards, limits }: HazardReport,
  columns: number,
  colors: Colors,
): string[] {
  const verdict = hazards.length === 0 ? colors.green('No hazards.') : '';
  return [
    colors.bold(name),
    ...(verdict === '' ? [] : [verdict]),
    ...hazards.flatMap((hazard) => ['', ...drawHazard(hazard, columns, colors)]),
    ...limits.flatMap((limit) => wrap(`Note: ${limit}`, columns, '')),
  ];
}

function drawHazard(hazard: Hazard, columns: number, colors: Colors): string[] {
  const { first, second, change, evidence } = hazard;
  const remedy = change === null ? hazard.remedy : change.steps.join(' ');
  return [
    `${colors.red('[hazard]')} ${colors.bold(hazard.title)}`,
    ...wrap(hazard.explanation, columns, '  '),
    ...wrap(`Missing: ${hazard.missing}`, columns, '  '),
    ...wrap(`Remedy: ${remedy}`, columns, '  '),
    ...(evidence === null ? [] : wrap(evidenceText(evidence), columns, '  ')),
    `  ${colors.dim(place(first))}`,
    ...(first.op === second.op ? [] : [`  ${colors.dim(place(second))}`]),
    `  ${colors.dim(`Rule: ${hazard.rule}.`)}`,
  ];
}

const place = ({ op, path, label, thread, stream }: HazardOperation): string =>
  `op ${op} "${label}", host thread "${thread}"${stream === null ? '' : `, stream "${stream}"`}: ${path}`;

function evidenceText({ bytesChecked, bytesWrong, wrong }: HazardEvidence): string {
  const count = (bytes: number): string => bytes.toLocaleString('en');
  if (bytesWrong === 0) return `In this run: ${count(bytesChecked)} bytes checked, none wrong this time.`;
  const where = [...new Set(wrong.map(({ buffer }) => `"${buffer}"`))].join(', ');
  return `In this run: ${count(bytesWrong)} of ${count(bytesChecked)} bytes checked were WRONG, in ${where}.`;
}
