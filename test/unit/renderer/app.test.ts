import { describe, expect, it } from 'vitest';
import type { DeviceReport } from '../../../core/program/engine.ts';
import type { ExampleSummary, RunSummary } from '../../../core/service/service.ts';
import { effectiveEngine, engineOptions } from '../../../renderer/store/engines.ts';
import type { LoadedRun } from '../../../renderer/store/opened/loadedRun.ts';
import { pageHash, parsePageHash } from '../../../renderer/store/page.ts';
import { comparedRunIds, isOfPresent, predictionId, shownRunId } from '../../../renderer/store/select.ts';
import type { AppState } from '../../../renderer/store/types.ts';
import { experiment } from './exampleRun.ts';

const noDriver = { code: 'cuda.no-driver', message: 'There is no driver.', remedy: 'Install it.' };
const report: DeviceReport = {
  devices: [],
  driverVersion: null,
  runtimeVersion: null,
  cupti: { found: false, detail: '', version: null },
  engines: [
    { kind: 'cuda', available: false, problem: noDriver },
    { kind: 'cpu', available: true },
    { kind: 'sim', available: true },
  ],
};
const profiles = [{ name: 'h200', device: 'NVIDIA H200', source: '', basis: 'measured' as const, own: false }];

const run = (fields: Partial<RunSummary> & Pick<RunSummary, 'id'>): RunSummary => ({
  name: experiment.name,
  origin: 'simulated',
  engine: 'sim',
  status: 'complete',
  createdAt: '2026-11-20T05:00:00.000Z',
  device: 'NVIDIA H200',
  makespanNs: 1,
  builtIn: false,
  ...fields,
});
const recorded = run({ id: 'rec', origin: 'recorded', engine: 'cuda', builtIn: true });
const example: ExampleSummary = {
  id: 'overlap/pinned-side-stream',
  name: experiment.name,
  description: '',
  recordedRuns: ['rec'],
};

function stateWith(runs: readonly RunSummary[], fields: Partial<AppState> = {}): AppState {
  return {
    connection: { status: 'open', problem: null },
    about: null,
    devices: report,
    slurm: null,
    engineProblem: null,
    profiles,
    examples: [example],
    experiments: [],
    runs: Object.fromEntries(runs.map((one) => [one.id, one])),
    progress: {},
    judged: {},
    libraryReady: true,
    page: { kind: 'example', id: example.id },
    documents: { [`example:${example.id}`]: { status: 'ready', value: experiment } },
    loadedRuns: {},
    pickedRuns: {},
    pendingRuns: {},
    edits: {},
    engine: null,
    selection: null,
    cursor: { row: 0, column: 0 },
    iteration: null,
    timelineAs: 'lanes',
    colourBy: 'kind',
    search: '',
    revealed: null,
    helpOpen: false,
    licencesOpen: false,
    lessons: [],
    openedLessons: {},
    lessonDocument: null,
    lessonWaits: false,
    ...fields,
  };
}

describe('addresses', () => {
  it('come back as the page they were made from', () => {
    for (const page of [
      { kind: 'lessons' },
      { kind: 'lesson', id: 'four-cases', step: 0 },
      { kind: 'lesson', id: 'own/mine', step: 4 },
      { kind: 'glossary', term: null },
      { kind: 'glossary', term: 'pinned' },
      { kind: 'example', id: 'overlap/pinned-side-stream' },
      { kind: 'experiment', id: 'my-own' },
      { kind: 'run', id: '2026 odd % name' },
      { kind: 'compare' },
      { kind: 'compare', runs: [] },
      { kind: 'compare', runs: ['2026-11-20,a', 'recorded/overlap/b'] },
    ] as const) {
      expect(parsePageHash(pageHash(page))).toEqual(page);
    }
    expect(pageHash({ kind: 'welcome' })).toBe('');
  });

  it('addresses that name no page are refused', () => {
    for (const hash of ['', '#/', '#/elsewhere/x', '#/run/', '#/run/%E0%A4%A']) expect(parsePageHash(hash)).toBeNull();
  });
});

const options = engineOptions(report, profiles, [recorded]);

