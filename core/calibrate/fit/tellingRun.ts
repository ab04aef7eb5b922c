/** A recorded run beside its simulation: what each of its rows stands for, and which parameter one may be compared with. */
import type { Activity } from '../../analysis/iteration.ts';
import { append } from '../../groupBy.ts';
import type { Instruction, InstructionOf, Program } from '../../program/program.ts';
import { firstCalls } from '../../simulator/callHistory.ts';
import { leastNs } from '../../simulator/leastTime.ts';
import { planProgram } from '../../simulator/plan.ts';
import { preparationNs } from '../../simulator/preparation.ts';
import type { DeviceProfile } from '../../simulator/profile.ts';
import { timeTable } from '../../simulator/table.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { type Draft, tableAt, valueAt } from '../paths.ts';
import type { PointKey } from '../plan.ts';
import type { RecordedRun } from './recordedRun.ts';
import { isHostRow, type RowPair } from './rowPairs.ts';

export interface Told {
  readonly path: string;
  readonly at?: { readonly key: PointKey; readonly value: number };
  /** What the nth recorded iteration says; undefined where it doesn't. */
  readonly read: (iteration: number) => number | undefined;
}

export class TellingRun {
  readonly profile: DeviceProfile;
  readonly program: Program;
  /** The call that issued a row, and the row that a call issued, by correlation. */
  readonly calls = new Map<number, RowPair>();
  readonly works = new Map<number, RowPair>();
  readonly #instructions = new Map<number, Instruction[]>();
  /** What a thread's first call takes longer. */
  readonly #firstNs: number;
  /** Rows of each launch of a graph, by its correlation. */
  readonly #launched = new Map<number, Activity[]>();
  readonly #deviceEnds: readonly number[];
  readonly #recordedEnds: readonly (readonly number[])[];
  /** Recorded rows that ran beside other work of the compute channel, whatever the simulation says. */
  readonly #shared: ReadonlySet<Activity>;

  constructor(
    { program, filled, iterations: { length: iterations } }: Pick<RecordedRun, 'program' | 'filled' | 'iterations'>,
    profile: DeviceProfile,
    pairs: readonly RowPair[],
  ) {
    this.profile = profile;
    this.program = program;
    const preparedNs = preparationNs(program, profile, filled);
    this.#firstNs = firstCalls(program, profile, preparedNs, leastNs(planProgram(program, profile))).ns;
    for (const { instructions } of program.threads) {
      for (const one of instructions) append(this.#instructions, one.op, one);
    }
    for (const pair of pairs) {
      const { simulated } = pair;
      if (simulated.correlation === 0) continue;
      const table = isHostRow(simulated) ? this.calls : this.works;
      if (!table.has(simulated.correlation)) table.set(simulated.correlation, pair);
    }
    const works = pairs.filter(({ simulated }) => !isHostRow(simulated));
    for (const { simulated } of works) append(this.#launched, simulated.correlation, simulated);
    this.#deviceEnds = works.map(({ simulated }) => simulated.endNs);
    this.#shared = new Set(
      Array.from({ length: iterations }, (_, index) =>
        sharing(works.flatMap(({ recorded }) => recorded[index] ?? [])),
      ).flat(),
    );
    this.#recordedEnds = Array.from({ length: iterations }, (_, index) =>
      works.flatMap(({ recorded }) => recorded[index]?.endNs ?? []),
    );
  }

