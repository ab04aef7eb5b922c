/** Verdicts and hazards as blocks: the cause, its cost, the change that removes it, and the rule. */
import type { Hazard, HazardEvidence, HazardOperation, HazardReport } from '../explain/hazards/hazard.ts';
import { gainIntervalText, type Remedy, trialOutcome } from '../explain/remedies/remedy.ts';
import type { SummaryDocument } from '../explain/summary/summaryDocument.ts';
import {
  byKernel,
  costlyGroups,
  groupText,
  mostSavedNs,
  type VerdictGroup,
  verdictGroups,
} from '../explain/verdicts/groups.ts';
import type { Verdict } from '../explain/verdicts/verdict.ts';
import { groupBy } from '../groupBy.ts';
import { formatDuration, formatShare } from '../units.ts';
import { type Block, type Item, type ItemsBlock, text } from './blocks.ts';

type Judged = Pick<
  SummaryDocument,
  'verdicts' | 'verdictSums' | 'remedies' | 'plan' | 'imported' | 'makespanNs' | 'predictedWith'
>;

interface Group extends VerdictGroup {
  readonly remedy: Remedy | undefined;
}

const mostLabels = 3;

/** Returns at most `most` verdicts, the costliest first, each for all equal ones. */
export function verdictBlocks(summary: Judged, most: number): Block[] {
  const { verdicts, verdictSums } = summary;
  if (verdicts.length === 0) return text('No copy to judge.');
  const groups = groupsOf(summary);
  const { costly, rest } = costlyGroups(groups, summary);
  const shown = groups.slice(0, Math.min(costly.length, most));
  const judged = verdictSums.reduce((sum, { count }) => sum + count, 0);
  const left = groups.slice(shown.length, costly.length).reduce((sum, { places }) => sum + places.length, 0);
  const more = left + judged - verdicts.length;
  return [
    { kind: 'items', title: 'Verdicts', items: shown.map((group) => verdictItem(group, summary.makespanNs)) },
    ...text(more === 0 ? '' : `${more} more copies and kernels were judged; they cost less.`),
    ...text(rest),
    ...text(ratesText(summary), 'dim'),
  ];
}

/** Groups verdicts by cause, kernel and what a simulation of the remedy showed. */
function groupsOf({ verdicts, remedies, makespanNs, plan }: Judged): Group[] {
  const remedyOf = new Map(remedies.map((remedy) => [remedy.op, remedy]));
  const of = ({ op, sameGainAs }: Verdict): Remedy | undefined =>
    op < 0 ? undefined : (remedyOf.get(op) ?? remedyOf.get(sameGainAs ?? -1));
  const alike = (verdict: Verdict): unknown => [byKernel(verdict), of(verdict)?.isConfirmed, of(verdict)?.steps];
  const groups = verdictGroups(verdicts, alike, mostSavedNs(makespanNs, plan));
  return groups.map((group) => ({ ...group, remedy: of(group.verdict) }));
}

/** Returns whether a copy or kernel overlapped, missed an overlap that it could have had, or neither, or is wrong. */
export function verdictTone({ cause }: Pick<Verdict, 'cause'>): 'good' | 'warn' | 'neutral' | 'bad' {
  if (cause === 'race') return 'bad';
  if (cause === 'overlapped') return 'good';
  return cause === 'nothing-to-overlap' || cause === 'too-small' || cause === 'unexplained' ? 'neutral' : 'warn';
}