it('the engine is the picked one if it can run, else the GPU, else a simulated one', () => {
  expect(effectiveEngine(options, 'cpu')).toBe('cpu');
  expect(effectiveEngine(options, 'cuda')).toBe('sim:h200');
  const withGpu = engineOptions({ ...report, engines: [{ kind: 'cuda', available: true }] }, profiles, []);
  expect(effectiveEngine(withGpu, null)).toBe('cuda');
  expect(effectiveEngine(engineOptions(null, [], []), null)).toBeNull();
});

describe('the run that is shown', () => {
  const older = run({ id: 'older', createdAt: '2026-11-20T04:00:00.000Z' });
  const newer = run({ id: 'newer' });
  const cpu = run({ id: 'cpu', engine: 'cpu', origin: 'measured', createdAt: '2026-11-20T06:00:00.000Z' });

  it('is the newest of the chosen engine', () => {
    expect(shownRunId(stateWith([older, newer, cpu, recorded]))).toBe('newer');
    expect(shownRunId(stateWith([older, newer, cpu, recorded], { engine: 'cpu' }))).toBe('cpu');
  });

  it('is of the open experiment however often it repeats it, and not once anything else has changed', () => {
    const { environment } = experiment;
    const ofThat = (changed: Partial<typeof experiment>, id = 'older') =>
      ({ id, run: { info: { experiment: { ...experiment, ...changed } } } }) as unknown as LoadedRun;
    const more = { environment: { ...environment, iterations: environment.iterations + 10, warmups: 0 } };
    expect(isOfPresent(stateWith([]), ofThat(more))).toBe(true);
    expect(isOfPresent(stateWith([]), ofThat({ name: 'other' }))).toBe(true);
    expect(isOfPresent(stateWith([]), ofThat({ threads: [] }))).toBe(false);
    const launches = { environment: { ...environment, launchBlocking: !environment.launchBlocking } };
    expect(isOfPresent(stateWith([]), ofThat(launches))).toBe(false);
    // Each change makes a new prediction, so it is of this document or of none.
    expect(isOfPresent(stateWith([]), ofThat(more, predictionId('experiment:own')))).toBe(false);
  });

  it('is the recorded one where the engine has none', () => {
    expect(shownRunId(stateWith([cpu, recorded]))).toBe('rec');
  });

  it('is the picked one while it exists', () => {
    const picked = { pickedRuns: { [`example:${example.id}`]: 'older' } };
    expect(shownRunId(stateWith([older, newer], picked))).toBe('older');
    expect(shownRunId(stateWith([newer], picked))).toBe('newer');
  });

  it('never is a cancelled or a running one while there is another', () => {
    const cancelled = run({ id: 'cancelled', status: 'cancelled', createdAt: '2026-11-20T07:00:00.000Z' });
    const running = run({ id: 'running', status: 'running', createdAt: '2026-11-20T08:00:00.000Z' });
    expect(shownRunId(stateWith([cancelled, running, older]))).toBe('older');
    expect(shownRunId(stateWith([running]))).toBe('running');
    expect(shownRunId(stateWith([]))).toBeNull();
  });
});

describe('the comparison', () => {
  it('takes each case’s newest run of the engine, else its recorded one, else what was chosen', () => {
    expect(comparedRunIds(stateWith([run({ id: 'a' }), recorded]))).toEqual(['a']);
    expect(comparedRunIds(stateWith([recorded]))).toEqual(['rec']);
    expect(
      comparedRunIds(stateWith([run({ id: 'a' }), recorded], { page: { kind: 'compare', runs: ['rec', 'gone'] } })),
    ).toEqual(['rec']);
  });

  it('has two runs, or three if one of them is simulated', () => {
    const three = ['a', 'b', 'c'];
    const ofOrigins = (origins: readonly RunSummary['origin'][]): string[] =>
      comparedRunIds(
        stateWith(
          origins.map((origin, at) => run({ id: three[at] ?? '', origin })),
          { page: { kind: 'compare', runs: three } },
        ),
      );
    expect(ofOrigins(['measured', 'measured', 'recorded'])).toEqual(['a', 'b']);
    expect(ofOrigins(['measured', 'measured', 'simulated'])).toEqual(three);
  });
});