  /** The pair without the recorded rows that ran beside other work of the compute channel. */
  withoutShared(pair: RowPair): RowPair {
    const recorded = pair.recorded.map((row) => (row !== undefined && this.#shared.has(row) ? undefined : row));
    return { ...pair, recorded };
  }

  instruction<Code extends Instruction['code']>(op: number, code: Code): InstructionOf<Code> | undefined {
    return this.#instructions.get(op)?.find((one): one is InstructionOf<Code> => one.code === code);
  }

  /** What some launch of a graph ran. */
  nodesOf(graph: number): readonly Activity[] {
    for (const [correlation, { simulated }] of this.calls) {
      if (this.instruction(simulated.op, 'launchGraph')?.graph === graph) return this.#launched.get(correlation) ?? [];
    }
    return [];
  }

  /** A parameter of the profile; NaN where it has none. */
  number(path: string): number {
    return Number(valueAt(this.profile as unknown as Draft, path) ?? Number.NaN);
  }

  /** Tells a parameter by the row's length, where the simulated row is as long as the profile has it. */
  value(pair: RowPair, path: string): readonly Told[] {
    const more = this.#beyond(pair.simulated, this.number(path));
    return more === null ? [] : [{ path, read: (index) => lengthOf(pair.recorded[index], more) }];
  }

  /** The same of a point of a table. */
  point(pair: RowPair, path: string, size: number, key: 'bytes' | 'nodes' = 'bytes'): readonly Told[] {
    const points = tableAt(this.profile, path);
    const more = size <= 0 || points === null ? null : this.#beyond(pair.simulated, timeTable(points)(size));
    return more === null ? [] : [this.told(pair, path, size, key, more)];
  }

  /** Tells a point of a table by the row's length, whatever the simulated row's is. */
  told({ recorded }: RowPair, path: string, value: number, key: PointKey, without = 0): Told {
    return { path, at: { key, value }, read: (index) => lengthOf(recorded[index], without) };
  }

  /** How much longer the simulated row lasts than the work on the device that it waited for. */
  afterWork({ endNs }: Activity): number {
    return endNs - lastUntil(this.#deviceEnds, endNs);
  }

  /** The same of recorded rows. */
  recordedAfterWork(recorded: RowPair['recorded']): Told['read'] {
    return (index) => {
      const own = recorded[index];
      return own === undefined ? undefined : own.endNs - lastUntil(this.#recordedEnds[index] ?? [], own.endNs);
    };
  }

  /**
   * What the row lasts longer than its cost: nothing, or what a first call costs more; null where it is something else. What is
   * left of a row that lasts more than twice its cost is noise, mostly.
   */
  #beyond(row: Activity, cost: number): number | null {
    const lasts = durationOf(row);
    if (isNear(lasts, cost)) return 0;
    const more = isHostRow(row) ? this.moreThan(lasts, cost) : null;
    return more === null || more > cost ? null : more;
  }

  /** Nothing where it lasts as long as its cost, or what a first call takes longer; null where neither is so. */
  moreThan(lasts: number, cost: number): number | null {
    return [0, this.#firstNs].find((more) => isNear(lasts, cost + more)) ?? null;
  }
}

/** The rows of the compute channel that overlap another one there. */
function sharing(rows: readonly Activity[]): Activity[] {
  const found = new Set<Activity>();
  const sorted = rows.filter(({ channelType }) => channelType === 'compute').sort((a, b) => a.startNs - b.startNs);
  let last: Activity | undefined;
  for (const row of sorted) {
    if (last !== undefined && row.startNs < last.endNs) found.add(row).add(last);
    if (last === undefined || row.endNs > last.endNs) last = row;
  }
  return [...found];
}

/** The latest of the ends that is no later than `until`. */
const lastUntil = (ends: readonly number[], until: number): number =>
  ends.reduce((last, end) => (end <= until && end > last ? end : last), Number.NEGATIVE_INFINITY);

/** Where a copy's times are; null for one between host buffers. */
export function copyPath({ direction, src, dst }: Activity): string | null {
  if (direction === 'd2d') return 'copies.d2d';
  if (direction !== 'h2d' && direction !== 'd2h') return null;
  const hostMemory = direction === 'h2d' ? src : dst;
  return isHostMemory(hostMemory) ? `copies.${direction}.${hostMemory === 'pageable' ? 'pageable' : 'pinned'}` : null;
}

export const durationOf = ({ startNs, endNs }: Activity): number => endNs - startNs;

/** Lanes hold whole nanoseconds. */
export const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= 1 + 0.001 * other;

export const lengthOf = (row: Activity | undefined, without: number): number | undefined =>
  row === undefined ? undefined : Math.max(0, durationOf(row) - without);
