/** Summarizes a trace's analysis in one sentence: where the time goes, what to do, and the resulting time. */
import { withoutAddresses } from '../explain/figures/kernelName.ts';
import { isFrameName } from '../trace/rangeNames.ts';
import { formatBytes, formatDuration, formatShare } from '../units.ts';
import type { RemedyAnswer, StepsAnswer } from './answers.ts';
import type { ChangeWord } from './changes/words.ts';
import { isOperator } from './classes.ts';
import type { LongSteps } from './fromTrace.ts';
import type { PartTime, StepPart } from './parts.ts';
import type { UnevenWork } from './ranks.ts';
import { changeTitles } from './words.ts';

/** Parts that a change shortens; the longest is named. */
const partsOf: Readonly<Record<ChangeWord, readonly StepPart[]>> = {
  'keep-on-device': ['exposed-copy-pageable', 'exposed-copy-pinned'],
  'move-to-device': ['host-operators', 'exposed-copy-pageable', 'own-host-work'],
  'send-smaller': ['host-operators', 'exposed-copy-pageable', 'exposed-copy-pinned'],
  'load-in-workers': ['loading-data', 'own-host-work'],
  'keep-memory': ['allocation'],
  pin: ['exposed-copy-pageable', 'waiting'],
  'pin-each-step': ['exposed-copy-pageable', 'waiting'],
  'non-blocking': ['exposed-copy-pageable', 'exposed-copy-pinned', 'waiting'],
  'other-stream': ['exposed-copy-pageable', 'exposed-copy-pinned'],
  prefetch: ['exposed-copy-pageable', 'exposed-copy-pinned'],
  'remove-wait': ['waiting', 'issuing'],
  'delay-wait': ['waiting', 'issuing'],
  batch: ['exposed-copy-pageable', 'exposed-copy-pinned', 'issuing'],
  'both-directions': ['exposed-copy-pinned', 'exposed-copy-pageable'],
  graph: ['issuing'],
  'other-thread': ['own-host-work', 'loading-data'],
  'double-buffer': ['exposed-copy-pinned', 'exposed-copy-pageable'],
  'overlap-communication': ['communication'],
};

/** If kernels fill this share of the step, transfers have nothing to gain. */
export const mostBusy = 0.95;

/** Uneven work of ranks, and long steps, come first if evening them out gains more than the plan. */
export function answerSentence(
  steps: StepsAnswer,
  plan: readonly RemedyAnswer[],
  /** `busyShare`: share of the step with kernels. */
  { busyShare, uneven }: { busyShare: number; uneven: UnevenWork | null },
): string {
  const step = formatDuration(steps.medianNs);
  const { long } = steps;
  const first = plan.find(({ mayGainNothing }) => !mayGainNothing);
  if (long !== null && long.averageNs - long.typicalNs > steps.unprofiledNs - (first?.stepNs ?? steps.unprofiledNs))
    return longSentence(long);
  if (uneven !== null && (first === undefined || uneven.evenStepNs < first.stepNs)) {
    const [own, others] = [uneven.kernelsNs, uneven.othersNs].map(formatDuration);
    return `The other ranks wait for rank ${uneven.slowest}: its kernels take ${own} of the step of ${step}, theirs ${others}. Give all ranks the same work: to ${formatDuration(uneven.evenStepNs)} at best.`;
  }
  if (busyShare >= mostBusy) {
    return `Nothing to gain from transfers: kernels keep the device busy for ${formatShare(Math.min(1, busyShare))} of the step of ${step}, and only faster kernels make it much shorter.`;
  }
  const meant = first === undefined ? [] : first.changes.flatMap((word) => partsOf[word]);
  const held = longest(steps.parts.filter(({ part }) => meant.includes(part))) ?? longest(steps.parts);
  const holds =
    held === undefined ? `The step takes ${step}` : `${formatDuration(held.ns)} of ${step} are ${wordsOf(held)}`;
  if (first === undefined) {
    const kernels = steps.parts.find(({ part }) => part === 'kernels');
    if (kernels !== undefined && kernels.ns >= steps.medianNs / 2) return heldByKernels(kernels, step, held);
    const isSilent =
      held?.part === 'own-host-work' && !held.names.some(({ name }) => isFrameName(name) || isOperator(name));
    const ask = isSilent
      ? ' Record with stacks to see which lines run then. A Python thread that holds the lock of the interpreter looks like this, too.'
      : '';
    return `${holds}. No change that Copyscope knows is sure to make the step shorter.${ask}`;
  }
  const { unprofiledNs } = steps;
  const at = (share: number): string => formatDuration(Math.max(0, unprofiledNs * (1 - share)));
  const todo = first.changes.map((word) => changeTitles[word].replace(/^./, (letter) => letter.toLowerCase()));
  return `${ownWords(steps, meant)}${holds}; ${todo.join(', ')}: from ${formatDuration(unprofiledNs)} to ${formatDuration(first.stepNs)} (${at(first.highShare)} to ${at(first.lowShare)})${fits(first)}.`;
}

