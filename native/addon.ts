/** The addon's interface, the places where it is searched, and the errors if it is missing. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CopyscopeError, type ErrorInfo } from '../core/errors.ts';
import type { DeviceInfo } from '../core/trace/run.ts';
import { layout } from './layout.ts';

export interface AddonReport {
  readonly withCuda: boolean;
  /** Link generation and width are 0 if unknown. */
  readonly devices: readonly DeviceInfo[];
  /** CUDA's version number (13000 is 13.0); 0 if there is none. */
  readonly driverVersion: number;
  readonly runtimeVersion: number;
  /** CUDA's error if the devices can't be listed, else empty. */
  readonly error: string;
  readonly cuptiFound: boolean;
  readonly cuptiDetail: string;
  readonly cuptiVersion: number;
}

/** A program as numeric tables (encode.ts). */
export interface AddonRequest {
  readonly engine: number;
  readonly eventTiming: number;
  /** Positions among the devices that CUDA shows to the process. */
  readonly devices: Float64Array;
  readonly iterations: number;
  readonly warmups: number;
  readonly launchBlocking: number;
  readonly peerAccess: number;
  readonly poolReleaseThreshold: number;
  readonly bufferIds: readonly string[];
  readonly streamIds: readonly string[];
  readonly signalIds: readonly string[];
  readonly graphIds: readonly string[];
  readonly buffers: Float64Array;
  readonly streams: Float64Array;
  readonly events: Float64Array;
  readonly signals: Float64Array;
  readonly threadDevices: Float64Array;
  readonly threads: readonly Float64Array[];
  readonly expectations: Float64Array;
  readonly libraryCalls: Float64Array;
  readonly results: Float64Array;
  readonly multiCopies: Float64Array;
  readonly multiCopySizes: readonly Float64Array[];
  /** Begin in the source and in the destination, and bytes, of each block. */
  readonly blockTables: readonly Float64Array[];
  /** Checksum of all tables. */
  readonly checksum: number;
}

interface RowColumns {
  /** Nanoseconds from the start of the row's iteration. */
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly bytes: Float64Array;
  readonly op: Int32Array;
  readonly correlation: Int32Array;
  readonly iteration: Int32Array;
  readonly kind: Uint8Array;
}

export interface HostColumns extends RowColumns {
  readonly thread: Int32Array;
  /** 0 for the host thread itself, 1 and up for threads that help it with a multi-tensor copy. */
  readonly worker: Int32Array;
  readonly call: Uint8Array;
}

export interface DeviceColumns extends RowColumns {
  readonly stream: Int32Array;
  readonly channel: Int32Array;
  readonly channelType: Uint8Array;
  readonly src: Uint8Array;
  readonly dst: Uint8Array;
}

export interface CheckColumns {
  /** -1 for the check after the last iteration. */
  readonly op: Int32Array;
  readonly buffer: Int32Array;
  /** Number of the multi-tensor copy whose targets were compared; -1 for a buffer. */
  readonly multiCopy: Int32Array;
  readonly checked: Float64Array;
  readonly wrong: Float64Array;
  readonly firstWrong: Float64Array;
}

/** Results of elapsedTime operations, one element for each execution in a recorded iteration. */
interface ElapsedColumns {
  readonly op: Int32Array;
  readonly iteration: Int32Array;
  readonly durationNs: Float64Array;
}

/** Memory of one allocator at the end of the last recorded iteration. */
export interface AddonMemory {
  /** Index into memoryAllocators. */
  readonly allocator: number;
  /** Index into the program's devices; -1 for host memory. */
  readonly device: number;
  readonly allocatedBytes: number;
  readonly peakAllocatedBytes: number;
  readonly reservedBytes: number;
  readonly peakReservedBytes: number;
  readonly allocations: number;
  readonly segmentsAllocated: number;
  readonly segmentsFreed: number;
  readonly retries: number;
  readonly failures: number;
  /** Six numbers per block: segment, offset, bytes, requested bytes, stream (-1 for none) and state. */
  readonly blocks: Float64Array;
  readonly reservedSteps: Readonly<Record<'timeNs' | 'bytes', Float64Array> & Record<'iteration', Int32Array>>;
}

export interface AddonResult {
  readonly host: HostColumns;
  readonly device: DeviceColumns;
  readonly checks: CheckColumns;
  readonly recordedWallNs: Float64Array;
  readonly plainWallNs: Float64Array;
  readonly elapsed: ElapsedColumns;
  readonly memory: readonly AddonMemory[];
  readonly timing: string;
  readonly notes: readonly string[];
}

export interface AddonEvent {
  readonly phase?: number;
  readonly done?: number;
  readonly total?: number;
  readonly error?: Error;
  /** Data recorded so far, while the run goes on. */
  readonly partial?: AddonResult;
  /** Data recorded before the error, if there is one. */
  readonly result?: AddonResult;
}

export interface Addon {
  readonly layout: string;
  report(): AddonReport;
  /** Returns the run's number. The listener must not throw. */
  start(request: AddonRequest, listener: (event: AddonEvent) => void): number;
  cancel(run: number): boolean;
  /** Returns the first bytes of a region with this content; kind is an index into patternKinds. */
  contentBytes(kind: number, value: number, multiplier: number, offset: number, length: number): Uint8Array;
}

