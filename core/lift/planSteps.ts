/** The order in which to make the recommended changes, and the gain of each step of that order. */
import type { ChangeWord } from './changes/words.ts';
import type { Planner, Remedy } from './plan.ts';

export interface PlanStep {
  readonly adds: readonly ChangeWord[];
  /** With those of earlier steps. */
  readonly changes: readonly ChangeWord[];
  readonly stepNs: number;
  /** Gain, as a share of the step before all changes. */
  readonly addsShare: number;
}

/** A plan step with a smaller share of the step joins the one before. */
const leastShare = 0.01;

/** Returns no plan steps without changes. Largest gain first, or a change that gains nearly as much with less effort. */
export function planSteps(planner: Planner, { changes }: Pick<Remedy, 'changes'>): PlanStep[] {
  const found: PlanStep[] = [];
  let [made, gained]: [readonly ChangeWord[], number] = [[], 0];
  while (made.length < changes.length) {
    const adds = nextChanges(
      planner,
      made,
      changes.filter((word) => !made.includes(word)),
    );
    const all = changes.filter((word) => made.includes(word) || adds.includes(word));
    const { gainShare, stepNs } = planner.tried(all);
    const last = found.at(-1);
    const addsShare = gainShare - gained;
    // A change without a gain of its own joins the plan step before.
    if (last !== undefined && addsShare < leastShare) {
      found[found.length - 1] = {
        adds: [...last.adds, ...adds],
        changes: all,
        stepNs,
        addsShare: last.addsShare + addsShare,
      };
    } else found.push({ adds, changes: all, stepNs, addsShare });
    [made, gained] = [all, gainShare];
  }
  return found;
}

/** Returns the fewest changes with a gain, and among those the largest gain; all that are left if none has one. */
function nextChanges(
  planner: Planner,
  made: readonly ChangeWord[],
  left: readonly ChangeWord[],
): readonly ChangeWord[] {
  const now = planner.gainShare(made);
  const isLater = isGraphLater(planner, made, left);
  for (let size = 1; size < left.length; size += 1) {
    let best: { readonly words: readonly ChangeWord[]; readonly gain: number } | null = null;
    for (const words of choices(left, size)) {
      if (isLater && words.includes('graph')) continue;
      const gain = planner.gainShare([...made, ...words]) - now;
      if (gain >= leastShare && nearlyAs * gain > (best?.gain ?? 0)) best = { words, gain };
    }
    if (best !== null) return best.words;
  }
  return left;
}

/** Other changes come before a graph if together they have at least this share of its gain. */
const leastBefore = 0.25;

/**
 * Returns whether a graph should come later. It demands most of a program: no wait, no host decision and no new memory
 * in the capture. So it isn't a plan step by itself if it may gain nothing, and comes after changes that join its parts,
 * or that gain enough.
 */
function isGraphLater(planner: Planner, made: readonly ChangeWord[], left: readonly ChangeWord[]): boolean {
  if (!left.includes('graph') || left.length === 1) return false;
  if (planner.launchParts([...made, ...left]) < planner.launchParts(made)) return true;
  const now = planner.gainShare(made);
  const others = planner.gainShare([...made, ...left.filter((word) => word !== 'graph')]) - now;
  const { gainShare, lowShare } = planner.tried([...made, 'graph']);
  return lowShare <= 0 || others >= leastBefore * (gainShare - now);
}

/** If changes gain nearly as much, the first in order of `changeWords` wins: it needs less effort. */
const nearlyAs = 0.9;

/** Yields every choice of `size` words. */
function* choices(words: readonly ChangeWord[], size: number): Generator<readonly ChangeWord[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [index, word] of words.entries()) {
    for (const rest of choices(words.slice(index + 1), size - 1)) yield [word, ...rest];
  }
}
