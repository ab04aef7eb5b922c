/** What windows are told of a calibration on a cluster comes in the order in which it happened. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ClusterCalibration } from '../../../core/service/machines.ts';
import { noSettings } from '../../../core/slurm/settings.ts';
import { Clusters } from '../../../host/service/clusters.ts';
import { SlurmSettingsStore } from '../../../host/slurm/settingsStore.ts';
import { eventually } from '../../unit/support/eventually.ts';

/** What is read next waits for this. */
const disk = vi.hoisted(() => ({ next: Promise.resolve() }));
async function read(): Promise<void> {
  const { next } = disk;
  disk.next = Promise.resolve();
  await next;
}

let late = (): void => {};
vi.mock('../../../host/slurm/clusterOne.ts', () => ({
  runOne: async ({ onJobs }: { onJobs(counts: object): void }) => {
    disk.next = new Promise((resolve) => {
      late = resolve;
    });
    onJobs({ running: 1, waiting: 0, reason: '' });
  },
}));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-told-'));
  writeFileSync(join(folder, 'sbatch'), '', { mode: 0o755 });
  vi.spyOn(SlurmSettingsStore.prototype, 'get').mockImplementation(() => read().then(() => noSettings));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

it.each([null, 'login'])('its end is told last, also where reading is slow, with %j', async (host) => {
  const told: (ClusterCalibration | null | undefined)[] = [];
  const clusters = new Clusters({
    ...{ dataFolder: folder, program: folder, environment: { PATH: folder } },
    assets: { readProfile: async () => ({}) } as never,
    machines: {
      options: async () => ({ host: 'login', build: '', environment: {} }),
      tell: (_: string, { calibration }: { calibration: ClusterCalibration }) =>
        read().then(() => told.push(calibration)),
    } as never,
    events: { ownClusterChanged: (state) => void told.push(state?.calibration) },
  });
  await clusters.calibrate(host, { engine: 'sim', quick: true });
  await new Promise(setImmediate);
  late();
  await eventually(() => expect(told).toHaveLength(3));
  const underWay = told.map((calibration) => calibration?.isUnderWay);
  expect(underWay).toEqual([...underWay].sort().reverse());
  expect(underWay.at(-1)).toBe(false);
});
