/** Titles of lanes in a shared list. A name that exists on several devices includes its device. */
import type { Lane, LaneKind } from './trace.ts';

/** Prefixes of lane names; an engine's name needs none. */
export const lanePrefixes: Readonly<Record<LaneKind, string>> = {
  'host-thread': 'host ',
  stream: 'stream ',
  'copy-engine': '',
  compute: '',
};

interface Named {
  readonly name: string;
  /** Empty for a host thread. */
  readonly device: string;
}

export function laneTitles(lanes: readonly Named[]): string[] {
  const devices = new Map<string, Set<string>>();
  for (const { name, device } of lanes) {
    if (device !== '') devices.set(name, (devices.get(name) ?? new Set()).add(device));
  }
  return lanes.map(({ name, device }) =>
    device !== '' && (devices.get(name)?.size ?? 0) > 1 ? `${name} of ${device}` : name,
  );
}

/** Returns the lane of a host thread, or of a thread that helps it with a multi-tensor copy. `helper` is 0 for the host thread itself. Helpers' lanes follow their thread's lane. */
export function hostLane(thread: string, helper = 0): Lane {
  const [id, name] = helper === 0 ? [thread, thread] : [`${thread}/${helper}`, `${thread}, helper ${helper}`];
  return { kind: 'host-thread', id: `thread:${id}`, name, device: '' };
}
