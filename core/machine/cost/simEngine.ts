/** The simulator as an engine, with the same requests and runs as the native engines. */
import { CopyscopeError } from '../../errors.ts';
import type { Engine, EngineRequest, RunHooks } from '../../program/engine.ts';
import type { Program } from '../../program/program.ts';
import type { InSteps } from '../../steps.ts';
import type { DeviceInfo } from '../../trace/run.ts';
import { type Run, type RunInfo, runFormat, runVersion } from '../../trace/run.ts';
import { formatBytes } from '../../units.ts';
import type { CostModel } from '../costModel.ts';
import { payloadOf, pinnedBytes } from '../multiCopyPlan.ts';
import { type DeviceProfile, profileDeviceName } from '../profile/profile.ts';
import { type SimulateOptions, type SimulationProgress, type SimulationResult, simulateInSteps } from '../simulate.ts';
import { libraryNotes } from './libraryKernels.ts';
import { profileCosts, recordingCosts } from './profileCosts.ts';

export const defaultProfile = 'h200';

/** Properties of the place where a run is made, which core can't find out itself. They don't affect a simulated run. */
export interface SimulationSite {
  readonly machine: RunInfo['machine'];
  /** Copyscope's version. */
  readonly version: string;
  /** Resolves after a turn of the event loop, so that a cancel or a redraw gets through. */
  pause(): Promise<void>;
}

/** Simulates a run in steps, like simEngine(), for a caller that drives it itself. */
export function* simulateRunInSteps(
  request: EngineRequest,
  profile: DeviceProfile,
  site: Omit<SimulationSite, 'pause'>,
  options?: SimulateOptions,
): InSteps<Run, SimulationProgress> {
  return simulatedRun(request, profile, yield* simulateInSteps(request.program, profileCosts(profile), options), site);
}

/** `readProfile` returns the profile with a name, or rejects. */
export function simEngine(readProfile: (name: string) => Promise<DeviceProfile>, site: SimulationSite): Engine {
  return {
    kind: 'sim',
    async run(request, hooks = {}) {
      hooks.onProgress?.({ phase: 'preparing', done: 0, total: 1 });
      const profile = await readProfile(request.profile ?? defaultProfile);
      const costs = request.whileRecording === true ? recordingCosts(profile) : profileCosts(profile);
      const result = await simulatePausing(request, costs, hooks, site);
      return simulatedRun(request, profile, result, site);
    },
  };
}

async function simulatePausing(
  { program }: EngineRequest,
  costs: CostModel,
  { onProgress, signal }: RunHooks,
  site: SimulationSite,
): Promise<SimulationResult> {
  requireGoingOn(signal);
  const steps = simulateInSteps(program, costs);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    onProgress?.({ phase: 'recording', done: step.value.done, total: step.value.total });
    await site.pause();
    requireGoingOn(signal);
  }
}

function requireGoingOn(signal: RunHooks['signal']): void {
  if (signal?.aborted === true) {
    throw new CopyscopeError({ code: 'run.cancelled', message: 'The simulation was cancelled.' });
  }
}

function simulatedRun(
  { experiment, program, whileRecording: isRecorded = false }: EngineRequest,
  profile: DeviceProfile,
  { trace, makespanNs, memory }: SimulationResult,
  site: Omit<SimulationSite, 'pause'>,
): Run {
  const info: RunInfo = {
    format: runFormat,
    version: runVersion,
    engine: 'sim',
    status: 'complete',
    createdAt: new Date().toISOString(),
    experiment,
    device: profileDevice(profile),
    profile: profile.name,
    ...(isRecorded && tellsRecorder(profile) ? { whileRecording: true } : {}),
    machine: site.machine,
    versions: { copyscope: site.version, driver: null, runtime: null, cupti: null },
    timing: 'simulated',
    iterations: {
      recordedMakespanNs: [makespanNs],
      recordedWallNs: [makespanNs],
      plainWallNs: [makespanNs],
      representative: 0,
    },
    ...(memory.length > 0 ? { memory: [...memory] } : {}),
    verification: { bytesChecked: 0, bytesWrong: 0, checks: [], unverified: [] },
    notes: [
      `Predicted from the profile "${profile.name}" (${profileDeviceName(profile)}). ${profile.source}`,
      ...memoryNotes(program, profile),
      ...libraryNotes(program, profile),
      ...managedNotes(program, profile),
      ...(isRecorded ? [recorderNote(profile)] : []),
      'A simulation moves no data, so there is nothing to verify.',
    ].map((note) => note.slice(0, 2000)),
  };
  return { info, trace };
}

/** Returns a note on large page-locked memory, and for each device without enough memory for its buffers. */
function memoryNotes(program: Program, { device: { name, memoryBytes } }: DeviceProfile): string[] {
  const { buffers, devices, multiCopies } = program;
  const pinned = buffers.reduce(
    (sum, { memory, bytes }) => sum + (['device', 'pageable', 'managed'].includes(memory) ? 0 : bytes),
    multiCopies.reduce((sum, plan) => sum + pinnedBytes(plan) + (plan.memory === 'pinned' ? payloadOf(plan) : 0), 0),
  );
  const hostNote = `Its host needs ${formatBytes(pinned)} of RAM for page-locked memory, which is never swapped out. The profile doesn't say how much RAM the host has.`;
  const deviceNotes = devices.flatMap(({ id }, index) => {
    const own = buffers.filter(({ memory, device }) => memory === 'device' && device === index);
    // Buffers allocated by operations need not exist at once, but each must fit next to those from before the run.
    const [before, most] = own.reduce(
      ([sum, largest], { allocated, bytes: size }) =>
        allocated === 'before-run' ? [sum + size, largest] : [sum, Math.max(largest, size)],
      [0, 0],
    );
    if (before + most <= memoryBytes) return [];
    const [needed, has] = [formatBytes(before + most), formatBytes(memoryBytes)];
    return [
      `It would not run: "${id}" needs at least ${needed} for its buffers, and the ${name} has ${has}. CUDA fails with cudaErrorMemoryAllocation.`,
    ];
  });
  return pinned > memoryBytes ? [hostNote, ...deviceNotes] : deviceNotes;
}

function managedNotes({ buffers }: Program, { name, parameters }: DeviceProfile): string[] {
  if (buffers.every(({ memory }) => memory !== 'managed')) return [];
  const from =
    parameters['managed.inBytesPerSecond'] === undefined
      ? ` The profile "${name}" has no rates of its own: these are of an H200.`
      : '';
  return [`Times of managed memory are approximate: its pages move at one rate each way.${from}`];
}

const tellsRecorder = ({ parameters }: DeviceProfile): boolean => parameters['recorder.callNs'] !== undefined;

const recorderNote = (profile: DeviceProfile): string =>
  !tellsRecorder(profile)
    ? `This prediction leaves out what recording costs: the profile "${profile.name}" doesn't have it. Recorded runs of short operations take longer.`
    : 'This prediction includes what recording costs, so that you can compare it with a recorded run. Without a recorder the program takes less.';

/** Returns the profile's device in the form that engines report; it has no bus address. */
export function profileDevice(profile: DeviceProfile): DeviceInfo {
  const { device } = profile;
  const { computeCapability, asyncEngineCount, multiprocessors, memoryBytes, linkGeneration, linkWidth } = device;
  const name = profileDeviceName(profile);
  const facts = { name, computeCapability, asyncEngineCount, multiprocessors, memoryBytes, linkGeneration, linkWidth };
  return { index: 0, pciBusId: '', ...facts };
}
