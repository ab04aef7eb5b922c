/** Groups equal verdicts: a run of a million copies has a handful of groups. */
import { formatDuration, formatShare } from '../../units.ts';
import type { Cause, Verdict } from './verdict.ts';

export interface VerdictGroup {
  /** Costliest verdict, which provides words and times. */
  readonly verdict: Verdict;
  /** Distinct labels. */
  readonly labels: readonly string[];
  /** Lines of the program that issue them, the costliest first. */
  readonly lines: readonly string[];
  /** Indices of its verdicts in the list. */
  readonly places: readonly number[];
  readonly copyNs: number;
  /**
   * Total on the device where they cost most. Devices wait at the same time, so their costs aren't added, and neither is a
   * gain that other verdicts have by the same changes.
   */
  readonly costNs: number;
  readonly devices: number;
}

/** A group in summaries. */
export interface VerdictSum extends Pick<Verdict, 'cause' | 'title' | 'copyNs' | 'costNs'> {
  readonly count: number;
}

export const verdictSums = (verdicts: readonly Verdict[], mostNs?: number): VerdictSum[] =>
  verdictGroups(verdicts, byKernel, mostNs).map(({ verdict: { cause, title }, places, copyNs, costNs }) => {
    return { cause, title, count: places.length, copyNs, costNs };
  });

/** Returns whether memory is the cause; then it doesn't matter which kernel comes next. */
const isOfMemory = ({ cause }: Verdict): boolean => cause === 'pageable-source' || cause === 'pageable-destination';

/**
 * Returns a verdict's place: races come first, then causes, then copies that overlap already, and last kernels that waited,
 * if no change was found that saves their wait.
 */
function rank({ cause, subject, costNs }: Verdict): number {
  if (subject === 'kernel' && costNs <= 0) return 3;
  return cause === 'race' ? 0 : cause === 'overlapped' ? 2 : 1;
}

/** Causes that are needless work. Another cause must cost clearly more to come before them: its change may only hide them. */
const needless: ReadonlySet<Cause> = new Set(['copied-again', 'through-host', 'allocated-again', 'captured-again']);
const preference = 1.05;

/** Returns the order of two verdicts: by rank, then the costliest first. */
export function byWeight(a: Verdict, b: Verdict): number {
  const weight = ({ cause, costNs }: Verdict): number => costNs * (needless.has(cause) ? preference : 1);
  return rank(a) - rank(b) || weight(b) - weight(a);
}

/** Groups verdicts with the same cause and remedy, whatever copy and kernel are called. */
export const byCause = ({ subject, cause, title }: Verdict): unknown => [subject, cause, title];

/** Groups like byCause, but keeps different kernels apart. */
export const byKernel = (verdict: Verdict): unknown => [
  byCause(verdict),
  isOfMemory(verdict) ? null : verdict.withLabel,
];

/** Returns the most that changes can save: down to the floor of a plan, or the makespan without one. */
export const mostSavedNs = (makespanNs: number | null, plan: readonly { readonly floorNs: number }[] = []): number =>
  Math.max(
    0,
    (makespanNs ?? Number.POSITIVE_INFINITY) -
      (plan[0] === undefined ? 0 : Math.min(...plan.map((one) => one.floorNs))),
  );

/**
 * Groups verdicts: by rank, the costliest group first. `alike` returns the key of a group. If one alone costs less than `mostNs`, all
 * together don't cost more.
 */
export function verdictGroups(
  verdicts: readonly Verdict[],
  alike: (verdict: Verdict) => unknown = byKernel,
  mostNs = Number.POSITIVE_INFINITY,
): VerdictGroup[] {
  const groups = new Map<string, { labels: Set<string>; places: number[] }>();
  for (const [place, verdict] of verdicts.entries()) {
    const key = JSON.stringify(alike(verdict));
    const group = groups.get(key) ?? { labels: new Set<string>(), places: [] };
    groups.set(key, group);
    group.labels.add(verdict.label);
    group.places.push(place);
  }
  const made = [...groups.values()].flatMap(({ labels, places }): VerdictGroup[] => {
    const own = places.flatMap((place) => verdicts[place] ?? []);
    const [first] = own;
    if (first === undefined) return [];
    const verdict = own.reduce((most, one) => (one.costNs > most.costNs ? one : most), first);
    const copyNs = own.reduce((total, one) => total + one.copyNs, 0);
    const costs = new Map<string, number>();
    for (const { device, costNs, sameGainAs } of own) {
      costs.set(device, (costs.get(device) ?? 0) + (sameGainAs === null ? costNs : 0));
    }
    const costNs = Math.min(Math.max(...costs.values()), Math.max(mostNs, verdict.costNs));
    return [{ verdict, labels: [...labels], lines: linesOf(own), places, copyNs, costNs, devices: costs.size }];
  });
  return made.sort((a, b) => byWeight({ ...a.verdict, costNs: a.costNs }, { ...b.verdict, costNs: b.costNs }));
}

