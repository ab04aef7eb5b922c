/** Verdicts as text. Equal verdicts are grouped, so that a run of a million copies takes a page. */
import { gainIntervalText, type Remedy, trialOutcome } from '../../../core/explain/remedies/remedy.ts';
import type { LazySummary } from '../../../core/explain/summary/summary.ts';
import {
  byKernel,
  costlyGroups,
  groupText,
  type VerdictGroup,
  verdictGroups,
} from '../../../core/explain/verdicts/groups.ts';
import type { Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { formatDuration, formatShare } from '../../../core/units.ts';
import type { Colors } from '../io.ts';
import { wrap } from './text.ts';

interface Group extends VerdictGroup {
  readonly remedy: Remedy | undefined;
}

const mostGroups = 10;
const mostLabels = 3;

export function drawVerdicts(summary: LazySummary, columns: number, colors: Colors): string[] {
  const { verdicts, remedies } = summary;
  if (verdicts.length === 0) return ['No copy to judge.'];
  const groups = groupsOf(verdicts, remedies);
  const { costly, rest: cheap } = costlyGroups(groups, summary);
  const shown = groups.slice(0, costly.length);
  const rest = shown.slice(mostGroups);
  const left = rest.reduce((sum, { places }) => sum + places.length, 0);
  return [
    ...shown.slice(0, mostGroups).flatMap((group) => drawGroup(group, summary.makespanNs, columns, colors)),
    ...(left === 0 ? [] : [`--json lists ${left} more copies, with ${rest.length} kinds of verdict.`]),
    ...(cheap === null ? [] : wrap(cheap, columns, '')),
    ...ratesLine(summary, columns, colors),
  ];
}

const mostPlanned = 3;

/** Draws the changes that gain most together, and how to make the recommended ones. */
export function drawPlan({ plan }: LazySummary, columns: number, colors: Colors): string[] {
  if (plan.length === 0) return [];
  const lines = plan.slice(0, mostPlanned).map(({ changes, gainShare, lowShare, highShare, stepNs }) => {
    const range = `${formatShare(lowShare)} to ${formatShare(highShare)}`;
    return `  ${colors.bold(changes.join(', '))}: ${formatShare(gainShare)} (${range}), to ${formatDuration(stepNs)}`;
  });
  const [recommended] = plan;
  const words = [...(recommended?.steps ?? []), ...(recommended?.needs ?? [])].join(' ');
  return ['Changes that gain most together (simulated, 90 % interval):', ...lines, ...wrap(words, columns, '  '), ''];
}

/** Names the profile or run whose rates the predictions above use. */
function ratesLine({ remedies, predictedWith }: LazySummary, columns: number, colors: Colors): string[] {
  if (predictedWith === null || !remedies.some(({ borneOut }) => borneOut === true)) return [];
  const { profile, fromRun } = predictedWith;
  const own = `the rates of this run without the cost of recording, and the profile ${profile} for the rest`;
  const whose = fromRun.length === 0 ? `the profile ${profile}` : own;
  return wrap(`Predicted with ${whose}.`, columns, '').map((line) => colors.dim(line));
}

function groupsOf(verdicts: readonly Verdict[], remedies: readonly Remedy[]): Group[] {
  const remedyOf = new Map(remedies.map((remedy) => [remedy.op, remedy]));
  const of = ({ op }: Verdict): Remedy | undefined => (op < 0 ? undefined : remedyOf.get(op));
  const groups = verdictGroups(verdicts, (verdict) => [byKernel(verdict), of(verdict)?.borneOut, of(verdict)?.steps]);
  return groups.map((group) => ({ ...group, remedy: of(group.verdict) }));
}

function drawGroup(group: Group, makespanNs: number | null, columns: number, colors: Colors): string[] {
  const { verdict, remedy } = group;
  if (remedy?.borneOut === false) return drawRefuted(group, remedy, makespanNs, columns, colors);
  const sign = verdict.cause === 'overlapped' ? colors.green('[overlapped]') : colors.yellow('[not overlapped]');
  const lines = remedy?.borneOut === true ? describeRemedy(remedy) : verdict.remedy === null ? [] : [verdict.remedy];
  return [
    `${sign} ${colors.bold(nameOf(group))}: ${verdict.title}`,
    ...wrap(verdict.explanation, columns, '  '),
    ...cost(group, makespanNs, columns),
    ...lines.flatMap((line, index) => wrap(index === 0 ? `Remedy: ${line}` : line, columns, '  ')),
    ...(verdict.rule === null ? [] : [`  ${colors.dim(`Rule: ${verdict.rule}.`)}`]),
  ];
}

/** Returns text such as 'upload 1, upload 2, upload 3 and 29 more'. */
function nameOf({ labels }: Group): string {
  const shown = labels.slice(0, mostLabels).join(', ');
  return labels.length <= mostLabels ? shown : `${shown} and ${labels.length - mostLabels} more`;
}

function cost(group: Group, makespanNs: number | null, columns: number): string[] {
  const words = groupText(group, makespanNs);
  return words === '' ? [] : wrap(words, columns, '  ');
}

/** Draws a verdict whose likeliest cause gained nothing when a simulation removed it. */
function drawRefuted(
  group: Group,
  { before, tried }: Remedy,
  makespanNs: number | null,
  columns: number,
  colors: Colors,
): string[] {
  const { verdict } = group;
  const words = `A simulation without the likeliest cause (${verdict.title}) gained nothing.`;
  return [
    `${colors.yellow('[not overlapped]')} ${colors.bold(nameOf(group))}: No single cause`,
    ...wrap(verdict.explanation, columns, '  '),
    ...cost(group, makespanNs, columns),
    ...wrap(words, columns, '  '),
    ...tried.flatMap((trial) => wrap(`Tried: ${trial.steps.join(' ')} ${trialOutcome(trial, before)}`, columns, '  ')),
  ];
}

function describeRemedy(remedy: Remedy): string[] {
  const { steps, before, after, gainNs, gainShare } = remedy;
  if (after === null) return [...steps];
  const makespans = `makespan ${formatDuration(before.makespanNs)} to ${formatDuration(after.makespanNs)}`;
  const sure = gainIntervalText(remedy);
  const change = `${formatShare(Math.abs(gainShare))} ${gainShare < 0 ? 'more' : 'less'}`;
  return [
    steps.join(' '),
    `Predicted: ${makespans} (${change}), overlap ${formatShare(before.share)} to ${formatShare(after.share)}.`,
    ...(sure === null ? [] : [`Gain: ${formatDuration(gainNs)}, ${sure}.`]),
  ];
}
