/**
 * Merges the traces of a job's ranks into one run, with a group of lanes for each, on the clock of the first. Traces
 * are added one after another, so that memory holds all rows and one more trace.
 */
import type { CopyscopeError, ErrorInfo } from '../errors.ts';
import { alignClocks, type Clock, type Collectives, collectivesOf } from '../lift/collectives.ts';
import { type Intervals, intersection } from '../trace/intervals.ts';
import { memoryEventName, readMemoryEventName } from '../trace/rangeNames.ts';
import { ranksIn } from '../trace/ranks.ts';
import { type Run, type RunInfo, runName } from '../trace/run.ts';
import type { Lane, Trace } from '../trace/trace.ts';
import { formatDuration } from '../units.ts';
import { ImportedRows, rowCodes, unknownEvent } from './importedRows.ts';
import { importedRun } from './importedRun.ts';
import { traceFileError } from './problems.ts';

/** Limit over all ranks, from the run file. */
const mostLanes = 9000;
const longestText = 200;

interface Added {
  readonly info: RunInfo;
  readonly startNs: number | undefined;
  readonly collectives: Collectives;
  /** Its rows, [from, to). */
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly Lane[];
  readonly pauses: Intervals;
}

export class MergedRanks {
  readonly #rows = new ImportedRows();
  #lanes = 0;
  readonly #names: string[] = [];
  readonly #nameIndices = new Map<string, number>();
  readonly #added: Added[] = [];
  #correlations = 1;

