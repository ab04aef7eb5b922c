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
  [/^calls\.(wakeNs|copyWakeNs)$/, 0],
  // First and lone calls: 0.5 us in runs, 1.6 to 3.1 us in probes.
  [/^calls\.(eventRecordNs|eventWaitNs|queryNs|elapsedTimeNs|synchronizeNs)$/, 0.25],
  [/^queue\.eventNs$/, 0.25],
  // Copies to the device took in runs what probes had read, or a little more.
  [/^copies\.d2h\.pageable\.call$/, 0.5],
  [/^copies\.d2d\.call$/, 0.25],
  [/^memset\.call$/, 0.5],
  [/^queue\.throughEventNs$/, 0.75],
  // 0.99 us between kernels of the probe, 0.81 us in runs of that machine. A launch behind a wait took 1.7 us for each
  // kernel there, those of runs in a row 0.9 us; instantiating 1,000 took 3.0 ms, and 1.9 ms.
  [/^graph\.kernelNodeNs$/, 0],
  [/^graph\.launchKernelNodeNs$/, 0.25],
  [/^graph\.beginNs$/, 0.5],
  [/^graph\.(end|instantiate|upload)/, 0.75],
  // Two kinds of call that take turns find each other in the caches, as those of programs don't: 0.3 us, and about 1 us.
  [/^calls\.otherNs$/, 0.25],
  // Behind 64 MiB it was 58 us; behind the 4 to 20 MB of runs of that machine 8 to 14 us.
  [/^calls\.coldNs$/, 0.25],
  [/^calls\.meetingNs$/, 0.5],
  // 2.2 to 2.6 us in the runs of five machines, and 0.9 us where the probe's copies were too small to be queued.
  [/^queue\.queuedCopyNs$/, 0.25],
  [/^kernel\.(memoryLatencyNs|l2LatencyNs|arithmeticNs)$/, 0.5],
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