function verdictItem(group: Group, makespanNs: number | null): Item {
  const { verdict, remedy, labels } = group;
  const more = labels.length - mostLabels;
  const isRefuted = remedy?.isConfirmed === false;
  const lines = isRefuted ? refutedTexts(verdict, remedy) : remedyTexts(verdict, remedy);
  return {
    title: isRefuted ? 'No single cause' : verdict.title,
    mark: {
      text: verdict.cause === 'overlapped' || verdict.cause === 'race' ? verdict.cause : 'not overlapped',
      tone: isRefuted ? 'neutral' : verdictTone(verdict),
    },
    subject: `${labels.slice(0, mostLabels).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    texts: [verdict.explanation, groupText(group, makespanNs), ...lines].filter((line) => line !== ''),
    remarks: isRefuted || verdict.rule === null ? [] : [`Rule: ${verdict.rule}.`],
  };
}

/** The changes tried if removing the likeliest cause gained nothing in a simulation. */
const refutedTexts = ({ title }: Verdict, { before, tried }: Remedy): string[] => [
  `A simulation without the likeliest cause (${title}) gained nothing.`,
  ...tried.map((trial) => `Tried: ${trial.steps.join(' ')} ${trialOutcome(trial, before)}`),
];

function remedyTexts(verdict: Verdict, remedy: Remedy | undefined): string[] {
  if (remedy?.isConfirmed !== true) return verdict.remedy === null ? [] : [`Remedy: ${verdict.remedy}`];
  const { steps, before, after, gainNs, gainShare } = remedy;
  const words = steps.length === 0 ? [] : [`Remedy: ${steps.join(' ')}`];
  if (after === null) return words;
  const interval = gainIntervalText(remedy);
  const makespans = `makespan ${formatDuration(before.makespanNs)} to ${formatDuration(after.makespanNs)}`;
  const change = `${formatShare(Math.abs(gainShare))} ${gainShare < 0 ? 'more' : 'less'}`;
  return [
    ...words,
    `Predicted: ${makespans} (${change}), overlap ${formatShare(before.share)} to ${formatShare(after.share)}.`,
    ...(interval === null ? [] : [`Gain: ${formatDuration(gainNs)}, ${interval}.`]),
  ];
}

/** Names the profile or run whose rates the predictions use. */
function ratesText({ remedies, predictedWith }: Judged): string {
  if (predictedWith === null || !remedies.some(({ isConfirmed }) => isConfirmed === true)) return '';
  const { profile, fromRun } = predictedWith;
  const own = `the rates of this run without the cost of recording, and the profile ${profile} for the rest`;
  return `Predicted with ${fromRun.length === 0 ? `the profile ${profile}` : own}.`;
}

const mostPlanned = 3;

/** Returns the changes of an experiment that gain most together, and how to make the recommended ones. */
export function experimentPlanBlocks({ plan }: Pick<SummaryDocument, 'plan'>): ItemsBlock[] {
  if (plan.length === 0) return [];
  const items = plan
    .slice(0, mostPlanned)
    .map(({ changes, gainShare, lowShare, highShare, stepNs, steps, needs }, at) => {
      const range = `${formatShare(lowShare)} to ${formatShare(highShare)}`;
      return {
        title: changes.join(', '),
        figure: { text: `${formatShare(gainShare)} (${range}), to ${formatDuration(stepNs)}` },
        texts: at === 0 ? [[...steps, ...needs].join(' ')].filter((line) => line !== '') : [],
      };
    });
  return [{ kind: 'items', title: 'Changes that gain most together (simulated, 90 % interval)', items }];
}

/**
 * Returns the hazards of an experiment: both operations, the effect, the missing order, the remedy, the evidence. One
 * item holds all hazards that one change removes.
 */
export const hazardBlocks = (name: string, { hazards, limits }: HazardReport): Block[] => [
  {
    kind: 'items',
    title: name,
    items: [
      ...groupBy(hazards, (one) => (one.change === null ? one : JSON.stringify(one.change.patches))).values(),
    ].map(([first, ...others]) => hazardItem(first as Hazard, others)),
  },
  ...(hazards.length === 0 ? text('No hazards.', undefined, 'good') : []),
  ...limits.flatMap((limit) => text(`Note: ${limit}`)),
];

function hazardItem(
  { title, explanation, missing, change, remedy, evidence, first, second, rule }: Hazard,
  others: readonly Hazard[],
): Item {
  const pairs = others.map((one) => `"${one.first.label}" and "${one.second.label}" on "${one.buffer}"`);
  return {
    title,
    mark: { text: 'hazard', tone: 'bad' },
    texts: [
      explanation,
      `Missing: ${missing}`,
      `Remedy: ${change === null ? remedy : change.steps.join(' ')}`,
      ...(pairs.length === 0 ? [] : [`It also orders ${pairs.join(', ')}.`]),
      ...(evidence === null ? [] : [evidenceText(evidence)]),
    ],
    remarks: [place(first), ...(first.op === second.op ? [] : [place(second)]), `Rule: ${rule}.`],
  };
}

const place = ({ op, path, label, thread, stream }: HazardOperation): string =>
  `op ${op} "${label}", host thread "${thread}"${stream === null ? '' : `, stream "${stream}"`}: ${path}`;

/** Describes what the check of a run's data showed. */
export function evidenceText({ bytesChecked, bytesWrong, wrong }: HazardEvidence): string {
  const count = (bytes: number): string => bytes.toLocaleString('en');
  if (bytesWrong === 0) return `In this run none of ${count(bytesChecked)} bytes was wrong. It may be the next time.`;
  const where = [...new Set(wrong.map(({ buffer }) => `"${buffer}"`))].join(', ');
  return `In this run ${count(bytesWrong)} of ${count(bytesChecked)} bytes were wrong, in ${where}.`;
}
