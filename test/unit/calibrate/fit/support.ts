/** Machines like a known one, and runs as they would record them. */
import { recordedRun } from '../../../../core/calibrate/fit/recordedRun.ts';
import type { Experiment } from '../../../../core/experiment/experiment.ts';
import { lower } from '../../../../core/program/lower.ts';
import { type DeviceProfile, parseProfile } from '../../../../core/simulator/profile.ts';
import { simulate } from '../../../../core/simulator/simulate.ts';
import type { Run } from '../../../../core/trace/run.ts';

/** What no run tells, and what a factor would break. */
const kept =
  /^(device|format|version|name|basis|measurements)|source$|slots|chunkBytes|inlineBytes|ommandCopyBytes|concurrent|depth|Shares|host\.(threads|cached|near)|launchWarm|coldBytes|lastLevelBytes|residentNs|freshFactor|fillBytes|LeavesAtPart|besideMappedPart|raggedNs|[bB]esideCopyNs|launchGapNs/;

/** Each number, and each table as a whole, made smaller or larger by up to two fifths. */
export function changedProfile(profile: DeviceProfile, seed: number): DeviceProfile {
  // By its path, so that a new parameter leaves the others as they were.
  const factor = (path: string): number => {
    let state = seed;
    for (const letter of path) state = (Math.imul(state, 31) + letter.charCodeAt(0)) >>> 0;
    return Math.exp((((Math.imul(state, 2_654_435_761) >>> 0) % 2 ** 20) / 2 ** 20 - 0.5) * 0.7);
  };
  const changed = (value: unknown, path: string): unknown => {
    if (kept.test(path)) return value;
    // A large copy goes at the rate of its link.
    const [, direction] = /^link\.(h2d|d2h)BytesPerSecond$/.exec(path) ?? [];
    if (typeof value === 'number' && direction !== undefined)
      return value / factor(`copies.${direction}.pinned.device`);
    if (typeof value === 'number') return value * factor(path);
    if (Array.isArray(value)) {
      const by = factor(path);
      return value.map((point: { ns: number }) => ({ ...point, ns: point.ns * by }));
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, changed(inner, path === '' ? key : `${path}.${key}`)]),
    );
  };
  return parseProfile(changed(profile, ''));
}

export const simulatedRun = (id: string, experiment: Experiment, machine: DeviceProfile) =>
  recordedRun(id, runOf(experiment, machine));

export function runOf(experiment: Experiment, machine: DeviceProfile, changes: Partial<Run['info']> = {}): Run {
  const { trace, makespanNs } = simulate(lower(experiment), machine);
  const times = { recordedMakespanNs: [makespanNs], recordedWallNs: [makespanNs], plainWallNs: [makespanNs] };
  const info: Run['info'] = {
    ...{ format: 'copyscope/run', version: 1, engine: 'sim', status: 'complete', timing: 'simulated' },
    ...{ createdAt: '2026-11-20T12:00:00.000Z', experiment, device: null, profile: machine.name, machine: null },
    versions: { copyscope: '0', driver: null, runtime: null, cupti: null },
    iterations: { ...times, representative: 0 },
    verification: { bytesChecked: 0, bytesWrong: 0, checks: [], unverified: [] },
    notes: [],
    ...changes,
  };
  return { info, trace };
}