  /** Adds a trace that begins at `startNs` of a common clock. Throws `trace-file.ranks` if it can't be one rank. */
  add({ info, trace }: Run, startNs?: number): void {
    if (info.imported === undefined) throw unfit(info, 'it is no trace of a real program');
    if (ranksIn(trace).length > 0) throw unfit(info, 'it holds several ranks already');
    if (trace.count > this.#rows.room) throw unfit(info, 'all files together have more rows than a run holds');
    if (this.#lanes + trace.lanes.length > mostLanes) throw unfit(info, 'all files together have too many lanes');
    const from = this.#rows.count;
    const rank = mark(this.#added.length);
    this.#append(trace, this.#lanes, rank);
    this.#lanes += trace.lanes.length;
    this.#added.push({
      info,
      startNs,
      collectives: collectivesOf(trace),
      from,
      to: this.#rows.count,
      lanes: trace.lanes.map((lane) => ofRank(lane, rank)),
      pauses: Float64Array.from((trace.pauses ?? []).flatMap(({ fromNs, toNs }) => [fromNs, toNs])),
    });
  }

  /** Returns the merged run with this name. Don't use the object afterwards. Throws if nothing was added. */
  finish(name: string): Run {
    const [first] = this.#added;
    if (first?.info.imported === undefined) throw new RangeError('no rank was added');
    const clocks = alignClocks(
      this.#added.map(({ collectives }) => collectives),
      this.#added.map((one) => startedAfter(one, first)),
    );
    const offsets = clocks.map(({ offsetNs }) => offsetNs);
    const { startNs } = this.#rows.columns;
    for (const [place, { from, to }] of this.#added.entries()) {
      const offset = offsets[place] ?? 0;
      for (let row = from; row < to; row += 1) startNs[row] = (startNs[row] as number) + offset;
    }
    const ranks = ranksOfFiles(this.#added.map(({ info }) => info));
    const names = this.#names.map((one) => named(one, ranks));
    const { trace, leastNs } = this.#rows.finish(this.#placed(ranks), names);
    const pauses = this.#pauses(offsets, leastNs);
    const infos = this.#added.map(({ info }) => info);
    return importedRun(
      {
        format: first.info.imported.format,
        trace: pauses.length === 0 ? trace : { ...trace, pauses },
        events: infos.reduce((sum, { imported }) => sum + (imported?.events ?? 0), 0),
        startedMs: Date.parse(first.info.createdAt) + leastNs / 1e6,
        device: first.info.device,
        driver: first.info.versions.driver,
        runtime: first.info.versions.runtime,
        cupti: first.info.versions.cupti,
        // Ranks step together.
        stepTimes: infos.flatMap(({ imported }) => imported?.stepTimes ?? [])[0],
        problem: this.#problem(ranks),
        notes: [...this.#clockNotes(clocks, ranks), ...new Set(infos.flatMap(({ notes }) => notes).filter(isOfAll))],
      },
      { name, version: first.info.versions.copyscope, modifiedAt: new Date(first.info.createdAt) },
    );
  }

  /** Returns all lanes, in order of the ranks. */
  #placed(ranks: readonly number[]): { readonly lanes: readonly Lane[]; readonly places: Int32Array } {
    const firsts: number[] = [];
    let next = 0;
    for (const { lanes } of this.#added) {
      firsts.push(next);
      next += lanes.length;
    }
    const places = new Int32Array(next);
    const order = this.#added.map((_, place) => place).sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
    const lanes: Lane[] = [];
    for (const place of order) {
      for (const [at, { id, name, device, ...lane }] of (this.#added[place]?.lanes ?? []).entries()) {
        places[(firsts[place] ?? 0) + at] = lanes.length;
        const whole = named(id, ranks);
        const own = whole.length > longestText ? `${whole.slice(0, longestText - 10)}~${lanes.length}` : whole;
        const texts = { id: own, name: named(name, ranks).slice(0, longestText), device: named(device, ranks) };
        lanes.push({ ...lane, ...texts });
      }
    }
    return { lanes, places };
  }

  #append({ columns, count, names }: Trace, firstLane: number, rank: string): void {
    const plain = names.map((name) => this.#name(memoryOf(name, rank)));
    // Events of two ranks have the same numbers.
    const events = names.map((name) => (name === unknownEvent ? this.#name(name) : this.#name(`${name} of ${rank}`)));
    const [least, most] = bounds(columns.correlation, count);
    const shift = this.#correlations - least;
    if (most > 0) this.#correlations += most - least + 1;
    const target = this.#rows;
    for (let row = 0; row < count; row += 1) {
      const kind = columns.kind[row] as number;
      const isEvent = kind === rowCodes.record || kind === rowCodes.wait;
      const name = (isEvent ? events : plain)[columns.name[row] as number] as number;
      const lane = firstLane + (columns.lane[row] as number);
      const to = target.add(columns.startNs[row] as number, columns.durationNs[row] as number, kind, lane, name);
      const into = target.columns;
      const [engine, correlation] = [columns.engine[row] as number, columns.correlation[row] as number];
      if (engine >= 0) into.engine[to] = firstLane + engine;
      if (correlation > 0) into.correlation[to] = (correlation + shift) % 2 ** 31;
      into.bytes[to] = columns.bytes[row] as number;
      into.srcMemory[to] = columns.srcMemory[row] as number;
      into.dstMemory[to] = columns.dstMemory[row] as number;
      into.channel[to] = columns.channel[row] as number;
      into.channelType[to] = columns.channelType[row] as number;
      const address = columns.hostAddress?.[row] ?? 0;
      if (address > 0) target.setHostAddress(to, address);
    }
  }

  #name(text: string): number {
    const known = this.#nameIndices.get(text);
    if (known !== undefined) return known;
    const index = this.#names.push(text) - 1;
    this.#nameIndices.set(text, index);
    return index;
  }

  /** Returns spans in which no rank was recorded. */
  #pauses(offsets: readonly number[], leastNs: number) {
    const shifted = this.#added.map(
      ({ pauses }, place): Intervals => pauses.map((ns) => ns + (offsets[place] ?? 0) - leastNs),
    );
    const common = shifted.reduce((all, one) => intersection(all, one));
    return Array.from({ length: common.length / 2 }, (_, at) => ({
      fromNs: common[2 * at] ?? 0,
      toNs: common[2 * at + 1] ?? 0,
    }));
  }

  #problem(ranks: readonly number[]): ErrorInfo | null {
    const place = this.#added.findIndex(({ info }) => info.error !== undefined);
    const error = this.#added[place]?.info.error;
    return error === undefined ? null : { ...error, message: `rank ${ranks[place]}: ${error.message}` };
  }

  #clockNotes(clocks: readonly Clock[], ranks: readonly number[]): string[] {
    const known = clocks.filter(({ base }, place) => base !== place);
    const without = ranks.filter(
      (_, place) => place > 0 && clocks[place]?.base === place && this.#added[place]?.startNs === undefined,
    );
    const spread = Math.max(0, ...known.map(({ spreadNs }) => spreadNs));
    return [
      `Ranks ${ranks.join(', ')}, each from a file of its own.`.slice(0, 1000),
      ...(known.length === 0
        ? []
        : [
            `Clocks are aligned by the ends of collectives: half of all ends differ by at most ${formatDuration(Math.max(1000, spread))}.`,
          ]),
      ...(without.length === 0
        ? []
        : [
            `Rank ${without.join(', ')} shares no collective with rank ${ranks[0]}: its times are as its file dates them, to the millisecond.`,
          ]),
    ];
  }
}

