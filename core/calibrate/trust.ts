/**
 * What a probe's reading counts where the base profile is of the same kind of machine. A probe is a special case: calls
 * in it follow long waits, memory in it is empty or fresh. Recorded runs, to which the base was fitted, tell some
 * parameters better. How much the readings of three H200 machines brought predictions of the runs of each closer, against
 * the base by itself, decides (docs/calibrate.md): 1 takes the reading as it is, 0 the base.
 */
import type { DeviceProfile } from '../simulator/profile.ts';

/** The first that fits counts. */
const shares: readonly (readonly [path: RegExp, share: number])[] = [
  // Kernels find a part of what is larger in L2 too, so that its end can't be told closely.
  [/^device\.l2Bytes$/, 0],
  // Pauses of a probe leave the device idle as well, which no run does: 4.4 us in runs, 4.4 to 19 us in probes.
  [/^calls\.(coldLaunchNs|launchWarmNs)$/, 0],
  // 3.4 us in runs, which wait for work of all kinds, and 2.1 to 2.6 us behind a lone kernel.
  [/^calls\.wakeNs$/, 0],
  [/^calls\.copyWakeNs$/, 0.25],
  // Calls that find nothing to do for the fifth time take 0.3 to 0.6 us, those of runs 1.6 to 2.0.
  [/^calls\.synchronizeNs$/, 0],
  // First and lone calls: 0.5 us in runs, 1.6 to 3.1 us in probes.
  [/^calls\.eventWaitNs$/, 0.5],
  [/^calls\.(eventRecordNs|queryNs|elapsedTimeNs)$/, 0.25],
  // In a row they take turns with nothing, and differ from machine to machine twice as much as in runs.
  [/^calls\.launchNs$/, 0.5],
  [/^copies\.(h2d|d2h)\.pinned\.call$/, 0.25],
  [/^queue\.eventNs$/, 0.25],
  [/^queue\.launchToStartNs$/, 0.25],
  [/^(queue\.(sameEngine|acrossEngines)Ns|kernel\.startNs)$/, 0.5],
  [/^copies\.h2d\.pageable\.call$/, 0.5],
  [/^copies\.d2h\.pageable\.call$/, 0.75],
  [/^staging\.prepareOutNs$/, 0],
  [/^copies\.d2d\.call$/, 0.25],
  [/^memset\.call$/, 0.5],
  [/^memset\.device$/, 0.25],
  // The same again and again takes half of what runs take, which allocate between other calls.
  [/^memory\.cachedNs$/, 0],
  [/^memory\.(malloc|free|pool)/, 0.25],
  [/^queue\.throughEventNs$/, 0.75],
  // 0.99 us between kernels of the probe, 0.81 us in runs of that machine. A launch behind a wait took 1.7 us for each
  // kernel there, those of runs in a row 0.9 us; instantiating 1,000 took 3.0 ms, and 1.9 ms.
  [/^graph\.kernelNodeNs$/, 0],
  [/^graph\.launchKernelNodeNs$/, 0.25],
  [/^graph\.beginNs$/, 0.5],
  [/^graph\.(capture|end|instantiate)/, 0.25],
  [/^graph\.upload/, 0.5],
  // Two kinds of call that take turns find each other in the caches, as those of programs don't: 0.3 us, and about 1 us.
  [/^calls\.otherNs$/, 0.25],
  // Behind 64 MiB it was 58 us; behind the 4 to 20 MB of runs of that machine 8 to 14 us.
  [/^calls\.coldNs$/, 0.25],
  [/^calls\.meetingNs$/, 0.5],
  // 2.2 to 2.6 us in the runs of five machines, and 0.9 us where the probe's copies were too small to be queued.
  [/^queue\.queuedCopyNs$/, 0.25],
  [/^kernel\.(memoryLatencyNs|l2LatencyNs|arithmeticNs)$/, 0.5],
  // In two recordings of one machine the same function began 50 and 400 us behind the kernel before it.
  [/^hostFunction\.behindWorkNs$/, 0.5],
  // One thread's rates differ by a fifth from run to run of one machine, and by twice that between machines.
  [/^host\.(?!memcpyBytes|wakeNs|signalNs|residentNs)/, 0.5],
];

export function trustIn(path: string): number {
  return shares.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
}

/** Drawn towards `known` on a logarithmic scale; the reading where nothing positive is known. */
export function drawn(reading: number, known: number | null, share: number): number {
  if (share === 1 || known === null || !(known > 0) || !Number.isFinite(known)) return reading;
  if (share === 0) return known;
  return reading > 0 ? known ** (1 - share) * reading ** share : known;
}

/**
 * Rates of one host thread: others on its core only slow it, by a third or half and for a whole session. Runs of three H200
 * machines filled memory at 4.1 to 4.9 GB/s where probes minutes before had read 2.3 to 2.9; in no session was it the other
 * way round.
 */
const oneThread = /^host\.(write|read|index|random|readRandom)BytesPerSecond$/;

export const isOnlySlowed = (path: string): boolean => oneThread.test(path);

/** What of a reading counts beside what is known: `trustIn`, but what others only slow is at least that. */
export function shareOf(path: string, reading: number, known: number | null): number {
  if (known === null || !isOnlySlowed(path)) return trustIn(path);
  return reading >= known ? 1 : 0;
}

/** How far the rounds of a comparison agree: 1 where all say the same, 0 where one of them says nothing. */
export function agreement({ least, most }: { readonly least: number; readonly most: number }): number {
  return most > 0 ? least / most : 0;
}

/**
 * Of calls in a row that a benchmark timed the least mean is what they cost: slow processors and other threads only make
 * them longer. With 0.65 us for the recorder that was 0.88 to 0.92 of what launches in runs took on five H200 machines and 1.06 on a
 * sixth; their medians 0.93 to 1.13, and 1.33.
 */
export function isOnlyLengthened(path: string): boolean {
  return /^calls\.launchNs$|^copies\..*\.call$/.test(path);
}

/** What CUPTI adds to what a probe reads while it is attached, where the base's section `recorder` says it. */
export function recorded({ recorder }: DeviceProfile, path: string): number {
  if (recorder === undefined) return 0;
  if (copying.test(path)) return recorder.copyCallNs ?? recorder.callNs;
  if (issuing.test(path)) return recorder.callNs;
  if (/^graph\.launch(Kernel|Copy)NodeNs$/.test(path)) return recorder.nodeCallNs;
  if (path === 'graph.kernelNodeNs') return recorder.nodeNs;
  return path === 'graph.copyGapNs' ? recorder.copyNodeNs : 0;
}

/** Calls that put work into a stream. */
const issuing = /^memset\.call$|^calls\.(launchNs|coldLaunchNs)$|^hostFunction\.callNs$/;
const copying = /^copies\..*\.call$|^peer\..*\.call$/;
