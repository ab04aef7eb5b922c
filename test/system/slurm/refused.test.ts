/** Two that watch one sweep, where Slurm refuses what the first of them submits. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toErrorInfo } from '../../../core/errors.ts';
import { noSettings } from '../../../core/slurm/settings.ts';
import type { KeptSweep } from '../../../host/service/keptSweep.ts';
import { SweepStore } from '../../../host/service/sweepStore.ts';
import { runOnCluster } from '../../../host/slurm/clusterSweep.ts';
import { workId } from '../../../host/slurm/work.ts';
import { slurmWorks } from '../../../host/slurm/works.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { plan, workFrom } from './support/streamsSweep.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-refused-'));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['squeue', 'scontrol']) program(name, 'exit 0');
  // Only what was submitted by somebody else, and Slurm doesn't list, is looked for there.
  program('sacct', `: > '${join(folder, 'accounts-asked')}'`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const program = (name: string, lines: string): void =>
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });

const work = workFrom(null);
const there = (): string => join(folder, 'slurm', workId(work));

/** As a process of its own does it. What Slurm doesn't know is lost at once, so that nothing takes two minutes. */
const watch = (): Promise<KeptSweep> =>
  runOnCluster({
    ...{ host: null, plan, work, settings: noSettings, pointsPerJob: 1, again: false, settleMs: 0 },
    cluster: {
      ...slurmWorks({
        folder: join(folder, 'slurm'),
        start: ['copyscope'],
        environment: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` },
      }),
      close: () => {},
    },
    store: new SweepStore(join(folder, 'sweeps')),
    signal: new AbortController().signal,
    onSubmit: () => {},
    onProgress: () => {},
  });

/** The second watches while sbatch has not answered the first: it answers once `go` is there. */
async function both(): Promise<[first: PromiseSettledResult<KeptSweep>, second: PromiseSettledResult<KeptSweep>]> {
  const first = watch();
  first.catch(() => {});
  await eventually(() => expect(existsSync(join(there(), 'submission-0.json'))).toBe(true));
  const second = watch();
  second.catch(() => {});
  await eventually(() => expect(existsSync(join(folder, 'accounts-asked'))).toBe(true));
  writeFileSync(join(folder, 'go'), '');
  return Promise.allSettled([first, second]);
}

const waits = (): string => `while [ ! -e '${folder}/go' ]; do sleep 0.05; done`;
const refuses = 'echo "sbatch: error: invalid partition specified: nowhere" >&2; exit 1';
const said = (of: PromiseSettledResult<KeptSweep>): string =>
  of.status === 'rejected' ? toErrorInfo(of.reason).message : of.value.outcomes.map(({ status }) => status).join();

it('both are told why, and nothing is left of it', async () => {
  program('sbatch', `${waits()}\n${refuses}`);
  expect((await both()).map(said)).toEqual(Array(2).fill('sbatch: invalid partition specified: nowhere'));
  expect(readdirSync(join(folder, 'slurm'))).toEqual([]);
  expect(await new SweepStore(join(folder, 'sweeps')).list(new Set())).toEqual([]);
});

it('the second submits it, where Slurm takes it from that one', async () => {
  const result = JSON.stringify({ status: 'failed', error: { code: 'x', message: 'no' } });
  const once = `if [ ! -e '${folder}/asked' ]; then : > '${folder}/asked'; ${waits()}; ${refuses}; fi`;
  program('sbatch', `${once}\nfor point in 0 1; do echo '${result}' > points/$point.json; done\necho 1`);
  const [first, second] = await both();
  expect(said(first)).toBe('sbatch: invalid partition specified: nowhere');
  expect(second).toMatchObject({
    status: 'fulfilled',
    value: { outcomes: [0, 1].map((point) => ({ point, error: { code: 'x' } })) },
  });
});
