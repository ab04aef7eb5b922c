/** The short form of what the commands print: what holds a step, what to change, where, and what a trace doesn't show. */

import { CopyscopeError } from '../../core/errors.ts';
import type { ComparisonDocument } from '../../core/explain/compare/comparison.ts';
import type { HazardReport } from '../../core/explain/hazards/hazard.ts';
import type { PlannedChanges } from '../../core/explain/remedies/plan.ts';
import type { LazySummary } from '../../core/explain/summary/summary.ts';
import type { RemedyAnswer, TraceAnswers } from '../../core/lift/answers.ts';
import { type StepsCompared, settledWords } from '../../core/lift/settle.ts';
import type { CommandAnswer } from './commandAnswers.ts';

export type Explained = LazySummary & Partial<TraceAnswers>;

const ms = (ns: number): number => Number((ns / 1e6).toPrecision(4));
const share = (value: number): number => Number(value.toFixed(3));

const leastShare = 0.005;
const remediesAtFirst = 3;

/** Sentences of a run's notes that say what isn't known. */
const isGap = (note: string): boolean => /\b(not?|only|without|nothing|unknown|guess\w*)\b|n't\b/i.test(note);

function couldNotTell({ value, remarks }: CommandAnswer<Explained>): string[] {
  const { steps, plan = [], notes } = value;
  const lines = steps !== undefined && plan.length > 0 && plan.every((remedy) => remedy.lines.length === 0);
  return [
    ...remarks,
    ...(steps?.caution ? [steps.caution] : []),
    ...(lines
      ? ['Source lines: the trace has no stacks. Record it with with_stack=True, or with copyscope record.']
      : []),
    ...notes.filter(isGap),
  ];
}

export const remedyItem = (remedy: RemedyAnswer | PlannedChanges): Item => ({
  changes: remedy.changes,
  gain: share(remedy.gainShare),
  gainInterval90: [share(remedy.lowShare), share(remedy.highShare)],
  stepMs: ms(remedy.stepNs),
  lines: remedy.lines,
  code: remedy.code,
  ...(remedy.needs.length === 0 ? {} : { needs: remedy.needs }),
  ...(remedy.mayGainNothing ? { mayGainNothing: true } : {}),
});

const verdictItem = (verdict: Explained['verdicts'][number]): Item => ({
  title: verdict.title,
  line: verdict.line,
  what: verdict.label.slice(0, 120),
  copyMs: ms(verdict.copyNs),
  costMs: ms(verdict.costNs),
  overlapped: share(verdict.share),
  rule: verdict.rule,
  explanation: verdict.explanation,
});

/** Head and items of explain_trace: the answer, and the verdicts with the remedies that are less good. */
export function explainedParts(answer: CommandAnswer<Explained>): { head: Item; items: Item[] } {
  const { value } = answer;
  const { steps, plan = [] } = value;
  const step = steps && {
    count: steps.count,
    rule: steps.rule,
    medianMs: ms(steps.medianNs),
    withoutRecordingMs: ms(steps.unprofiledNs),
    withoutRecordingInterval90Ms: [ms(steps.unprofiledLowNs), ms(steps.unprofiledHighNs)],
    parts: steps.parts
      .filter((part) => part.share >= leastShare)
      .map((part) => ({
        part: part.part,
        ms: ms(part.ns),
        share: share(part.share),
        mostly: part.names.map(({ name }) => name.slice(0, 100)),
      })),
  };
  const head = {
    name: value.name,
    answer: value.answer ?? null,
    ...(step === undefined ? { makespanMs: value.makespanNs === null ? null : ms(value.makespanNs) } : { step }),
    plan: plan.slice(0, remediesAtFirst).map(remedyItem),
    planSteps: (value.planSteps ?? []).map(({ adds, stepNs }) => ({ adds, stepMs: ms(stepNs) })),
    causes: value.verdictSums.map(({ title, count, costNs }) => ({ title, count, costMs: ms(costNs) })),
    couldNotTell: couldNotTell(answer),
  };
  return { head, items: [...value.verdicts.map(verdictItem), ...plan.slice(remediesAtFirst).map(remedyItem)] };
}

/** The prediction for an experiment. */
export function predictedParts({ value, remarks }: CommandAnswer<Explained>): { head: Item; items: Item[] } {
  const { makespanInterval: interval, overlap } = value;
  const head = {
    name: value.name,
    origin: 'simulated',
    profile: value.profile,
    makespanMs: value.makespanNs === null ? null : ms(value.makespanNs),
    makespanInterval90Ms: interval === null ? null : [ms(interval.lowNs), ms(interval.highNs)],
    overlapped: { h2d: overlap.h2dKernel.shareOfCopy, d2h: overlap.d2hKernel.shareOfCopy },
    remedies: value.remedies
      .filter(({ isConfirmed }) => isConfirmed === true)
      .map(({ steps, gainNs }) => ({ steps, gainMs: ms(gainNs) })),
    couldNotTell: [
      ...remarks,
      ...(interval === null ? ['How sure the makespan is: this profile or program has no interval.'] : []),
    ],
  };
  return { head, items: value.verdicts.map(verdictItem) };
}

type Compared = ComparisonDocument & StepsCompared;

export function comparedParts({ value, remarks }: CommandAnswer<Compared>): { head: Item; items: Item[] } {
  const { settled, parts } = value;
  const head = {
    a: value.a.name,
    b: value.b.name,
    settled: settled === null ? null : { ...settled, says: settledWords(settled) },
    couldNotTell: [
      ...remarks,
      ...(settled === null ? ["Whether a prediction held: no entry of a's plan turns its program into b's."] : []),
    ],
  };
  const items = parts.map(({ part, aNs, bNs, names }) => ({
    part,
    aMs: ms(aNs),
    bMs: ms(bNs),
    mostly: names.map(({ name }) => name.slice(0, 100)),
  }));
  return { head, items };
}

export function hazardParts({ value }: CommandAnswer<HazardReport & { name: string }>): {
  head: Item;
  items: readonly Item[];
} {
  return {
    head: { name: value.name, found: value.hazards.length },
    items: value.hazards.map((hazard) => ({ ...hazard })),
  };
}

/** Limit of a page, since assistants read a few thousand tokens at a time: under 4,000, as a token of JSON with names and numbers has at least 3 characters. */
const mostCharacters = 11_000;

export type Item = Readonly<Record<string, unknown>>;

interface Page extends Item {
  /** Give it to the same tool, with the same arguments, for the rest; left out on the last page. */
  readonly nextCursor?: string;
}

/** Returns the page at `cursor`: the head, which only the first page has, and as many items as fit. Throws `usage.cursor`. */
export function pageOf(head: Item, name: string, items: readonly unknown[], cursor: string | undefined): Page {
  const first = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(first) || first < 0 || (cursor !== undefined && (first === 0 || first >= items.length))) {
    throw new CopyscopeError({
      code: 'usage.cursor',
      field: 'cursor',
      message: `${cursor} is no cursor of this answer.`,
      remedy: 'Give nextCursor of the page before, with the same arguments.',
    });
  }
  const shown = first === 0 ? head : {};
  let characters = JSON.stringify(shown).length;
  let end = first;
  while (end < items.length) {
    characters += JSON.stringify(items[end]).length + 1;
    // A page always goes on by one item.
    if (characters > mostCharacters && end > first) break;
    end += 1;
  }
  return { ...shown, [name]: items.slice(first, end), ...(end < items.length ? { nextCursor: String(end) } : {}) };
}

/** Returns text in pieces that fit on a page. */
export const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,8000}(?:\n|$)|[\s\S]{1,8000}/g) ?? [];