/** One file's rank and notes don't apply to the merged run. */
const isOfAll = (note: string): boolean => !/^Rank \d+ of a job/.test(note);

const startedAfter = (one: Added, first: Added): number =>
  one.startNs === undefined || first.startNs === undefined
    ? (Date.parse(one.info.createdAt) - Date.parse(first.info.createdAt)) * 1e6
    : one.startNs - first.startNs;

/** Stands for the name of a rank until all are known. */
const mark = (place: number): string => `\0${place}\0`;

const named = (text: string, ranks: readonly number[]): string =>
  text.replace(/\0(\d+)\0/g, (_, place: string) => `[rank${ranks[Number(place)]}]`);

function ofRank(lane: Lane, rank: string): Lane {
  const { kind, id, name, device } = lane;
  if (kind === 'host-thread') {
    return { ...lane, id: `thread:${rank} ${id.replace(/^thread:/, '')}`, name: `${rank} ${name}` };
  }
  const own = `${rank}${device}`;
  const shown = name.startsWith(`${device} `) ? `${rank}${name}` : `${own} ${name}`;
  return { ...lane, id: id.replace(device, own), name: shown, device: own };
}

function memoryOf(name: string, rank: string): string {
  const memory = readMemoryEventName(name);
  if (memory === null || memory.device === '') return name;
  return memoryEventName({ ...memory, device: `${rank}${memory.device}` });
}

function bounds(correlation: Int32Array, count: number): [least: number, most: number] {
  let [least, most] = [1, 0];
  for (let row = 0; row < count; row += 1) {
    const number = correlation[row] as number;
    if (number === 0) continue;
    if (most === 0 || number < least) least = number;
    if (number > most) most = number;
  }
  return [least, most];
}

const unfit = (info: RunInfo, why: string): CopyscopeError =>
  traceFileError('trace-file.ranks', `${runName(info)} can't be one rank of several: ${why}.`);

/**
 * Returns each trace's rank number: the file's own, or else from its name ('rank_1'), or else its position. A source
 * counts only if its numbers are all different.
 */
function ranksOfFiles(infos: readonly RunInfo[]): number[] {
  const last = infos.map((info) => Number(/(\d+)\D*$/.exec(runName(info))?.[1] ?? Number.NaN));
  return toldRanks(infos) ?? (areApart(last) ? last : infos.map((_, place) => place));
}

function toldRanks(infos: readonly RunInfo[]): number[] | undefined {
  const own = infos.map(({ imported }) => imported?.rank ?? Number.NaN);
  const named = infos.map((info) => Number(/rank\D{0,2}(\d+)/i.exec(runName(info))?.[1] ?? Number.NaN));
  return [own, named].find(areApart);
}

const areApart = (ranks: readonly number[]): boolean =>
  ranks.every(Number.isSafeInteger) && new Set(ranks).size === ranks.length;

/** Returns whether these are traces of different known ranks. */
export const areRanks = (infos: readonly RunInfo[]): boolean =>
  infos.length > 1 && infos.every(({ imported }) => imported !== undefined) && toldRanks(infos) !== undefined;

/** Returns the common beginning of all names, such as 'train' for 'train_rank0'; may be empty. */
export function jobName(names: readonly string[]): string {
  const begin = names.reduce((a, b) => {
    let at = 0;
    while (at < a.length && a[at] === b[at]) at += 1;
    return a.slice(0, at);
  });
  return begin.replace(/\d+$/, '').replace(/[\W_]*(rank)?[\W_]*$/i, '');
}
