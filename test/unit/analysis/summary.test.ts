import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { overview } from '../../../core/explain/compare/overview.ts';
import { summarizeRun } from '../../../core/explain/summary/summary.ts';
import { simEngine } from '../../../core/machine/cost/simEngine.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Run, RunInfo } from '../../../core/trace/run.ts';
import { h200 } from '../machine/toy.ts';
import { drawTrace } from '../support/draw.ts';

const cases = ['pageable-same-stream', 'pinned-same-stream', 'pageable-side-stream', 'pinned-side-stream'] as const;
const engine = simEngine(async () => h200, {
  machine: { os: 'test', cpu: 'test', cores: 2 },
  version: '0.0.0',
  pause: async () => {},
});
const runs = new Map<string, Run>();
const runOf = (name: string): Run => runs.get(name) as Run;

beforeAll(async () => {
  for (const name of cases) {
    const experiment = requireExperiment(readFileSync(`assets/examples/overlap/${name}.json`, 'utf8'));
    runs.set(name, await engine.run({ experiment, program: lower(experiment), profile: 'h200' }));
  }
});

/** Throws if JSON can't represent the value: for undefined, NaN or infinity, which it drops or turns into null. */
function requirePlain(value: unknown, path = '$'): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number') {
    expect(Number.isFinite(value), path).toBe(true);
    return;
  }
  expect(typeof value, path).toBe('object');
  expect(Object.getPrototypeOf(value), path).toBe(Array.isArray(value) ? Array.prototype : Object.prototype);
  for (const [key, inner] of Object.entries(value as object)) requirePlain(inner, `${path}.${key}`);
}

describe('summary of the four examples on the simulated H200', () => {
  it.each([
    ['pageable-same-stream', 0, 'pageable-source', ['same-stream'], 'Pageable source'],
    ['pinned-same-stream', 0, 'same-stream', [], 'Same stream'],
    ['pageable-side-stream', 0, 'pageable-source', [], 'Pageable source, though in another stream'],
    ['pinned-side-stream', 1, 'overlapped', [], 'Overlapped'],
  ] as const)('%s', (name, shareOfKernel, cause, also, title) => {
    const summary = summarizeRun(runOf(name));
    expect(summary.overlap.h2dKernel.shareOfKernel).toBe(shareOfKernel);
    expect(summary.verdicts.map((one) => [one.op, one.cause, one.also, one.title])).toEqual([[0, cause, also, title]]);
    expect(summary.link.h2d.bytes).toBe(20 * 2 ** 20);
    expect(summary.makespanNs).toBe(runOf(name).info.iterations.recordedMakespanNs[0]);
  });

  it('is plain JSON that holds all of an operation', () => {
    const summary = summarizeRun(runOf('pinned-side-stream'), { attainable: () => 55e9 });
    requirePlain(summary);
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
    expect(summary).toMatchObject({
      format: 'copyscope/summary',
      version: 2,
      engine: 'sim',
      status: 'complete',
      error: null,
    });
    expect(summary.operations.map(({ op }) => op).sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(summary.operations.find(({ op }) => op === 3)).toMatchObject({
      label: 'multiply 3 passes',
      kind: 'kernel',
      lane: 'stream:legacy default',
      hostCall: 'cudaLaunchKernel',
    });
    const copy = summary.operations.find(({ op }) => op === 0);
    expect(copy).toMatchObject({ attainableBytesPerSecond: 55e9, bytes: 20 * 2 ** 20, direction: 'h2d' });
  });

  it('tells of several how many times as long as the fastest each took', () => {
    const summaries = cases.map((name) => summarizeRun(runOf(name)));
    const lines = overview(summaries);
    const spans = summaries.map(({ makespanNs }) => makespanNs ?? 0);
    expect(lines.map(({ makespanNs }) => makespanNs)).toEqual(spans);
    expect(lines.map(({ timesFastest }) => timesFastest)).toEqual(spans.map((span) => span / Math.min(...spans)));
    expect(lines.map(({ h2dKernel }) => h2dKernel?.shareOfKernel)).toEqual([0, 0, 0, 1]);
    expect(lines.map(({ verdict }) => verdict?.cause)).toEqual([
      'pageable-source',
      'same-stream',
      'pageable-source',
      'overlapped',
    ]);
  });
});

describe('summary of other runs', () => {
  const withInfo = (changes: Partial<RunInfo>, trace = runOf(cases[0]).trace): Run => ({
    info: { ...runOf(cases[0]).info, ...changes },
    trace,
  });

  it('gives the spread of iterations and what recording cost', () => {
    const iterations = {
      recordedMakespanNs: [100, 110, 300],
      recordedWallNs: [120, 140, 130],
      plainWallNs: [90, 100],
      representative: 1,
    };
    expect(summarizeRun(withInfo({ iterations })).iterations).toEqual({
      recorded: 3,
      representative: 1,
      recordedMakespanNs: { median: 110, min: 100, max: 300, count: 3 },
      recordedWallNs: { median: 130, min: 120, max: 140, count: 3 },
      plainWallNs: { median: 95, min: 90, max: 100, count: 2 },
      recordingOverheadNs: 35,
    });
  });

  it('takes the representative iteration', () => {
    const rows = { C: { kind: 'copy', op: 0, src: 'pageable', dst: 'device', bytes: 1000 } } as const;
    const trace = drawTrace(
      { rows, lanes: ['stream:s CC'], iteration: 0 },
      { rows, lanes: ['stream:s CCCCC'], iteration: 1 },
    );
    const iterations = { ...runOf(cases[0]).info.iterations, representative: 1 };
    expect(summarizeRun(withInfo({ iterations }, trace)).makespanNs).toBe(5000);
  });

  it('says what is known of a run that failed before it recorded anything', () => {
    const iterations = { recordedMakespanNs: [], recordedWallNs: [], plainWallNs: [], representative: 0 };
    const error = { code: 'engine.lost', message: 'The engine process ended.' };
    const summary = summarizeRun(withInfo({ status: 'failed', error, iterations }, drawTrace()));
    expect(summary).toMatchObject({ status: 'failed', error, makespanNs: null, operations: [], verdicts: [] });
    expect(summary.iterations).toMatchObject({ recorded: 0, recordedMakespanNs: null, recordingOverheadNs: null });
    expect(overview([summary])).toMatchObject([{ makespanNs: null, timesFastest: null, verdict: null }]);
    expect(overview([])).toEqual([]);
  });
});
