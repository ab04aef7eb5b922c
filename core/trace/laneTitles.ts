/** Titles of lanes in a shared list. A name that exists on several devices includes its device. */
import type { LaneKind } from './trace.ts';

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