const buildCommand = 'npm run build:native';
const fileName = 'copyscope.node';
/** Folders of the addon below a program's folder: built there, or from a package. */
const addonFolders = [
  join('native', 'build', 'Release'),
  join('native', 'prebuilds', `${process.platform}-${process.arch}`),
];

const inProgram = (program: string): string[] => addonFolders.map((folder) => join(program, folder));

/** Returns paths in the order of trying: next to a packed asar, next to the sources, above a bundle in dist. */
export function addonCandidates(environment: NodeJS.ProcessEnv, moduleFile: string): string[] {
  const named = environment['COPYSCOPE_ADDON'];
  if (named !== undefined && named !== '') return [named];
  const folder = dirname(moduleFile);
  const above = ['.', '..', join('..', '..'), join('..', '..', '..')].map((up) => join(folder, up));
  const { resourcesPath } = process as { resourcesPath?: string };
  const packed = resourcesPath === undefined ? [] : [join(resourcesPath, 'app.asar.unpacked')];
  return [...packed, ...above].flatMap(inProgram).map((place) => join(place, fileName));
}

/** Returns the folder of the compiled files of a program in this folder, which may be packed. */
export function addonFolder(program: string): string {
  const folders = [program.replace(/\.asar$/, '.asar.unpacked'), program].flatMap(inProgram);
  return folders.find((folder) => existsSync(folder)) ?? program;
}

/** Returns the folders of a package's files compiled for Linux, whatever this machine is. */
export const prebuiltFolders = (program: string): string[] =>
  ['linux-x64', 'linux-arm64'].map((name) =>
    join(program.replace(/\.asar$/, '.asar.unpacked'), 'native', 'prebuilds', name),
  );

/** Loads the addon. Throws a CopyscopeError `native.not-built`, `native.unloadable` or `native.stale`. */
export function loadAddon(environment: NodeJS.ProcessEnv = process.env): Addon {
  const candidates = addonCandidates(environment, fileURLToPath(import.meta.url));
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path === undefined) throw notBuilt(candidates);
  let addon: Addon;
  try {
    addon = createRequire(import.meta.url)(path) as Addon;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CopyscopeError(
      {
        code: 'native.unloadable',
        message: `The native addon at ${path} can't be loaded: ${reason}`,
        remedy: `Build it again on this machine: ${buildCommand}`,
      },
      { cause },
    );
  }
  if (addon.layout !== layout) {
    throw new CopyscopeError({
      code: 'native.stale',
      message: `The native addon at ${path} was built from other sources than this program.`,
      remedy: `Build it again: ${buildCommand}`,
    });
  }
  return addon;
}

function notBuilt(candidates: readonly string[]): CopyscopeError {
  const info = candidates.map(readBuildInfo).find((found) => found !== null);
  const reason = info?.reason ?? 'it was not built, or is not where it is looked for';
  const install = info?.remedy === null || info?.remedy === undefined ? '' : `${info.remedy} && `;
  return new CopyscopeError({
    code: 'native.not-built',
    message: `There is no native addon: ${reason}.`,
    remedy: hasSources(candidates)
      ? `Build it: ${install}${buildCommand}`
      : `This package brings none for ${process.platform}-${process.arch}. In a clone of its sources it can be built: ${buildCommand}`,
  } satisfies ErrorInfo);
}

/** Returns true if there are sources, which a package lacks. */
const hasSources = (candidates: readonly string[]): boolean =>
  candidates.some((addon) => existsSync(join(dirname(addon), '..', '..', 'CMakeLists.txt')));

interface BuildInfo {
  readonly reason: string | null;
  readonly remedy: string | null;
}

/** Reads the file that scripts/build-native.mjs wrote near the addon's place. */
function readBuildInfo(addon: string): BuildInfo | null {
  try {
    const info: unknown = JSON.parse(readFileSync(join(dirname(dirname(addon)), 'build-info.json'), 'utf8'));
    if (typeof info !== 'object' || info === null) return null;
    const { reason, remedy } = info as Record<string, unknown>;
    return {
      reason: typeof reason === 'string' ? reason : null,
      remedy: typeof remedy === 'string' ? remedy : null,
    };
  } catch {
    return null;
  }
}

const recorderName = 'libcopyscope_record.so';

/**
 * Returns the library that `copyscope record` loads into another program: COPYSCOPE_RECORD_LIBRARY, or the path next to
 * the addon. Throws `engine.unavailable` if it is missing.
 */
export function recordLibrary(environment: NodeJS.ProcessEnv): string {
  const named = environment['COPYSCOPE_RECORD_LIBRARY'];
  const candidates =
    named !== undefined && named !== ''
      ? [named]
      : addonCandidates(environment, fileURLToPath(import.meta.url)).map((addon) => join(dirname(addon), recorderName));
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path !== undefined) return path;
  throw new CopyscopeError({
    code: 'engine.unavailable',
    message: `there is no ${recorderName}: programs are recorded on Linux, with what was built where the CUDA toolkit's headers are.`,
    remedy: 'Install the CUDA toolkit, and build it: npm run build:native',
  });
}
