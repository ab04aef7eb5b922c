import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { type Explanation, explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { type Remedy, trialOutcome } from '../../../core/explain/remedies/remedy.ts';
import { stayingCopies } from '../../../core/explain/remedies/streams.ts';
import { pinned } from '../../../core/explain/remedies/whole.ts';
import { machineOf } from '../../../core/machine/cost/machineOf.ts';
import { shownBy } from '../../../core/machine/cost/runCosts.ts';
import { lower } from '../../../core/program/lower.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { h200, h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const example = (name: string): Experiment =>
  requireExperiment(readFileSync(join(import.meta.dirname, `../../../assets/examples/${name}.json`), 'utf8'));

function explain(experiment: Experiment): Explanation {
  const explanation = explainWithRemedies(experiment, h200Machine);
  if (explanation === null) throw new Error('not simulated');
  return explanation;
}

/** Returns the remedy of the only tested verdict. */
function onlyRemedy(experiment: Experiment): Remedy {
  const { remedies } = explain(experiment);
  expect(remedies).toHaveLength(1);
  const [remedy] = remedies;
  if (remedy === undefined) throw new Error('no remedy');
  return remedy;
}

const measurement = { parameter: 'calls.wakeNs', median: 1, least: 1, most: 1, samples: 1, probe: 'made up' };

describe('remedies of the four cases', () => {
  it.each([
    ['overlap/pageable-same-stream', ['pageable-source', 'same-stream'], [/^Pin "source"/, /non-blocking stream/]],
    ['overlap/pinned-same-stream', ['same-stream'], [/non-blocking stream/]],
    ['overlap/pageable-side-stream', ['pageable-source'], [/^Pin "source"/]],
  ])('%s: takes away %j', (name, causes, steps) => {
    const remedy = onlyRemedy(example(name));
    expect(remedy).toMatchObject({ isConfirmed: true, cause: causes[0], causes });
    expect(remedy.steps).toEqual(steps.map((step) => expect.stringMatching(step)));
    expect(remedy.before.share).toBe(0);
    expect(remedy.after).toMatchObject({ cause: 'overlapped' });
    expect(remedy.after?.share).toBeGreaterThan(0.95);
    expect(remedy.gainNs).toBeGreaterThan(0);
  });

  it('has none for what overlaps already', () => {
    expect(explain(example('overlap/pinned-side-stream')).remedies).toEqual([]);
  });

  it('says how sure the gain is, surer where the machine itself was asked', () => {
    const experiment = example('overlap/pageable-same-stream');
    const { gainNs, gainInterval } = onlyRemedy(experiment);
    expect(gainInterval).toMatchObject({ level: 0.9 });
    expect(gainInterval?.lowNs).toBeLessThan(gainNs);
    expect(gainInterval?.highNs).toBeGreaterThan(gainNs);
    const measured = machineOf({ ...h200, machines: 1, measurements: [measurement] });
    const [asked] = explainWithRemedies(experiment, measured)?.remedies ?? [];
    const width = ({ lowNs = 0, highNs = 0 } = {}): number => highNs - lowNs;
    expect(width(asked?.gainInterval ?? {})).toBeLessThan(width(gainInterval ?? {}));
  });

  it('lands within 1 % of the case that was written by hand', () => {
    const written = explain(example('overlap/pinned-side-stream')).before.makespanNs;
    for (const name of ['pageable-same-stream', 'pinned-same-stream', 'pageable-side-stream']) {
      const after = onlyRemedy(example(`overlap/${name}`)).after?.makespanNs ?? Number.NaN;
      expect(Math.abs(after - written) / written).toBeLessThan(0.01);
    }
  });
});

describe('the predicted gain', () => {
  const cases = ['pageable-same-stream', 'pageable-side-stream'];
  const runOf = (name: string): Run =>
    decodeRun(readFileSync(join(import.meta.dirname, `../../../assets/runs/overlap/${name}.arrow`)));
  const recorded = (name: string): number => {
    const { recordedMakespanNs, representative } = runOf(name).info.iterations;
    return recordedMakespanNs[representative] ?? Number.NaN;
  };
  const measured = (name: string): number => recorded(name) - recorded('pinned-side-stream');
  const off = (gainNs: number, measuredNs: number): number => Math.abs(gainNs - measuredNs) / measuredNs;

  it.each(cases)('gains of the recorded %s are within 10 %% of the truth', (name) => {
    const machine = machineOf(h200, shownBy(runOf(name), h200));
    const [remedy] = explainWithRemedies(example(`overlap/${name}`), machine)?.remedies ?? [];
    expect(off(remedy?.gainNs ?? Number.NaN, measured(name))).toBeLessThan(0.1);
  });

  it('without a run is within 10 % of what two runs of the same copy gained, 8 % apart', () => {
    const both = cases.map(measured).reduce((sum, ns) => sum + ns, 0) / 2;
    for (const name of cases) expect(off(onlyRemedy(example(`overlap/${name}`)).gainNs, both)).toBeLessThan(0.1);
  });
});

const size = 20 * 2 ** 20;
const parts = {
  buffers: [
    { id: 'source', memory: 'pinned' as const, bytes: size },
    { id: 'target', memory: 'device' as const, bytes: size },
    { id: 'work', memory: 'device' as const, bytes: size },
  ],
  streams: [
    { id: 'copies', flags: 'blocking' as const },
    { id: 'compute', flags: 'non-blocking' as const },
  ],
  events: [{ id: 'ready' }],
};
const copy = { op: 'copy', src: 'source', dst: 'target', stream: 'copies' };
const kernel = (stream: string, buffer = 'work') => ({
  op: 'kernel',
  kernel: { kind: 'stream', passes: 10 },
  reads: [buffer],
  writes: ['work'],
  stream,
});

it('pinning is proposed for copies that cross the link, and for none between host buffers', () => {
  const buffers = [{ id: 'pageable', memory: 'pageable' as const, bytes: size }, ...parts.buffers];
  const pageable = (dst: string) =>
    experimentOf({ ...parts, buffers }, [{ ...copy, src: 'pageable', dst }, kernel('compute')]);
  expect(pinned(pageable('target'))?.steps).toEqual(['Pin "pageable".']);
  expect(pinned(pageable('source'))).toBeNull();
});

describe('remedies of other causes', () => {
  const ready = [
    { op: 'recordEvent', event: 'ready', stream: 'copies' },
    { op: 'waitEvent', event: 'ready', stream: 'compute' },
  ];

  it('cut copy and kernel into parts where the data needs the wait, and each part still waits for its own', () => {
    const one = experimentOf(parts, [copy, ...ready, kernel('compute', 'target')]);
    const remedy = onlyRemedy(one);
    expect(remedy).toMatchObject({ cause: 'event-dependency', isConfirmed: true, after: { cause: 'overlapped' } });
    expect(remedy.steps).toEqual([expect.stringMatching(/^Cut .* into 4 parts/)]);
    const changed = applyChange(one, remedy);
    expect(findHazards(lower(changed)).hazards).toEqual([]);
    const all = changed.threads.flatMap(({ operations }) => operations);
    expect(all.filter(({ op }) => op === 'copy')).toHaveLength(4);
    expect(all.filter(({ op }) => op === 'waitEvent')).toHaveLength(4);
  });

  it('take a second stream and parts where one stream holds a copy and a kernel that needs its data', () => {
    const remedy = onlyRemedy(experimentOf(parts, [copy, kernel('copies', 'target')]));
    expect(remedy).toMatchObject({
      cause: 'same-stream',
      causes: ['same-stream', 'event-dependency'],
      isConfirmed: true,
    });
  });

  it('are refuted where the same stream is not what keeps copy and kernel apart: the kernel needs the data', () => {
    const after = { op: 'copy', src: 'target', dst: 'source', stream: 'copies' } as const;
    const found = explain(experimentOf(parts, [copy, kernel('copies', 'target'), after])).remedies;
    const remedy = found.find(({ op }) => op === 0);
    expect(remedy).toMatchObject({ cause: 'same-stream', steps: [], isConfirmed: false });
    expect(remedy?.tried).toMatchObject([
      {
        cause: 'same-stream',
        steps: [/^Move "H2D 20.0 MiB" to a non-blocking stream/, /^Record an event/].map((words) =>
          expect.stringMatching(words),
        ),
        after: { cause: 'event-dependency' },
      },
    ]);
    expect(remedy?.tried.map((trial) => trialOutcome(trial, remedy.before))).toEqual([
      expect.stringMatching(
        /^The two still don't overlap: Event wait, needed by the data; predicted makespan \d+ µs → \d+ µs\.$/,
      ),
    ]);
  });
});

it('a download stays in its stream only if the next upload brings the same bytes back', () => {
  const buffers = [
    { id: 'states', memory: 'pinned', bytes: 2 ** 21 } as const,
    { id: 'slot', memory: 'device', bytes: 2 ** 20 } as const,
  ];
  const down = { op: 'copy', src: 'slot', dst: 'states', stream: 'a' };
  const up = { op: 'copy', src: 'states', dst: 'slot', stream: 'a' };
  const staying = (srcOffset: number) =>
    stayingCopies(experimentOf({ buffers, streams: [{ id: 'a' }] }, [down, { ...up, srcOffset }])).size;
  expect([0, 2 ** 20 - 1, 2 ** 20].map(staying)).toEqual([2, 2, 0]);
});
