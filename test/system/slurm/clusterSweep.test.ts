/** What becomes of points whose jobs leave no trace, with a login node that says what the test wants. */
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WindowEvents } from '../../../core/service/service.ts';
import { noSettings } from '../../../core/slurm/settings.ts';
import { doneOutcome, type KeptSweep } from '../../../host/service/keptSweep.ts';
import { SessionSweeps } from '../../../host/service/sessionSweeps.ts';
import { SweepStore } from '../../../host/service/sweepStore.ts';
import type { Cluster } from '../../../host/slurm/cluster.ts';
import { runOnCluster } from '../../../host/slurm/clusterSweep.ts';
import type { JobState, OpenedWork, PointFiles, Submission, WorkState } from '../../../host/slurm/protocol.ts';
import { WorkFolder } from '../../../host/slurm/workFolder.ts';
import { runInfo } from '../../unit/trace/fixtures.ts';
import { plan, workFrom } from './support/streamsSweep.ts';

let folder: string;
let store: SweepStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-cluster-'));
  store = new SweepStore(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const work = workFrom('login');

interface Said {
  readonly jobs: readonly JobState[];
  readonly results?: readonly PointFiles[];
}

/** Once something is submitted, jobs and results are as they are said to be. */
function cluster({ jobs, results = [] }: Said): Cluster & { readonly submitted: Submission[] } {
  const submitted: Submission[] = [];
  const look = async (): Promise<OpenedWork> => ({
    begunAt: work.createdAt,
    submissions: [...submitted],
    jobs: submitted.length === 0 ? [] : jobs,
    reached: submitted.length === 0 ? [] : results.map(({ point }) => point),
  });
  return {
    submitted,
    slurmOpen: look,
    slurmLook: look,
    slurmShow: async () => '',
    slurmSubmit: async (_, number, tasks) => submitted.push({ number, tasks, job: '1' }) > 0,
    slurmTake: async (_, points) => results.filter(({ point }) => points.includes(point)),
    slurmPrinted: async () => new Uint8Array(),
    slurmSaid: async () => '',
    slurmCancel: async () => {},
    slurmDrop: async () => {},
    slurmList: async () => [],
    close: () => {},
  };
}

const options = {
  ...{ host: 'login', plan, work, settings: noSettings, pointsPerJob: 1, again: false, settleMs: 0 },
  signal: new AbortController().signal,
  onSubmit: () => {},
  onProgress: () => {},
};

async function messages(said: Said): Promise<string[]> {
  const kept = await runOnCluster({ ...options, store, cluster: cluster(said) });
  return kept.outcomes.map((outcome) => (outcome.status === 'failed' ? outcome.error.message : 'done'));
}

/** Sweeps as a window has them, whose machine is reached as the test wants. */
const inWindow = (reach: () => Cluster | Promise<Cluster>, events: Partial<WindowEvents> = {}): SessionSweeps =>
  new SessionSweeps({
    store,
    clusterOf: async () => ({ cluster: await reach(), settings: noSettings }),
    engineOf: () => Promise.reject(new Error('no engine is asked')),
    assets: {} as never,
    events: { sweepPoint: () => {}, sweepChanged: () => {}, ...events } as WindowEvents,
  });

const completed = (task: number): JobState => ({
  submission: 0,
  task,
  job: `1_${task}`,
  state: 'COMPLETED',
  node: 'n1',
  reason: '',
});

it('says of a job that ended well without a result that it did', async () => {
  expect(await messages({ jobs: [completed(0), completed(1)] })).toEqual([
    'Slurm: job 1_0 on n1 ended with COMPLETED, and left no result.',
    'Slurm: job 1_1 on n1 ended with COMPLETED, and left no result.',
  ]);
});

it('says of a job that Slurm knows no more that it does not', async () => {
  const [message] = await messages({ jobs: [] });
  expect(message).toContain('Slurm does not say any more what became of the job');
});

it.each([
  ['no JSON', '{'],
  ['another shape', '{"status":"done"}'],
  ['a run that is missing', '{"status":"done","figures":{}}'],
])('takes a result of %s as the failure of its point', async (_, result) => {
  const results = [0, 1].map((point) => ({ point, result, run: null }));
  const [message] = await messages({ jobs: [completed(0), completed(1)], results });
  expect(message).toMatch(/^The result of point 0 can't be read: /);
});

it('goes on in a window, which hears of its jobs and points', async () => {
  await messages({ jobs: [] });
  const [{ id } = { id: '' }] = await store.list(new Set());
  const events: string[] = [];
  const ended = new Promise<void>((resolve) => {
    const sweeps = inWindow(() => cluster({ jobs: [completed(0), completed(1)], results: failing }), {
      sweepPoint: (_, { point, status }) => events.push(`${point} ${status}`),
      sweepChanged: (_, sweep) => {
        if (sweep?.slurm?.jobs) events.push(`${sweep.slurm.jobs.running} run`);
        if (sweep?.status === 'complete') resolve();
      },
    });
    void sweeps.resume(id, false);
  });
  await ended;
  const asItWas = ['0 failed', '1 failed'];
  expect(events).toEqual([...asItWas, '0 failed', '1 failed', '0 run']);
  expect((await store.list(new Set())).map(({ failed, status }) => ({ failed, status }))).toEqual([
    { failed: 2, status: 'complete' },
  ]);
});

const failing = [0, 1].map((point) => ({
  point,
  result: JSON.stringify({ status: 'failed', error: { code: 'x', message: 'no' } }),
  run: null,
}));

it('is of no cluster any more once it came from elsewhere', async () => {
  await messages({ jobs: [] });
  const [{ id } = { id: '' }] = await store.list(new Set());
  const there = new SweepStore(join(folder, 'there'));
  const kept = await there.keep(await store.read(id), new Map(), join(folder, 'there', 'part'));
  expect(await there.read(kept)).toMatchObject({ imported: true, points: 2 });
  expect((await there.read(kept)).slurm).toBeUndefined();
});

/** Every point, as another process keeps it that watches the same jobs. */
async function keepElsewhere(id: string): Promise<void> {
  const other = new SweepStore(folder);
  const result = { info: runInfo(), figures: {}, madeHere: true };
  for (const point of [0, 1]) await other.addOutcome(id, doneOutcome(id, point, result));
}

it('a point that another watcher kept meanwhile stays done', async () => {
  const told: string[] = [];
  const there = cluster({ jobs: [] });
  const dropped: WorkState = { submissions: [], jobs: [], reached: [] };
  let id = '';
  const kept = await runOnCluster({
    ...{ ...options, store },
    cluster: {
      ...there,
      slurmLook: async () => {
        await keepElsewhere(id);
        return dropped;
      },
    },
    onKept: (sweep) => {
      id = sweep.id;
    },
    onOutcome: ({ point, status }) => told.push(`${point} ${status}`),
  });
  expect(kept.outcomes.map(({ status }) => status)).toEqual(['done', 'done']);
  expect(told).toEqual(['0 done', '1 done']);
});

it('a result that another watcher takes between look and take is found in the library', async () => {
  const there = cluster({ jobs: [] });
  const dropped: WorkState = { submissions: [], jobs: [], reached: [] };
  let id = '';
  let looks = 0;
  const kept = await runOnCluster({
    ...{ ...options, store },
    cluster: {
      ...there,
      slurmLook: async () => (looks++ === 0 ? { ...dropped, reached: [0, 1] } : dropped),
      slurmTake: async () => {
        await keepElsewhere(id);
        return [];
      },
    },
    onKept: (sweep) => {
      id = sweep.id;
    },
  });
  expect(kept.outcomes.map(({ status }) => status)).toEqual(['done', 'done']);
});

it('a folder gives the results that are there still, each with its run', async () => {
  const there = new WorkFolder(join(folder, 'work'));
  await there.open(work);
  const run = new Uint8Array([1, 2, 3]);
  await there.keepTexts(0, '{}', run);
  await there.keepTexts(1, '{}', null);
  expect(await there.take(0)).toEqual({ point: 0, result: '{}', run });
  expect(await there.take(1)).toEqual({ point: 1, result: '{}', run: null });
  await there.drop();
  expect(await there.take(0)).toBeNull();
});

/** Waited for by what the test holds back until it opens it. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** A sweep of which nothing came, and nothing is in progress. */
const begun = (): Promise<KeptSweep> =>
  store.create({
    ...{ createdAt: work.createdAt, engine: 'cuda', profile: null, iterations: null, device: 'GPU', points: 2 },
    slurm: { host: 'login', work: '0123456789abcdef' },
    sweep: plan.document,
  });

it('a complete sweep does not go on', async () => {
  const { id } = await begun();
  await keepElsewhere(id);
  const there = cluster({ jobs: [] });
  const told: string[] = [];
  const sweeps = inWindow(() => there, {
    sweepPoint: (_, { point, status }) => told.push(`${point} ${status}`),
    sweepChanged: (_, sweep) => told.push(sweep?.status ?? 'gone'),
  });
  await expect(sweeps.resume(id, true)).rejects.toMatchObject({ code: 'sweep.complete' });
  expect(told).toEqual(['0 done', '1 done', 'complete']);
  expect(there.submitted).toEqual([]);
  expect(await store.list(new Set())).toMatchObject([{ id, done: 2 }]);
});

it('a sweep that is completed elsewhere while its machine is reached is not submitted anew', async () => {
  const { id } = await begun();
  const there = cluster({ jobs: [] });
  await new Promise<void>((close) => {
    const reach = async (): Promise<Cluster> => {
      await keepElsewhere(id);
      return { ...there, close };
    };
    void inWindow(reach).resume(id, false);
  });
  expect(there.submitted).toEqual([]);
  expect(await store.list(new Set())).toMatchObject([{ id, done: 2 }]);
});

it('a sweep that goes on brings what another process has kept of it since the window drew it', async () => {
  const { id } = await begun();
  const other = new SweepStore(folder);
  const result = { info: runInfo(), figures: {}, madeHere: true };
  await other.addOutcome(id, doneOutcome(id, 0, result));
  const told: string[] = [];
  await new Promise<void>((close) => {
    const results = failing.filter(({ point }) => point === 1);
    const there = { ...cluster({ jobs: [completed(1)], results }), close };
    void inWindow(() => there, {
      sweepPoint: (_, { point, status }) => told.push(`${point} ${status}`),
    }).resume(id, false);
  });
  expect(told).toEqual(['0 done', '1 failed']);
});

/** One cluster for all who ask it: of those that submit the same at once, one does. */
function sharedCluster(said: Said): ReturnType<typeof cluster> {
  const there = cluster(said);
  return {
    ...there,
    slurmSubmit: async (id, number, tasks, settings) =>
      there.submitted.some((submission) => submission.number === number)
        ? false
        : there.slurmSubmit(id, number, tasks, settings),
  };
}

it('the same new sweep that two processes begin at once is one', async () => {
  const there = sharedCluster({ jobs: [completed(0), completed(1)], results: failing });
  const bothAreThere = gate();
  let come = 0;
  // One that comes once the other has ended begins another sweep.
  const slurmShow = async (): Promise<string> => {
    come += 1;
    if (come === 2) bothAreThere.open();
    await bothAreThere.passed;
    return '';
  };
  const begin = (createdAt: string): Promise<KeptSweep> =>
    runOnCluster({
      ...{ ...options, cluster: { ...there, slurmShow }, store: new SweepStore(folder) },
      work: { ...work, createdAt },
    });
  const [one, other] = await Promise.all([begin(work.createdAt), begin(new Date(60_000).toISOString())]);
  expect(there.submitted).toHaveLength(1);
  expect(other.id).toBe(one.id);
  expect(await store.list(new Set())).toMatchObject([{ id: one.id, failed: 2, status: 'complete' }]);
});

it('a sweep that another process begins and ends while this one hears from Slurm is the same one', async () => {
  const there = cluster({ jobs: [completed(0), completed(1)], results: failing });
  const [asked, ended] = [gate(), gate()];
  const late = runOnCluster({
    ...{ ...options, store: new SweepStore(folder) },
    cluster: {
      ...there,
      slurmOpen: async (...args) => {
        const opened = await there.slurmOpen(...args);
        asked.open();
        await ended.passed;
        return opened;
      },
    },
  });
  await asked.passed;
  const { id } = await runOnCluster({ ...options, store, cluster: there });
  ended.open();
  expect((await late).id).toBe(id);
  expect(there.submitted).toHaveLength(1);
  expect(await store.list(new Set())).toHaveLength(1);
});

it('of two that watch the first jobs of a sweep the one that did not submit them has the same', async () => {
  const there = sharedCluster({ jobs: [completed(0), completed(1)], results: failing });
  const otherHasThem = gate();
  let other: Promise<KeptSweep> | null = null;
  const begin = { ...options, store, cluster: there };
  const slurmTake: Cluster['slurmTake'] = (...args) => {
    otherHasThem.open();
    return there.slurmTake(...args);
  };
  const one = await runOnCluster({
    ...begin,
    cluster: {
      ...there,
      slurmSubmit: async (...args) => {
        const isOurs = await there.slurmSubmit(...args);
        // Slurm has them, and the library does not yet.
        other = runOnCluster({ ...begin, store: new SweepStore(folder), cluster: { ...there, slurmTake } });
        await otherHasThem.passed;
        return isOurs;
      },
    },
  });
  expect((await (other as Promise<KeptSweep> | null))?.id).toBe(one.id);
  expect(await store.list(new Set())).toHaveLength(1);
});

it('a sweep that is begun again once it is complete is another one', async () => {
  const begin = { ...options, store, cluster: sharedCluster({ jobs: [completed(0), completed(1)], results: failing }) };
  const first = await runOnCluster(begin);
  const second = await runOnCluster(begin);
  expect(second.id).toBe(`${first.id}-2`);
  expect(second.outcomes).toHaveLength(2);
});

it('a sweep whose machine is being reached can’t be deleted', async () => {
  const { id } = await begun();
  const [asked, reached, ended] = [gate(), gate(), gate()];
  const sweeps = inWindow(async () => {
    asked.open();
    await reached.passed;
    return { ...cluster({ jobs: [completed(0), completed(1)], results: failing }), close: ended.open };
  });
  const goesOn = sweeps.resume(id, false);
  await asked.passed;
  const deleted = sweeps.whileStill([id], () => rm(join(folder, id), { recursive: true }));
  await expect(deleted).rejects.toMatchObject({ code: 'sweep.running' });
  reached.open();
  expect(await goesOn).toMatchObject({ status: 'running' });
  await ended.passed;
});

it('a sweep that is cancelled while it is submitted is cancelled once Slurm has it', async () => {
  const { id } = await begun();
  const there = cluster({ jobs: [] });
  const [asked, answered] = [gate(), gate()];
  const said: string[] = [];
  const sweeps = inWindow(() => ({
    ...there,
    slurmSubmit: async () => {
      asked.open();
      await answered.passed;
      return said.push('submitted') > 0;
    },
    slurmCancel: async () => void said.push('cancelled'),
  }));
  await sweeps.resume(id, false);
  await asked.passed;
  const cancelled = sweeps.cancel(id);
  // Time enough to cancel too early.
  await new Promise((resolve) => setTimeout(resolve, 50));
  answered.open();
  await cancelled;
  expect(said).toEqual(['submitted', 'cancelled']);
});
