/** Makes a run of what was read from another tool's trace. */
import type { ErrorInfo } from '../errors.ts';
import { allRows, makespanNs } from '../trace/rows.ts';
import type { DeviceInfo } from '../trace/run.ts';
import { type ImportedFrom, type Run, type RunInfo, runFormat, runVersion, type StepTimes } from '../trace/run.ts';
import type { Trace } from '../trace/trace.ts';

export type ByteStream = AsyncIterable<Uint8Array>;

export interface ImportOptions {
  /** Name of the trace: the file's name. */
  readonly name: string;
  /** Version of this program. */
  readonly version: string;
  /** The file's date, for traces whose clock doesn't count from 1970. */
  readonly modifiedAt: Date;
  /** Called at intervals with the number of events read so far. */
  readonly onProgress?: ((events: number) => void) | undefined;
}

/** Name of a device that the file leaves empty. */
export const unnamedGpu = 'an unnamed GPU';

export interface ImportedTrace {
  readonly format: ImportedFrom['format'];
  readonly trace: Trace;
  /** Number of events in the file, whether or not they became rows. */
  readonly events: number;
  /** Milliseconds since 1970 by the file's clock; implausible values count as unknown. */
  readonly startedMs: number;
  readonly device: DeviceInfo | null;
  /** For example '13.0'; null if the file lacks it. */
  readonly driver: string | null;
  readonly runtime: string | null;
  readonly cupti: string | null;
  /** Steps that the recorder timed with and without recording. */
  readonly stepTimes?: StepTimes | undefined;
  /** Number of the process in its job; null if the file has none. */
  readonly rank?: number | null | undefined;
  /** Why not everything could be read; null if it could. */
  readonly problem: ErrorInfo | null;
  readonly notes: readonly string[];
}

export function importedRun(of: ImportedTrace, { name, version, modifiedAt }: ImportOptions): Run {
  const { trace, problem } = of;
  const info: RunInfo = {
    format: runFormat,
    version: runVersion,
    engine: 'cuda',
    status: problem === null ? 'complete' : 'failed',
    ...(problem === null ? {} : { error: problem }),
    createdAt: (isOfThisAge(of.startedMs) ? new Date(of.startedMs) : modifiedAt).toISOString(),
    experiment: null,
    imported: {
      format: of.format,
      name: name.slice(0, 200) || 'trace',
      events: of.events,
      rows: trace.count,
      ...(of.stepTimes === undefined ? {} : { stepTimes: of.stepTimes }),
      ...(of.rank == null ? {} : { rank: of.rank }),
    },
    device: of.device,
    machine: null,
    versions: { copyscope: version, driver: of.driver, runtime: of.runtime, cupti: of.cupti },
    timing: 'cupti',
    // The whole file is one iteration: a copy of one step may overlap the kernels of another.
    iterations: {
      recordedMakespanNs: trace.count === 0 ? [] : [makespanNs(trace, allRows(trace))],
      recordedWallNs: [],
      plainWallNs: [],
      representative: 0,
    },
    verification: { bytesChecked: 0, bytesWrong: 0, checks: [], unverified: [] },
    notes: [...of.notes],
  };
  return { info, trace };
}

const year2000Ms = 946_684_800_000;
const year2200Ms = 7_258_118_400_000;

/** Returns false for a clock that counts from the machine's start. */
const isOfThisAge = (ms: number): boolean => ms > year2000Ms && ms < year2200Ms;
