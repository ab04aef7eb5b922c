/** Reads a recording by copyscope record: the files of its processes become one run. */
import { CopyscopeError, type ErrorInfo } from '../../errors.ts';
import { median } from '../../statistics.ts';
import type { DeviceInfo, Run, StepTimes } from '../../trace/run.ts';
import { formatBytes, formatDuration } from '../../units.ts';
import type { ImportOptions } from '../importedRun.ts';
import { importedRun } from '../importedRun.ts';
import { MergedRanks } from '../mergedRanks.ts';
import { RecordedProcess } from './recordedProcess.ts';
import { recordedRows } from './recordedRows.ts';
import { problems } from './records.ts';

/** Smallest number of steps for a median: with fewer, a single slow one weighs too much. */
const leastSteps = 5;

/** Returns the step times of the process with the most; null if none has enough of both kinds. */
function stepTimesOf(processes: readonly RecordedProcess[]): StepTimes | null {
  const all = processes.flatMap(({ stepsNs: { recorded, plain } }) => {
    const [times, plainTimes] = [recorded, plain].map((list) => list.filter((ns) => ns > 0)) as [number[], number[]];
    if (Math.min(times.length, plainTimes.length) < leastSteps) return [];
    return {
      recordedNs: median(times),
      recordedCount: times.length,
      plainNs: median(plainTimes),
      plainCount: plainTimes.length,
    };
  });
  return all.sort((a, b) => b.recordedCount - a.recordedCount)[0] ?? null;
}

function stepTimesNote({ recordedNs, recordedCount, plainNs, plainCount }: StepTimes): string {
  const percent = 100 * (recordedNs / plainNs - 1);
  const words = `${Math.abs(percent).toFixed(1)} % ${percent < 0 ? 'less' : 'more'}`;
  return `On the host a step took ${formatDuration(recordedNs)} while it was recorded (median of ${recordedCount}), ${words} than the ${formatDuration(plainNs)} without (median of ${plainCount} around them).`;
}

/**
 * Returns the run, without an experiment. For a killed process it has everything that was written. Throws
 * `trace-file.not-a-trace` if a file isn't a recording, and `record.nothing`, with the reason, if no process could be
 * recorded.
 */
export const readRecording = (files: readonly Uint8Array[], options: ImportOptions): Run =>
  runOf(
    files.map((file) => new RecordedProcess(file)),
    options,
  );

/** Makes a run of processes; each of several ranks has its own group of lanes. Throws `record.nothing` as above. */
export function runOf(unordered: readonly RecordedProcess[], options: ImportOptions): Run {
  const all = [...unordered].sort((a, b) => a.header.startNs - b.header.startNs);
  // A process without device work, such as a loader's worker that only imports the framework, has no lanes.
  const processes = all.filter(({ rows }) => rows > 0);
  const ranks = new Set(processes.map(({ header }) => header.rank ?? noRank));
  if (ranks.size < 2 || ranks.has(noRank)) return runOfProcesses(all, processes, options).run;
  const merged = new MergedRanks();
  const ofEach = new Set<string>();
  for (const rank of [...ranks].sort((a, b) => a - b)) {
    const own = processes.filter(({ header }) => header.rank === rank);
    const { run, startNs } = runOfProcesses(own, own, options);
    for (const note of run.info.notes) ofEach.add(note);
    merged.add(run, startNs);
  }
  const { info, trace } = merged.finish(options.name);
  const ofAll = notesOf(all, processes, 0, info.imported?.stepTimes ?? null);
  const notes = [...info.notes.filter((note) => !ofEach.has(note)), ...ofAll].map((note) => note.slice(0, 2000));
  return { info: { ...info, notes }, trace };
}

/** Rank of a process outside a job. */
const noRank = -1;

function runOfProcesses(
  all: readonly RecordedProcess[],
  processes: readonly RecordedProcess[],
  options: ImportOptions,
): { readonly run: Run; readonly startNs: number } {
  const [first] = processes;
  if (first === undefined) throw nothingRecorded(all);
  const { trace, startNs, incomplete, full } = recordedRows(processes);
  const stepTimes = stepTimesOf(processes);
  const damaged = processes.reduce((sum, { damagedChunks }) => sum + damagedChunks, 0);
  const run = importedRun(
    {
      format: 'copyscope-record',
      stepTimes: stepTimes ?? undefined,
      trace,
      events: processes.reduce((sum, { records }) => sum + records, 0),
      startedMs: startedMs(first, startNs),
      device: processes.flatMap(usedDevice)[0] ?? null,
      driver: null,
      runtime: null,
      cupti: String(first.header.cupti),
      rank: first.header.rank === noRank ? null : first.header.rank,
      problem: full !== null ? cutError(trace.count, full) : damaged > 0 ? damagedError(damaged) : null,
      notes: notesOf(all, processes, incomplete, stepTimes).map((note) => note.slice(0, 2000)),
    },
    options,
  );
  return { run, startNs };
}

/** Returns the first device that a process used, if the recording names it. */
function usedDevice({ devices, streams }: RecordedProcess): readonly DeviceInfo[] {
  let first = Number.POSITIVE_INFINITY;
  for (const stream of streams) first = Math.min(first, stream);
  const used = first === Number.POSITIVE_INFINITY ? 0 : Math.floor(first / 2 ** 32);
  return [devices.get(used) ?? []].flat();
}

/** Converts from the monotonic clock, which counts from the machine's start: the header has a wall-clock time. */
const startedMs = ({ header }: RecordedProcess, startNs: number): number =>
  Number(BigInt(header.wallClockNs) / 1_000_000n) + (startNs - header.startNs) / 1e6;

