/** Places in a profile, by dotted path, as 'copies.h2d.pinned.device'. */

import type { DeviceProfile } from '../simulator/profile.ts';
import type { TimePoint } from '../simulator/table.ts';

export type Draft = Record<string, unknown>;

/** What is there; undefined where there is nothing. */
export function valueAt(draft: Draft, path: string): unknown {
  let place: unknown = draft;
  for (const step of path.split('.'))
    place = place === null || place === undefined ? undefined : (place as Draft)[step];
  return place;
}

/** The table at a path, its sizes or numbers of nodes as bytes; null where there is none. */
export function tableAt(profile: DeviceProfile, path: string): readonly TimePoint[] | null {
  const place = valueAt(profile as unknown as Draft, path);
  if (!Array.isArray(place)) return null;
  return place.map((point: { bytes?: number; nodes?: number; ns: number }) => ({
    bytes: point.bytes ?? point.nodes ?? 0,
    ns: point.ns,
  }));
}

export function put(draft: Draft, path: string, value: unknown): void {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let place: Draft = draft;
  for (const step of steps) place = place[step] as Draft;
  place[last] = value;
}

export function has(draft: Draft, path: string): boolean {
  const value = valueAt(draft, path);
  return value !== null && value !== undefined;
}

/** Whether there is a section to put a parameter into: some are there only where another parameter is known. */
export function hasSection(draft: Draft, path: string): boolean {
  const steps = path.split('.').slice(0, -1);
  return steps.length === 0 || has(draft, steps.join('.'));
}

/** Every part of the profile that has a source of its own, the innermost too. */
export function sectionsOf(draft: Draft): { readonly path: string; readonly value: Draft }[] {
  const found: { path: string; value: Draft }[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    if (path !== '' && 'source' in value) found.push({ path, value: value as Draft });
    for (const [key, inner] of Object.entries(value)) look(inner, path === '' ? key : `${path}.${key}`);
  };
  look(draft, '');
  return found;
}

/** Parameters that count something, or are bytes. */
export const wholeParameters: ReadonlySet<string> = new Set([
  ...['queue.depth', 'kernel.concurrent', 'staging.chunkBytes', 'staging.inlineBytes', 'staging.slots'],
  ...['queue.commandCopyBytes', 'queue.idleCommandCopyBytes'],
  ...['device.l2Bytes', 'host.cached.bytes', 'host.near.bytes', 'host.lastLevelBytes'],
  ...['calls.coldBytes', 'kernel.fillBytes'],
]);