/** Share of the step from which the program's own work is named although no recommended change shortens it. */
const leastOwn = 0.2;

/** Names the program's own work first, since no graph and no copy ends it. */
function ownWords({ parts, medianNs }: StepsAnswer, meant: readonly StepPart[]): string {
  const own = parts.find(({ part }) => part === 'own-host-work');
  if (own === undefined || meant.includes(own.part) || own.ns < leastOwn * medianNs) return '';
  return `${formatDuration(own.ns)} of ${formatDuration(medianNs)} are ${wordsOf(own)}: do that on the device, in another thread, or less often. Besides, `;
}

function heldByKernels({ ns, names }: PartTime, step: string, held: PartTime | undefined): string {
  const longest = names
    .slice(0, 2)
    .map((one) => `${withoutAddresses(one.name).slice(0, 60)} ${formatDuration(one.ns)}`);
  const rest = held === undefined ? '' : `; ${formatDuration(held.ns)} are ${wordsOf(held)}`;
  return `Kernels take ${formatDuration(ns)} of ${step} (${longest.join(', ')})${rest}. No change that Copyscope knows is sure to make the step shorter.`;
}

function longSentence({ count, of, longestNs, typicalNs, averageNs, share, part, moreNs }: LongSteps): string {
  const [longest, typical, average, more] = [longestNs, typicalNs, averageNs, moreNs].map(formatDuration);
  return `Some steps take much longer: ${count} of ${of} up to ${longest}, where others take ${typical}. That is ${formatShare(share)} of the time; ${more} of the longest are ${wordsOf(part)}. Find what happens only in such steps: without it, an average step takes ${typical}, not ${average}.`;
}

const longest = (parts: readonly PartTime[]): PartTime | undefined =>
  parts
    .filter(({ part, ns }) => part !== 'kernels' && ns > 0)
    .reduce<PartTime | undefined>((most, one) => (most === undefined || one.ns > most.ns ? one : most), undefined);

/** For example ', if 487 MB fit on the device'. */
const fits = ({ changes, keptBytes }: RemedyAnswer): string =>
  changes.includes('keep-on-device') ? `, if ${formatBytes(keptBytes)} fit on the device` : '';

/** Parts for which the name of an operator, a loader or a call says more. */
const named: ReadonlySet<StepPart> = new Set([
  'loading-data',
  'host-operators',
  'allocation',
  'communication',
  'own-host-work',
]);

/** Adds the name if one takes most of the part. */
function wordsOf({ part, title, ns, names: [first] }: PartTime): string {
  if (!named.has(part)) return title;
  return first !== undefined && first.ns >= ns / 2 && first.name !== ''
    ? `${title} (${withoutAddresses(first.name).slice(0, 60)})`
    : title;
}