/** In a real program's trace, verdicts that cost less than this share of its time together share one line. */
const leastShare = 0.01;

/** Returns the groups with an entry each, costliest first, and a line about the others, or null if there are none. */
export function costlyGroups(
  groups: readonly VerdictGroup[],
  { imported, makespanNs }: { readonly imported: unknown; readonly makespanNs: number | null },
): { readonly costly: readonly VerdictGroup[]; readonly rest: string | null } {
  if (imported === null || imported === undefined || makespanNs === null) return { costly: groups, rest: null };
  let [count, costNs] = [groups.length, 0];
  for (; count > 0; count -= 1) {
    const nextNs = costNs + (groups[count - 1]?.costNs ?? 0);
    if (nextNs >= leastShare * makespanNs) break;
    costNs = nextNs;
  }
  const rest = groups.slice(count);
  if (rest.length < 2) return { costly: groups, rest: null };
  const judged = rest.reduce((sum, { places }) => sum + places.length, 0);
  const what = count === 0 ? 'Copies and kernels' : 'Other copies and kernels';
  return {
    costly: groups.slice(0, count),
    rest: `${what} cost less than ${formatShare(leastShare)} of the time together: ${judged} were judged.`,
  };
}

function linesOf(verdicts: readonly Verdict[]): string[] {
  const costs = new Map<string, number>();
  for (const { line, costNs } of verdicts) if (line !== null) costs.set(line, (costs.get(line) ?? 0) + costNs);
  return [...costs].sort((a, b) => b[1] - a[1]).map(([line]) => line);
}

const namedLines = 3;

/** Returns for example 'Issued by train.py:44 in step, train.py:51 in step and 2 other lines.' */
function lineWords(lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const rest = lines.length - namedLines;
  const named = lines.slice(0, namedLines);
  const others = rest <= 0 ? [] : [rest === 1 ? 'one other line' : `${rest} other lines`];
  return [`Issued by ${listed.format([...named, ...others])}.`];
}

const listed = new Intl.ListFormat('en', { type: 'conjunction' });

/** Returns the title of a card that stands for several verdicts: '12 copies, 20.4 ms'. */
export const groupTitle = ({ verdict, places, copyNs }: VerdictGroup): string =>
  `${places.length} ${nouns[verdict.subject]}, ${formatDuration(copyNs)}`;

const nouns = { copy: 'copies', kernel: 'kernels', 'host-call': 'calls' } as const;

/** Returns the number of verdicts and their total cost; empty for a single one without cost. */
export function groupText(group: VerdictGroup, makespanNs: number | null): string {
  const { verdict, lines, places, copyNs, costNs, devices } = group;
  const count = places.length;
  const noun = nouns[verdict.subject];
  const part = makespanNs === null || makespanNs <= 0 ? '' : `, ${formatShare(costNs / makespanNs)} of the makespan`;
  const where = devices > 1 ? ', on the GPU where they cost most' : '';
  const words = [
    ...(count === 1
      ? []
      : [`The same is true for ${count} ${noun}, ${formatDuration(copyNs)} together; the figures are of one of them.`]),
    ...(costNs <= 0 ? [] : [`${costWords(group)}${part}${where}.`]),
    ...lineWords(lines),
  ];
  return words.join(' ');
}

/** Returns the cost. For overlapped copies it is the part that ran without a kernel. */
function costWords({ verdict, places, costNs }: VerdictGroup): string {
  const [cost, isOne] = [formatDuration(costNs), places.length === 1];
  if (verdict.cause === 'overlapped') return `${cost} of ${isOne ? 'it' : 'them'} ran without a kernel`;
  return `${isOne ? 'It costs' : 'They cost'} ${cost}`;
}
