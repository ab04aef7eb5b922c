/**
 * Collectives of several ranks: which kernels form one collective, how far the ranks' clocks differ, and how long each
 * rank waited for the last one. The k-th kernel of one name in one communicator's stream is the same collective on all
 * ranks, and ends at about the same time on all of them.
 *
 * A collective moves data once its last rank has begun: a rank waits from its own start until then, and the rest of its
 * kernel is communication. TraceLens uses the same definition (NcclAnalyser: the shortest duration over the ranks is
 * the communication), and HTA finds stragglers with it.
 */
import { middleOf } from '../statistics.ts';
import { type Lane, rowKinds, type Trace } from '../trace/trace.ts';
import { isCommunication } from './classes.ts';

/** Kernels of one name and communicator on one rank, in order of start. */
export interface Series {
  readonly rows: Int32Array;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
}

/** By a key that is the same on every rank. */
export type Collectives = ReadonlyMap<string, Series>;

const kernel = rowKinds.indexOf('kernel');

/** Returns the collectives in a trace of one rank. */
export function collectivesOf({ columns, count, lanes, names }: Trace): Collectives {
  const communicates = Uint8Array.from(names, (name) => (isCommunication(name) ? 1 : 0));
  const isCollective = (row: number): boolean =>
    columns.kind[row] === kernel && communicates[columns.name[row] as number] === 1;
  const keyOf = (row: number): number => (columns.lane[row] as number) * names.length + (columns.name[row] as number);
  const lengths = new Map<number, number>();
  for (let row = 0; row < count; row += 1) {
    if (isCollective(row)) lengths.set(keyOf(row), (lengths.get(keyOf(row)) ?? 0) + 1);
  }
  const rowsOf = new Map([...lengths].map(([key, length]) => [key, new Int32Array(length)]));
  const filled = new Map<number, number>();
  for (let row = 0; row < count; row += 1) {
    if (!isCollective(row)) continue;
    const at = filled.get(keyOf(row)) ?? 0;
    (rowsOf.get(keyOf(row)) as Int32Array)[at] = row;
    filled.set(keyOf(row), at + 1);
  }
  const streams = [...new Set([...lengths.keys()].map((key) => Math.floor(key / names.length)))].sort((a, b) => a - b);
  const wordOf = streamWords(lanes, streams);
  const series = [...rowsOf].map(([key, rows]): [string, Series] => {
    const startNs = Float64Array.from(rows, (row) => columns.startNs[row] as number);
    const endNs = Float64Array.from(rows, (row, at) => (startNs[at] as number) + (columns.durationNs[row] as number));
    const word = `${names[key % names.length]} ${wordOf.get(Math.floor(key / names.length))}`;
    return [word, { rows, startNs, endNs }];
  });
  return new Map(series);
}

/** Returns, by stream, its communicator and index among that one's streams, since stream numbers differ by rank. */
function streamWords(lanes: readonly Lane[], streams: readonly number[]): Map<number, string> {
  const counts = new Map<string, number>();
  return new Map(
    streams.map((stream) => {
      const communicator = lanes[stream]?.communicator ?? '';
      const place = counts.get(communicator) ?? 0;
      counts.set(communicator, place + 1);
      return [stream, `${communicator} ${place}`];
    }),
  );
}

/** A rank's clock. */
export interface Clock {
  /** First of the ranks that share collectives with it, directly or indirectly. Its clock is the reference. */
  readonly base: number;
  /** Added to the rank's times. */
  readonly offsetNs: number;
  /** Half of the ends of common collectives are within this distance of the offset. */
  readonly spreadNs: number;
  /** Index on the base rank of this rank's first collective, by name. */
  readonly shifts: ReadonlyMap<string, number>;
}

/** Returns the clock of each rank. `givenNs`: offsets of ranks without a common collective with earlier ranks. */
export function alignClocks(ranks: readonly Collectives[], givenNs: readonly number[] = []): Clock[] {
  const clocks: (Clock | undefined)[] = ranks.map(() => undefined);
  for (const base of ranks.keys()) {
    if (clocks[base] !== undefined) continue;
    clocks[base] = { base, offsetNs: givenNs[base] ?? 0, spreadNs: 0, shifts: new Map() };
    const placed = [base];
    for (const by of placed) {
      for (const [index, rank] of ranks.entries()) {
        if (clocks[index] !== undefined) continue;
        const clock = against(ranks[by] as Collectives, rank, clocks[by] as Clock);
        if (clock === null) continue;
        clocks[index] = clock;
        placed.push(index);
      }
    }
  }
  return clocks as Clock[];
}

