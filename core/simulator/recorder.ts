/**
 * A machine as recorded runs show it: a recorder makes calls longer, parts copies that would follow at once, and each
 * iteration begins with caches that the preparation of the buffers has emptied. Only for comparisons with recorded runs.
 */
import type { DeviceProfile } from './profile.ts';
import type { TimePoint } from './table.ts';

type Recorder = NonNullable<DeviceProfile['recorder']>;

const hostKeys = ['startNs', 'stepGapNs', 'tensorNs'] as const;
const firstCallKeys = ['firstNs', 'coldFirstNs', 'newPart', 'coldNewPart'] as const;

/** The machine while it is recorded; as it is where the profile doesn't say what a recorder costs. */
export function whileRecording(profile: DeviceProfile): DeviceProfile {
  const { recorder, ...rest } = profile;
  if (recorder === undefined) return profile;
  const added = changed(rest, recorder, 1);
  return {
    ...added,
    queue: { ...added.queue, copyGapNs: (rest.queue.copyGapNs ?? 0) + recorder.copyGapNs },
    host: {
      ...added.host,
      startNs: (rest.host.startNs ?? 0) + recorder.startNs,
      stepGapNs: (rest.host.stepGapNs ?? 0) + recorder.stepGapNs,
      tensorNs: (rest.host.tensorNs ?? 0) + recorder.tensorNs,
    },
    calls: {
      ...added.calls,
      firstNs: (rest.calls.firstNs ?? 0) + recorder.firstNs,
      coldFirstNs: (rest.calls.coldFirstNs ?? 0) + recorder.coldFirstNs,
      newPart: (rest.calls.newPart ?? 0) + recorder.newPart,
      coldNewPart: (rest.calls.coldNewPart ?? 0) + recorder.coldNewPart,
    },
  };
}

/** The machine by itself, of which `recorded` is known, as `base` parts the two. */
export function withoutRecorder(recorded: DeviceProfile, base: DeviceProfile): DeviceProfile {
  const { recorder } = base;
  if (recorder === undefined) return recorded;
  const own = changed(recorded, recorder, -1);
  const rest = (value: number | undefined, without: number | undefined): number =>
    Math.max(0, (value ?? 0) - (without ?? 0));
  return {
    ...own,
    queue: restored(own.queue, base.queue, 'copyGapNs'),
    host: hostKeys.reduce((host, key) => restored(host, base.host, key), own.host),
    calls: firstCallKeys.reduce((calls, key) => restored(calls, base.calls, key), own.calls),
    recorder: {
      ...recorder,
      copyGapNs: rest(recorded.queue.copyGapNs, base.queue.copyGapNs),
      startNs: rest(recorded.host.startNs, base.host.startNs),
      stepGapNs: rest(recorded.host.stepGapNs, base.host.stepGapNs),
      tensorNs: rest(recorded.host.tensorNs, base.host.tensorNs),
      firstNs: rest(recorded.calls.firstNs, base.calls.firstNs),
      coldFirstNs: rest(recorded.calls.coldFirstNs, base.calls.coldFirstNs),
      newPart: rest(recorded.calls.newPart, base.calls.newPart),
      coldNewPart: rest(recorded.calls.coldNewPart, base.calls.coldNewPart),
    },
  };
}

/** What the base says of a parameter, or that it says nothing. */
function restored<Section extends object>(section: Section, base: Section, key: keyof Section & string): Section {
  const { [key]: _, ...others } = section;
  return { ...others, ...(base[key] === undefined ? {} : { [key]: base[key] }) } as Section;
}

/** Calls that take no time at all would be as wrong as those that take less. */
const leastNs = 1;

function changed(
  profile: DeviceProfile,
  { callNs, copyCallNs = callNs, nodeCallNs, nodeNs, copyNodeNs }: Recorder,
  sign: 1 | -1,
): DeviceProfile {
  const by = (value: number, ns: number): number => (sign > 0 ? value + ns : Math.max(leastNs, value - ns));
  const table = (points: readonly TimePoint[]): TimePoint[] =>
    points.map(({ bytes, ns }) => ({ bytes, ns: by(ns, copyCallNs) }));
  const copy = <Times extends { readonly call: TimePoint[] }>(times: Times): Times => ({
    ...times,
    call: table(times.call),
  });
  const { copies, calls, memset, hostFunction, graph } = profile;
  return {
    ...profile,
    copies: {
      h2d: { pinned: copy(copies.h2d.pinned), pageable: copy(copies.h2d.pageable) },
      d2h: { pinned: copy(copies.d2h.pinned), pageable: copy(copies.d2h.pageable) },
      d2d: copy(copies.d2d),
    },
    calls: { ...calls, launchNs: by(calls.launchNs, callNs), coldLaunchNs: by(calls.coldLaunchNs, callNs) },
    memset: { ...memset, call: memset.call.map(({ bytes, ns }) => ({ bytes, ns: by(ns, callNs) })) },
    hostFunction: { ...hostFunction, callNs: by(hostFunction.callNs, callNs) },
    graph: {
      ...graph,
      launchKernelNodeNs: by(graph.launchKernelNodeNs, nodeCallNs),
      launchCopyNodeNs: by(graph.launchCopyNodeNs, nodeCallNs),
      kernelNodeNs: by(graph.kernelNodeNs, nodeNs),
      copyGapNs: by(graph.copyGapNs, copyNodeNs),
    },
  };
}
