/** A gate's report for people: each limit, what breaks it, where, and what helps. */
import type { GateFinding, GateReport, GateResult, GateStatus } from '../../../core/gate/report.ts';
import type { Colors } from '../io.ts';
import { limited, wrap } from './text.ts';

export function drawGate(report: GateReport, columns: number, colors: Colors): string[] {
  const { name, origin, passed, steps, baseline, results, allowed, notes } = report;
  const against = baseline === null ? '' : `; baseline: ${baseline.name}, ${baseline.steps} steps, ${baseline.origin}`;
  return [
    `${colors.bold(name)}: ${steps.count} ${steps.count === 1 ? 'step' : 'steps'} (${steps.rule}), ${origin}${against}`,
    ...results.flatMap((result) => drawResult(result, columns, colors)),
    ...allowed.flatMap(({ what, reason, times }) => wrap(`Allowed ${times}×: ${what} (${reason})`, columns, '')),
    ...notes.flatMap((note) => wrap(`Note: ${note}`, columns, '')),
    passed ? colors.green('The gate is open: no limit is broken.') : colors.red('The gate is shut.'),
  ];
}

const marks: Readonly<Record<GateStatus, string>> = { kept: '[kept]', broken: '[broken]', untold: '[untold]' };

function drawResult({ figure, status, message, findings }: GateResult, columns: number, colors: Colors): string[] {
  const color = { kept: colors.green, broken: colors.red, untold: colors.yellow }[status];
  const [first = '', ...rest] = wrap(`${marks[status]} ${figure}: ${message}`, columns, '  ');
  return [color(first.slice(2)), ...rest, ...limited(findings.flatMap((finding) => drawFinding(finding, columns)))];
}

const drawFinding = ({ message, because, remedy }: GateFinding, columns: number): string[] => [
  ...wrap(message, columns, '  '),
  ...wrap(because === null ? remedy : `${because.replace(/\.?$/, '.')} ${remedy}`, columns, '    '),
];