interface Matched {
  readonly key: string;
  readonly shift: number;
  /** Differences of ends, ascending. */
  readonly sorted: Float64Array;
  readonly offsetNs: number;
  readonly spreadNs: number;
  /** Share of the pairs that overlap on both ranks if the offset is right. */
  readonly together: number;
}

/** Ends that differ by this factor more than the nearest ones say nothing about a clock. */
const muchWider = 4;
/** Smallest number of pairs that shows a spread. */
const leastPairs = 3;
const timerNs = 1000;

function against(base: Collectives, rank: Collectives, clock: Clock): Clock | null {
  const matched: Matched[] = [];
  for (const [key, series] of rank) {
    const other = base.get(key);
    const found = other === undefined ? null : bestShift(key, other, series);
    if (found !== null) matched.push(found);
  }
  const together = matched.filter((one) => one.together > 0.5);
  // A collective at the start that runs once or twice has no meaningful spread.
  const repeated = together.filter(({ sorted }) => sorted.length >= leastPairs);
  const likely = repeated.length > 0 ? repeated : together;
  const least = Math.min(...likely.map(({ spreadNs }) => spreadNs));
  const good = likely.filter(({ spreadNs }) => spreadNs <= muchWider * least + timerNs);
  if (good.length === 0) return null;
  const all = joined(good.map(({ sorted }) => sorted));
  const offsetNs = middleOf(all);
  return {
    base: clock.base,
    offsetNs: offsetNs + clock.offsetNs,
    spreadNs: middleOf(all.map((difference) => Math.abs(difference - offsetNs)).sort()),
    shifts: new Map(matched.map(({ key, shift }) => [key, shift + (clock.shifts.get(key) ?? 0)])),
  };
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.sort();
}

/** Limit of collectives by which a recording may begin or end earlier on one rank. */
const mostShift = 64;

/** Pairs the k-th collectives, or shifts one rank's if the ends fit much better or one rank has more. */
function bestShift(key: string, base: Series, rank: Series): Matched | null {
  const more = base.endNs.length - rank.endNs.length;
  const [low, high] = [Math.max(-mostShift, Math.min(0, more) - 2), Math.min(mostShift, Math.max(0, more) + 2)];
  const shifts = Array.from({ length: high - low + 1 }, (_, index) => low + index);
  const fewer = Math.min(base.endNs.length, rank.endNs.length);
  const all = shifts
    .map((shift) => pairedAt(key, base, rank, shift))
    .filter(({ sorted, together }) => sorted.length > 0 && 2 * sorted.length >= fewer && together > 0);
  const straight = more === 0 ? all.find(({ shift }) => shift === 0) : undefined;
  const least = Math.min(...all.map(({ spreadNs }) => spreadNs));
  if (straight !== undefined && straight.spreadNs <= muchWider * least + timerNs) return straight;
  const good = all.filter(
    ({ spreadNs, sorted }) =>
      spreadNs <= muchWider * least + timerNs && (fewer < leastPairs || sorted.length >= leastPairs),
  );
  good.sort((a, b) => Math.abs(a.offsetNs) - Math.abs(b.offsetNs));
  return good[0] ?? null;
}

function pairedAt(key: string, base: Series, rank: Series, shift: number): Matched {
  const from = Math.max(0, -shift);
  const to = Math.max(from, Math.min(rank.endNs.length, base.endNs.length - shift));
  const differences = new Float64Array(to - from);
  for (let at = from; at < to; at += 1) {
    differences[at - from] = (base.endNs[at + shift] as number) - (rank.endNs[at] as number);
  }
  const sorted = differences.sort();
  const offsetNs = middleOf(sorted);
  let together = 0;
  for (let at = from; at < to; at += 1) {
    const [baseAt, shifted] = [at + shift, offsetNs + (rank.startNs[at] as number)];
    const isBefore = shifted < (base.endNs[baseAt] as number);
    if (isBefore && (base.startNs[baseAt] as number) < offsetNs + (rank.endNs[at] as number)) together += 1;
  }
  const spreadNs = middleOf(sorted.map((difference) => Math.abs(difference - offsetNs)).sort());
  return { key, shift, sorted, offsetNs, spreadNs, together: together / Math.max(1, to - from) };
}

