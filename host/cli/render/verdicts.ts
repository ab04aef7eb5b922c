/** Verdicts for people. Those that say the same stand together, so that a run of a million copies takes a page. */
import { type Remedy, trialOutcome } from '../../../core/analysis/counterfactual/remedy.ts';
import type { LazySummary } from '../../../core/analysis/summary.ts';
import type { Verdict } from '../../../core/analysis/verdicts/verdict.ts';
import { formatDuration, formatShare } from '../../../core/units.ts';
import type { Colors } from '../io.ts';
import { wrap } from './text.ts';

/** Verdicts with one cause, kernel and remedy. The first of them is told. */
interface Group {
  readonly verdict: Verdict;
  readonly remedy: Remedy | undefined;
  readonly labels: Set<string>;
  count: number;
  copyNs: number;
}

const mostGroups = 10;
const mostLabels = 3;

export function drawVerdicts(summary: LazySummary, columns: number, colors: Colors): string[] {
  const { verdicts, remedies } = summary;
  if (verdicts.length === 0) return ['No copy to judge.'];
  const groups = groupsOf(verdicts, remedies);
  // What takes longest first, where not everything is shown; otherwise as it ran.
  const shown = groups.length <= mostGroups ? groups : [...groups].sort((a, b) => b.copyNs - a.copyNs);
  const rest = shown.slice(mostGroups);
  const left = rest.reduce((sum, { count }) => sum + count, 0);
  return [
    ...shown.slice(0, mostGroups).flatMap((group) => drawGroup(group, columns, colors)),
    ...(left === 0
      ? []
      : [`${left} more copies, of ${rest.length} kinds of verdict, are judged in the output of --json.`]),
    ...ratesLine(summary, columns, colors),
  ];
}

/** Whose rates the predictions above are made with. */
function ratesLine({ remedies, predictedWith }: LazySummary, columns: number, colors: Colors): string[] {
  if (predictedWith === null || !remedies.some(({ borneOut }) => borneOut === true)) return [];
  const { profile, fromRun } = predictedWith;
  const own = `the rates of this run less what recording costs, and the profile ${profile} for the rest`;
  const whose = fromRun.length === 0 ? `the profile ${profile}` : own;
  return wrap(`Predicted with ${whose}.`, columns, '').map((line) => colors.dim(line));
}

function groupsOf(verdicts: readonly Verdict[], remedies: readonly Remedy[]): Group[] {
  const remedyOf = new Map(remedies.map((remedy) => [remedy.op, remedy]));
  const groups = new Map<string, Group>();
  for (const verdict of verdicts) {
    const remedy = verdict.op < 0 ? undefined : remedyOf.get(verdict.op);
    const key = [verdict.cause, verdict.title, verdict.withLabel, remedy?.borneOut, remedy?.steps.join(' ')].join('\n');
    const known = groups.get(key);
    const group = known ?? { verdict, remedy, labels: new Set<string>(), count: 0, copyNs: 0 };
    if (known === undefined) groups.set(key, group);
    group.labels.add(verdict.label);
    group.count += 1;
    group.copyNs += verdict.copyNs;
  }
  return [...groups.values()];
}

function drawGroup(group: Group, columns: number, colors: Colors): string[] {
  const { verdict, remedy } = group;
  if (remedy?.borneOut === false) return drawRefuted(group, remedy, columns, colors);
  const sign = verdict.cause === 'overlapped' ? colors.green('[overlapped]') : colors.yellow('[not overlapped]');
  const lines = remedy?.borneOut === true ? describeRemedy(remedy) : verdict.remedy === null ? [] : [verdict.remedy];
  return [
    `${sign} ${colors.bold(nameOf(group))}: ${verdict.title}`,
    ...wrap(verdict.explanation, columns, '  '),
    ...together(group, columns),
    ...lines.flatMap((line, index) => wrap(index === 0 ? `Remedy: ${line}` : line, columns, '  ')),
    ...(verdict.rule === null ? [] : [`  ${colors.dim(`Rule: ${verdict.rule}.`)}`]),
  ];
}

/** As 'upload 1, upload 2, upload 3 and 29 more'. */
function nameOf({ labels }: Group): string {
  const shown = [...labels].slice(0, mostLabels).join(', ');
  return labels.size <= mostLabels ? shown : `${shown} and ${labels.size - mostLabels} more`;
}

function together({ verdict, count, copyNs }: Group, columns: number): string[] {
  if (count === 1) return [];
  const words = `So are ${count} ${verdict.subject === 'kernel' ? 'kernels' : 'copies'}, ${formatDuration(copyNs)} together; the times are those of the first.`;
  return wrap(words, columns, '  ');
}

/** A cause that, taken away in a simulation, changed nothing is none. */
function drawRefuted(group: Group, { before, tried }: Remedy, columns: number, colors: Colors): string[] {
  const { verdict } = group;
  const words = `The likeliest cause (${verdict.title}) was taken away in a simulation, and nothing was gained by it.`;
  return [
    `${colors.yellow('[not overlapped]')} ${colors.bold(nameOf(group))}: No single cause`,
    ...wrap(verdict.explanation, columns, '  '),
    ...together(group, columns),
    ...wrap(words, columns, '  '),
    ...tried.flatMap((trial) => wrap(`Tried: ${trial.steps.join(' ')} ${trialOutcome(trial, before)}`, columns, '  ')),
  ];
}

function describeRemedy({ steps, before, after, gainShare }: Remedy): string[] {
  if (after === null) return [...steps];
  const makespans = `makespan ${formatDuration(before.makespanNs)} to ${formatDuration(after.makespanNs)}`;
  const change = `${formatShare(Math.abs(gainShare))} ${gainShare < 0 ? 'more' : 'less'}`;
  return [
    steps.join(' '),
    `Predicted: ${makespans} (${change}), overlap ${formatShare(before.share)} to ${formatShare(after.share)}.`,
  ];
}
