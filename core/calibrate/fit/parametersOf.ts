/** The parameters of a profile that the simulation of a program looks at: what else is changed, changes nothing of it. */
import type { DeviceProfile } from '../../simulator/profile.ts';
import { simulate } from '../../simulator/simulate.ts';
import type { RecordedRun } from './recordedRun.ts';

/** Dotted paths of its numbers and tables, as 'copies.h2d.pinned.device'. */
export function parametersOf(
  { program, filled }: Pick<RecordedRun, 'program' | 'filled'>,
  profile: DeviceProfile,
): ReadonlySet<string> {
  const found = new Set<string>();
  simulate(program, watched(profile, '', found), { filled });
  return found;
}

function watched<Section extends object>(section: Section, path: string, found: Set<string>): Section {
  const inner = new Map<PropertyKey, unknown>();
  return new Proxy(section, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key !== 'string') return value;
      const own = path === '' ? key : `${path}.${key}`;
      if (typeof value === 'number' || Array.isArray(value)) found.add(own);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      if (!inner.has(key)) inner.set(key, watched(value, own, found));
      return inner.get(key);
    },
  });
}