export interface Waits {
  /** Wait of each collective, by rank and name; NaN if no other rank takes part. */
  readonly waitNs: readonly ReadonlyMap<string, Float64Array>[];
  /** Time that the others waited for each rank. */
  readonly awaitedNs: Float64Array;
}

export function waitsOf(ranks: readonly Collectives[], clocks: readonly Clock[]): Waits {
  const waitNs = ranks.map(
    (rank) => new Map([...rank].map(([key, { rows }]) => [key, new Float64Array(rows.length).fill(Number.NaN)])),
  );
  const awaitedNs = new Float64Array(ranks.length);
  // Clocks are only exact to within a part of their spread.
  const blurNs = muchWider * Math.max(...clocks.map(({ spreadNs }) => spreadNs)) + timerNs;
  const keys = new Set(ranks.flatMap((rank) => [...rank.keys()]));
  for (const key of keys) {
    for (const instance of instances(key, ranks, clocks)) {
      for (const together of apart(instance, blurNs)) {
        if (together.length < 2) continue;
        const last = together.reduce((a, b) => (b.startNs > a.startNs ? b : a));
        for (const { rank, at, startNs, endNs } of together) {
          const wait = Math.min(last.startNs, endNs) - startNs;
          (waitNs[rank]?.get(key) as Float64Array)[at] = wait;
          awaitedNs[last.rank] = (awaitedNs[last.rank] as number) + wait;
        }
      }
    }
  }
  return { waitNs, awaitedNs };
}

interface Part {
  readonly rank: number;
  readonly at: number;
  readonly startNs: number;
  readonly endNs: number;
}

/** Yields kernels that may be one collective: those at the same place on ranks with one clock. */
function* instances(key: string, ranks: readonly Collectives[], clocks: readonly Clock[]): Generator<Part[]> {
  for (const base of new Set(clocks.map((clock) => clock.base))) {
    const series = ranks.flatMap((rank, index) => {
      const [of, clock] = [rank.get(key), clocks[index]];
      if (of === undefined || clock?.base !== base) return [];
      return [{ rank: index, of, offsetNs: clock.offsetNs, shift: clock.shifts.get(key) ?? 0 }];
    });
    if (series.length > 1) yield* inPlaces(series);
  }
}

interface Placed {
  readonly rank: number;
  readonly of: Series;
  readonly offsetNs: number;
  readonly shift: number;
}

function* inPlaces(series: readonly Placed[]): Generator<Part[]> {
  const first = Math.min(...series.map(({ shift }) => shift));
  const end = Math.max(...series.map(({ shift, of }) => shift + of.rows.length));
  for (let place = first; place < end; place += 1) {
    const parts: Part[] = [];
    for (const { rank, of, offsetNs, shift } of series) {
      const [at, startNs] = [place - shift, of.startNs[place - shift]];
      if (startNs === undefined) continue;
      parts.push({ rank, at, startNs: startNs + offsetNs, endNs: (of.endNs[at] as number) + offsetNs });
    }
    yield parts;
  }
}

/**
 * Separates kernels if one ended before another began: no rank leaves a collective before its last one has come. Such
 * kernels belong to several communicators, like pairs that send and receive.
 */
function apart(parts: readonly Part[], blurNs: number): Part[][] {
  const groups: Part[][] = [];
  for (const part of [...parts].sort((a, b) => a.endNs - b.endNs)) {
    const group = groups.at(-1);
    const firstEndNs = group?.[0]?.endNs ?? Number.NEGATIVE_INFINITY;
    if (group !== undefined && part.startNs <= firstEndNs + blurNs) group.push(part);
    else groups.push([part]);
  }
  return groups;
}
