/** Reactions of a window when the host reports changed device profiles. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { summarizeLazily } from '../../../core/explain/summary/summary.ts';
import { windowSummary } from '../../../core/explain/summary/windowSummary.ts';
import type { HostService, ProfileSummary } from '../../../core/service/service.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { readProfile } from '../../../renderer/store/engines.ts';
import { setService } from '../../../renderer/store/host.ts';
import { windowEvents } from '../../../renderer/store/hostEvents.ts';
import { indexIteration } from '../../../renderer/store/opened/iterationData.ts';
import { LoadedRun } from '../../../renderer/store/opened/loadedRun.ts';
import { assign, put, state } from '../../../renderer/store/store.ts';
import { eventually } from '../support/eventually.ts';

const asset = (path: string) => readFileSync(new URL(`../../../assets/${path}`, import.meta.url));
const shipped = JSON.parse(asset('profiles/h200.json').toString());
const another = JSON.parse(asset('profiles/rtx-4090.json').toString());
const run = decodeRun(asset('runs/overlap/pinned-side-stream.arrow'));

const own: ProfileSummary = { name: 'mine', device: 'NVIDIA H200', source: '', basis: 'measured', own: true };
const host = { profiles: [] as ProfileSummary[], profile: shipped };
setService({
  profiles: async () => host.profiles,
  readProfile: async () => host.profile,
} satisfies Partial<HostService> as unknown as HostService);

const loaded = (): LoadedRun | null => {
  const known = state().loadedRuns['measured'];
  return known?.status === 'ready' ? known.value : null;
};

it('an open run shows the profile that came with it, and the one that replaces it', async () => {
  const summary = windowSummary(summarizeLazily(run));
  const before = new LoadedRun('measured', run, indexIteration(run.trace, 0), { summary });
  put('loadedRuns', 'measured', { status: 'ready', value: before });
  assign({ profiles: [] });
  expect(before.linkLimit('h2d')).toBeNull();

  host.profiles = [own];
  windowEvents.profilesChanged();
  const limit = await eventually(() => {
    expect(loaded()?.summary?.attainable.h2d).toBeGreaterThan(0);
    return loaded()?.linkLimit('h2d') ?? 0;
  });
  expect(state().profiles).toEqual([own]);

  host.profile = another;
  windowEvents.profilesChanged();
  await eventually(() => expect(loaded()?.linkLimit('h2d')).toBeLessThan(0.9 * limit));
  expect((await readProfile('mine', () => host as never))?.name).toBe(another.name);

  host.profiles = [];
  windowEvents.profilesChanged();
  await eventually(() => expect(loaded()?.summary?.attainable.h2d).toBeNull());
});
