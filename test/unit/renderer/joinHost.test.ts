/** A window that is filled while things change: what was asked before a change may be answered after it was told. */
import { expect, it } from 'vitest';
import type { HostService, RunSummary, Sweep, SweepOutcome, SweepSummary } from '../../../core/service/service.ts';
import { setService } from '../../../renderer/store/host.ts';
import { joinHost, windowEvents } from '../../../renderer/store/hostEvents.ts';
import { state } from '../../../renderer/store/store.ts';
import { useSweeps } from '../../../renderer/store/sweeps.ts';
import { ensureSweep } from '../../../renderer/sweep/actions.ts';
import { eventually } from '../support/eventually.ts';

/** A question that is answered when the test says so. */
function question<Answer>() {
  const answers: ((answer: Answer) => void)[] = [];
  return { ask: () => new Promise<Answer>((resolve) => answers.push(resolve)), answers };
}

const run = (title?: string) => ({ id: 'a', name: 'Pinned', status: 'complete', title }) as unknown as RunSummary;
const none = async () => [];
const restOfHost = {
  about: async () => ({}),
  examples: none,
  lessons: none,
  experiments: none,
  runs: none,
  profiles: none,
  sweeps: none,
  recording: async () => null,
  machines: none,
  ownCluster: async () => ({}),
  devices: async () => ({ devices: [] }),
};
const serve = (host: object): void => setService({ ...restOfHost, ...host } as unknown as HostService);

it('shows what was told while its library was read', async () => {
  const lessons = question<[]>();
  serve({ runs: async () => [run()], lessons: lessons.ask });
  const { events, fill } = joinHost();
  const filled = fill();
  await eventually(() => expect(lessons.answers).toHaveLength(1));
  events.runChanged('a', run('Before the fix'));
  lessons.answers[0]?.([]);
  await filled;
  expect(state().runs['a']?.title).toBe('Before the fix');
  events.runChanged('a', null);
  expect(state().runs).toEqual({});
});

it('hears also where its library could not be read', async () => {
  serve({ runs: () => Promise.reject(new Error('the disk has gone')) });
  const { events, fill } = joinHost();
  const filled = fill();
  events.runChanged('a', run('Told'));
  await expect(filled).rejects.toThrow('the disk has gone');
  expect(state().runs['a']?.title).toBe('Told');
});

it.each(['experiments', 'profiles'] as const)(
  'shows the newer list of %s where an older one comes after it',
  async (what) => {
    const lists = question<unknown[]>();
    serve({ [what]: lists.ask });
    const changed = what === 'experiments' ? windowEvents.experimentsChanged : windowEvents.profilesChanged;
    changed();
    changed();
    await eventually(() => expect(lists.answers).toHaveLength(2));
    lists.answers[1]?.([{ name: 'new' }]);
    await eventually(() => expect(state()[what]).toEqual([{ name: 'new' }]));
    lists.answers[0]?.([{ name: 'old' }]);
    await new Promise((resolve) => setTimeout(resolve));
    expect(state()[what]).toEqual([{ name: 'new' }]);
  },
);

const sweep = (status: SweepSummary['status'], done: number) =>
  ({ id: 's', name: 'Sizes', status, done, points: 2 }) as unknown as SweepSummary;
const outcome = (point: number) => ({ point, status: 'failed', error: { code: 'a', message: 'b' } }) as SweepOutcome;
const opened = () => {
  const known = useSweeps.getState().opened['s'];
  return known?.status === 'ready' ? known.value : null;
};

it('shows the points of a sweep, and its end, that came while it was read', async () => {
  const reads = question<Sweep>();
  serve({ readSweep: reads.ask });
  windowEvents.sweepChanged('s', sweep('running', 1));
  const reading = ensureSweep('s');
  windowEvents.sweepPoint('s', outcome(1));
  windowEvents.sweepChanged('s', sweep('complete', 2));
  const document = { name: 'Sizes' } as Sweep['document'];
  reads.answers[0]?.({
    summary: sweep('running', 1),
    document,
    profile: null,
    iterations: null,
    outcomes: [outcome(0)],
  });
  await reading;
  expect(opened()).toMatchObject({ summary: sweep('complete', 2), outcomes: [outcome(0), outcome(1)] });
});

it('forgets a sweep that was deleted while it was read', async () => {
  const reads = question<Sweep>();
  serve({ readSweep: reads.ask });
  windowEvents.sweepChanged('s', null);
  const reading = ensureSweep('s');
  windowEvents.sweepChanged('s', null);
  reads.answers[0]?.({ summary: sweep('complete', 2) } as Sweep);
  await reading;
  expect(useSweeps.getState().opened).toEqual({});
});
