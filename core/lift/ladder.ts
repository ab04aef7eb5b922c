/** The recommended set of changes as a ladder: in which order to make them, and what each rung adds. */
import type { ChangeWord } from './changes/words.ts';
import type { Planner, Remedy } from './plan.ts';

export interface Rung {
  /** Changes of this rung, with those that gain nothing alone. */
  readonly adds: readonly ChangeWord[];
  /** All changes so far. */
  readonly changes: readonly ChangeWord[];
  /** Unprofiled step with them. */
  readonly stepNs: number;
  /** Gain of this rung, as a share of the step before all changes. */
  readonly addsShare: number;
}

/** A rung that adds less than this part of the step is made together with the one before. */
const leastRung = 0.01;

/** Empty for no changes. What gains most comes first, or what gains nearly as much and asks less of the program. */
export function ladderOf(planner: Planner, { changes }: Pick<Remedy, 'changes'>): Rung[] {
  const rungs: Rung[] = [];
  let [made, gained]: [readonly ChangeWord[], number] = [[], 0];
  while (made.length < changes.length) {
    const adds = nextRung(
      planner,
      made,
      changes.filter((word) => !made.includes(word)),
    );
    const all = changes.filter((word) => made.includes(word) || adds.includes(word));
    const { gainShare, stepNs } = planner.tried(all);
    const last = rungs.at(-1);
    const addsShare = gainShare - gained;
    // What adds nothing by itself is made together with what came before.
    if (last !== undefined && addsShare < leastRung) {
      rungs[rungs.length - 1] = {
        adds: [...last.adds, ...adds],
        changes: all,
        stepNs,
        addsShare: last.addsShare + addsShare,
      };
    } else rungs.push({ adds, changes: all, stepNs, addsShare });
    [made, gained] = [all, gainShare];
  }
  return rungs;
}

/** The fewest changes that add something; of as many the ones that add most. All that are left if none does. */
function nextRung(planner: Planner, made: readonly ChangeWord[], left: readonly ChangeWord[]): readonly ChangeWord[] {
  const now = planner.gainShare(made);
  const isLater = isGraphLater(planner, made, left);
  for (let size = 1; size < left.length; size += 1) {
    let best: { readonly words: readonly ChangeWord[]; readonly gain: number } | null = null;
    for (const words of choices(left, size)) {
      if (isLater && words.includes('graph')) continue;
      const gain = planner.gainShare([...made, ...words]) - now;
      if (gain >= leastRung && nearlyAs * gain > (best?.gain ?? 0)) best = { words, gain };
    }
    if (best !== null) return best.words;
  }
  return left;
}

/** Other changes come before a graph if together they add at least this part of what it adds. */
const leastBefore = 0.5;

/**
 * A graph asks most of a program: no wait, no decision of the host and no new memory in what is captured. So it is no rung
 * by itself if it may add nothing, and comes after the changes that it needs if they add enough.
 */
function isGraphLater(planner: Planner, made: readonly ChangeWord[], left: readonly ChangeWord[]): boolean {
  if (!left.includes('graph') || left.length === 1) return false;
  const now = planner.gainShare(made);
  const others = planner.gainShare([...made, ...left.filter((word) => word !== 'graph')]) - now;
  const { gainShare, lowShare } = planner.tried([...made, 'graph']);
  return lowShare <= 0 || others >= leastBefore * (gainShare - now);
}

/** If changes gain nearly as much, the first in order of `changeWords` comes first: it asks less of the program. */
const nearlyAs = 0.9;

/** Every choice of `size` of these words. */
function* choices(words: readonly ChangeWord[], size: number): Generator<readonly ChangeWord[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [index, word] of words.entries()) {
    for (const rest of choices(words.slice(index + 1), size - 1)) yield [word, ...rest];
  }
}