const damagedError = (chunks: number): ErrorInfo => ({
  code: 'trace-file.malformed',
  message: `${chunks} parts of the recording are damaged and left out.`,
  remedy: 'Copy the files again, or record the program again.',
});

const cutError = (rows: number, reason: string): ErrorInfo => ({
  code: 'trace-file.too-large',
  message: `after ${rows} rows the recording can't be read on: ${reason}.`,
  remedy: 'Record fewer steps, with --steps or --duration.',
});

const problemRemedies: Readonly<Record<number, string>> = {
  [problems.noCupti]: "Install CUPTI of the program's own CUDA version (it comes with the toolkit and with PyTorch).",
  [problems.otherSubscriber]:
    'Only one tool at a time can have CUPTI: run the program without the other one (torch.profiler, Nsight Systems, a debugger).',
};

/** Describes why a process has no recording. */
export function problemWords({ code, reason }: { readonly code: number; readonly reason: string }): string {
  switch (code) {
    case problems.noCupti:
      return `CUPTI can't be used: ${reason}`;
    case problems.otherSubscriber:
      return `CUPTI is in use by ${reason}`;
    default:
      return reason;
  }
}

/** Note if steps were requested and the program marked none. */
const noSteps =
  'No NVTX range of the program appeared, so no step could be counted: mark steps with torch.cuda.nvtx.range_push("step") and range_pop().';

/** Returns whether steps were requested, and none began before the process ended. */
const missedSteps = ({ header, stepsBegun }: RecordedProcess): boolean => header.steps === true && stepsBegun === 0;

function nothingRecorded(all: readonly RecordedProcess[]): CopyscopeError {
  const refusal = all.map(({ refusal: one }) => one).find((one) => one !== null) ?? null;
  if (refusal === null) {
    return new CopyscopeError({
      code: 'record.nothing',
      message: all.some(missedSteps)
        ? noSteps
        : `CUDA was initialised, and no copy, kernel or wait was recorded.${stepsSeen(all)}`,
      remedy: 'Leave out --delay and --steps, or let the program run longer.',
    });
  }
  return new CopyscopeError({
    code: refusal.code === problems.noCupti ? 'engine.unavailable' : 'record.nothing',
    message: `${problemWords(refusal)}.`.replace('..', '.'),
    remedy: problemRemedies[refusal.code] ?? 'Update the NVIDIA driver, and record the program again.',
  });
}

function stepsSeen(all: readonly RecordedProcess[]): string {
  const most = Math.max(
    0,
    ...all.flatMap(({ header, stepsBegun }) => (header.steps === true ? (stepsBegun ?? 0) : [])),
  );
  return most === 0 ? '' : ` The program began ${most} steps.`;
}

function notesOf(
  all: readonly RecordedProcess[],
  processes: readonly RecordedProcess[],
  incomplete: number,
  stepTimes: StepTimes | null,
): string[] {
  const sum = (of: (process: RecordedProcess) => number): number =>
    processes.reduce((total, process) => total + of(process), 0);
  const stacks = sum(({ stacksTaken }) => stacksTaken);
  const dropped = sum(({ droppedByCupti }) => droppedByCupti);
  const withoutRoom = sum(({ withoutRoom: one }) => one);
  const copies = sum(({ copies: { count } }) => count);
  const bytes = sum(({ copies: one }) => one.bytes);
  const kernels = sum(({ kernels: count }) => count);
  const light = processes.some(({ header }) => header.light);
  const killed = processes.filter(({ endedInOrder }) => !endedInOrder).map(({ header }) => header.pid);
  return [
    `Recorded: ${copies} copies (${formatBytes(bytes)}), ${light ? 'no kernels' : `${kernels} kernels`}, ${sum(({ waits }) => waits)} waits, in ${processes.length === 1 ? 'one process' : `${processes.length} processes`}.`,
    ...(light ? ['Recorded in light mode, without kernels: whether kernels overlapped copies is unknown.'] : []),
    ...(stacks === 0
      ? []
      : [
          `The lines of ${stacks} calls were recorded, which took ${formatDuration(sum(({ stacksNs }) => stacksNs))} in all.`,
        ]),
    ...(processes.some(missedSteps) ? [`${noSteps} A stretch of 10 s was recorded instead.`] : []),
    ...(dropped === 0 ? [] : [`CUPTI dropped ${dropped} records: counts and times are too low.`]),
    ...(withoutRoom === 0 ? [] : [`${withoutRoom} records were lost, since the disk was too slow.`]),
    ...killed.map((pid) => `Process ${pid} ended abnormally: its last half second or so may be missing.`),
    ...all.flatMap(({ header, refusal }) =>
      refusal === null ? [] : [`Process ${header.pid} was not recorded: ${problemWords(refusal)}`],
    ),
    ...processes.flatMap(profilerNote),
    ...(incomplete === 0 ? [] : [`${incomplete} records have no usable time or place and are left out.`]),
    ...(stepTimes === null
      ? ['Data was not checked, and the same work was not timed without recording.']
      : [stepTimesNote(stepTimes), 'Data was not checked.']),
  ];
}

/** torch.profiler requests CUPTI at its start, and gets nothing; its end waits for the device at a known place. */
function profilerNote(process: RecordedProcess): string[] {
  if (!process.ranTorchProfiler) return [];
  return [
    `Process ${process.header.pid} ran torch.profiler while it was recorded: only one tool at a time can have CUPTI, so its own trace contains no GPU activity. Run it without one of the two.`,
  ];
}
