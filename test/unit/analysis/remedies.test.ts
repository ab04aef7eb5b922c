import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inDeviceMemory } from '../../../core/analysis/counterfactual/mapped.ts';
import { pin } from '../../../core/analysis/counterfactual/memory.ts';
import { type Explanation, explainWithRemedies } from '../../../core/analysis/counterfactual/remedies.ts';
import { type Remedy, trialOutcome } from '../../../core/analysis/counterfactual/remedy.ts';
import { findHazards } from '../../../core/analysis/hazards/hazards.ts';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Program } from '../../../core/program/program.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { h200 } from '../simulator/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const example = (name: string): Experiment =>
  requireExperiment(readFileSync(join(import.meta.dirname, `../../../assets/examples/${name}.json`), 'utf8'));

function explain(experiment: Experiment): Explanation {
  const explanation = explainWithRemedies(experiment, h200);
  if (explanation === null) throw new Error('not simulated');
  return explanation;
}

/** The remedy of the only verdict that was tested. */
function onlyRemedy(experiment: Experiment): Remedy {
  const { remedies } = explain(experiment);
  expect(remedies).toHaveLength(1);
  const [remedy] = remedies;
  if (remedy === undefined) throw new Error('no remedy');
  return remedy;
}

describe('remedies of the four cases', () => {
  it.each([
    ['overlap/pageable-same-stream', ['pageable-source', 'same-stream'], [/^Pin "source"/, /non-blocking stream/]],
    ['overlap/pinned-same-stream', ['same-stream'], [/non-blocking stream/]],
    ['overlap/pageable-side-stream', ['pageable-source'], [/^Pin "source"/]],
  ])('%s: takes away %j', (name, causes, steps) => {
    const remedy = onlyRemedy(example(name));
    expect(remedy).toMatchObject({ borneOut: true, cause: causes[0], causes });
    expect(remedy.steps).toEqual(steps.map((step) => expect.stringMatching(step)));
    expect(remedy.before.share).toBe(0);
    expect(remedy.after).toMatchObject({ cause: 'overlapped' });
    expect(remedy.after?.share).toBeGreaterThan(0.95);
    expect(remedy.gainNs).toBeGreaterThan(0);
  });

  it('has none for what overlaps already', () => {
    expect(explain(example('overlap/pinned-side-stream')).remedies).toEqual([]);
  });

  it('gains what the changed experiment saves when it is simulated itself', () => {
    const experiment = example('overlap/pageable-same-stream');
    const remedy = onlyRemedy(experiment);
    const [before, after] = [experiment, applyChange(experiment, remedy)].map((one) => explain(one).before.makespanNs);
    expect(remedy.gainNs).toBe((before ?? 0) - (after ?? 0));
    expect(remedy.gainShare).toBeCloseTo(remedy.gainNs / (before ?? 1));
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
  const recorded = (name: string): number => {
    const file = readFileSync(join(import.meta.dirname, `../../../assets/runs/overlap/${name}.arrow`));
    const { recordedMakespanNs, representative } = decodeRun(file).info.iterations;
    return recordedMakespanNs[representative] ?? Number.NaN;
  };

  it.each(['pageable-same-stream', 'pageable-side-stream'])('of %s is within 10 %% of what was recorded', (name) => {
    const measured = recorded(name) - recorded('pinned-side-stream');
    const { gainNs } = onlyRemedy(example(`overlap/${name}`));
    expect(Math.abs(gainNs - measured) / measured).toBeLessThan(0.1);
  });
});

describe('remedies keep the data right', () => {
  it.each(['races/changed-source-synchronized', 'races/early-read-synchronized'])('of %s', (name) => {
    const experiment = example(name);
    const remedy = onlyRemedy(experiment);
    expect(remedy.steps).toEqual([expect.stringMatching(/non-blocking stream/), expect.stringMatching(/^Synchronise/)]);
    expect(findHazards(lower(applyChange(experiment, remedy))).hazards).toEqual([]);
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
  const [verdict] = explain(pageable('target')).before.verdicts;
  const pinned = (experiment: Experiment) =>
    verdict === undefined ? null : pin({ experiment, program: lower(experiment), verdict }, 0);
  expect(pinned(pageable('target'))?.steps).toEqual(['Pin "pageable".']);
  expect(pinned(pageable('source'))).toBeNull();
});

describe('remedies of other causes', () => {
  it('make a stream non-blocking that the legacy default stream holds up', () => {
    const remedy = onlyRemedy(experimentOf(parts, [copy, kernel('default')]));
    expect(remedy).toMatchObject({ cause: 'legacy-default-stream', borneOut: true });
    expect(remedy.steps).toEqual(['Make stream "copies" non-blocking.']);
  });

  it('drop a wait that the data does not need', () => {
    const ready = [
      { op: 'recordEvent', event: 'ready', stream: 'copies' },
      { op: 'waitEvent', event: 'ready', stream: 'compute' },
    ];
    const remedy = onlyRemedy(experimentOf(parts, [copy, ...ready, kernel('compute')]));
    expect(remedy).toMatchObject({ cause: 'event-dependency', borneOut: true });
    expect(remedy.steps).toEqual([expect.stringMatching(/^Remove "wait for ready"/)]);
  });

  it('issue the kernel before the synchronise that held the host', () => {
    const held = [copy, { op: 'synchronizeStream', stream: 'copies' }, kernel('compute')];
    const remedy = onlyRemedy(experimentOf(parts, held));
    expect(remedy).toMatchObject({ cause: 'issued-too-late', borneOut: true });
    expect(remedy.steps).toEqual([expect.stringMatching(/^Issue "stream kernel" before "synchronize copies"/)]);
  });

  const ready = [
    { op: 'recordEvent', event: 'ready', stream: 'copies' },
    { op: 'waitEvent', event: 'ready', stream: 'compute' },
  ];

  it('cut copy and kernel into parts where the data needs the wait, and each part still waits for its own', () => {
    const one = experimentOf(parts, [copy, ...ready, kernel('compute', 'target')]);
    const remedy = onlyRemedy(one);
    expect(remedy).toMatchObject({ cause: 'event-dependency', borneOut: true, after: { cause: 'overlapped' } });
    expect(remedy.steps).toEqual([expect.stringMatching(/^Cut .* into 4 parts/)]);
    const changed = applyChange(one, remedy);
    expect(findHazards(lower(changed)).hazards).toEqual([]);
    const all = changed.threads.flatMap(({ operations }) => operations);
    expect(all.filter(({ op }) => op === 'copy')).toHaveLength(4);
    expect(all.filter(({ op }) => op === 'waitEvent')).toHaveLength(4);
  });

  it('never take away a wait that the data needs where the data is used by others as well', () => {
    const after = { op: 'copy', src: 'target', dst: 'source', stream: 'compute' } as const;
    const found = explain(experimentOf(parts, [copy, ...ready, kernel('compute', 'target'), after])).remedies;
    const remedy = found.find(({ op }) => op === 0);
    expect(remedy).toMatchObject({ cause: 'event-dependency', steps: [], after: null, borneOut: null });
  });

  it('take a second stream and parts where one stream holds a copy and a kernel that needs its data', () => {
    const remedy = onlyRemedy(experimentOf(parts, [copy, kernel('copies', 'target')]));
    expect(remedy).toMatchObject({ cause: 'same-stream', causes: ['same-stream', 'event-dependency'], borneOut: true });
  });

  it('take the queue of another stream, and still wait for the data', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const spin = (stream: string, durationNs: number) => ({
      ...{ op: 'kernel', label: `kernel ${stream}`, stream, writes: [`device-${stream}`] },
      kernel: { kind: 'spin', durationNs },
    });
    const download = (stream: string) => ({
      ...{ op: 'copy', label: `download ${stream}`, stream, src: `device-${stream}`, dst: `host-${stream}` },
    });
    const one = experimentOf(
      {
        streams: names.map((id) => ({ id })),
        buffers: names.flatMap((id) => [
          { id: `device-${id}`, memory: 'device' as const, bytes: 2 ** 20 },
          { id: `host-${id}`, memory: 'pinned' as const, bytes: 2 ** 20 },
        ]),
      },
      names.flatMap((stream) => [spin(stream, stream === 'a' ? 2_000_000 : 100_000), download(stream)]),
    );
    const { before, remedies } = explain(one);
    const verdict = before.verdicts.find(({ label }) => label === 'download e');
    expect(verdict).toMatchObject({ cause: 'copy-queues', withLabel: 'kernel a', blockedBy: 1 });
    const remedy = remedies.find(({ op }) => op === verdict?.op);
    expect(remedy).toMatchObject({ borneOut: true, after: { cause: 'overlapped' } });
    expect(remedy?.steps).toEqual([
      'Move "download e" to stream "d", whose queue of the copy engine it then uses.',
      'Record an event after "kernel e", and let stream "d" wait for it before "download e".',
    ]);
    expect(findHazards(lower(applyChange(one, { patches: remedy?.patches ?? [] }))).hazards).toEqual([]);
  });

  describe('for a copy behind a kernel on mapped memory', () => {
    const MB = 2 ** 20;
    const behind = (src: string, dst: string): Experiment =>
      experimentOf(
        {
          streams: parts.streams,
          buffers: [
            ...(['input', 'output'] as const).map((id) => ({ id, memory: 'mapped' as const, bytes: 4 * MB })),
            ...['work', 'last', 'next'].map((id) => ({ id, memory: 'device' as const, bytes: 5 * MB })),
            ...['result', 'batch'].map((id) => ({ id, memory: 'pinned' as const, bytes: 5 * MB })),
          ],
        },
        [
          { op: 'kernel', kernel: { kind: 'stream' }, reads: [src], writes: [dst], stream: 'compute' },
          src === 'input'
            ? { op: 'copy', src: 'last', dst: 'result', stream: 'copies' }
            : { op: 'copy', src: 'batch', dst: 'next', stream: 'copies' },
        ],
      );

    it.each([
      [
        'input',
        'work',
        [/^Copy "input" to device memory, "input-on-device", and let "stream kernel" read it there\.$/],
      ],
      [
        'work',
        'output',
        [/^Let "stream kernel" write device memory, "output-on-device", and copy that to "output"\.$/],
      ],
      ['input', 'output', [/^Copy "input" to device memory/, /^Let "stream kernel" write device memory/]],
      ['input', 'input', [/^Copy "input" to device memory/, /^Let "stream kernel" write device memory/]],
    ])('let it work in device memory instead of reading "%s" and writing "%s"', (src, dst, steps) => {
      const one = behind(src, dst);
      const { program, verdicts } = explain(one).before;
      const [verdict] = verdicts;
      if (verdict === undefined) throw new Error('no verdict');
      expect(verdict.cause).toBe('mapped-memory');
      const change = inDeviceMemory({ experiment: one, program, verdict });
      expect(change?.steps).toEqual(steps.map((step) => expect.stringMatching(step)));
      // What the host and the other buffers hold in the end is what they held before.
      const changed = lower(applyChange(one, { patches: change?.patches ?? [] }));
      expect(findHazards(changed).hazards).toEqual([]);
      const content = (program: Program) =>
        program.expectations
          .map(({ buffer, ...rest }) => ({ ...rest, id: program.buffers[buffer]?.id }))
          .filter(({ id }) => one.buffers.some((buffer) => buffer.id === id));
      expect(content(changed)).toEqual(content(lower(one)));
    });

    it.each([
      ['input', 'work', /^Copy "input" to device memory/],
      ['work', 'output', /^Let "stream kernel" write device memory/],
    ])('gain by that where the copy goes the other way: "%s" to "%s"', (src, dst, step) => {
      const [remedy] = explain(behind(src, dst)).remedies;
      expect(remedy).toMatchObject({ cause: 'mapped-memory', causes: ['mapped-memory'], borneOut: true });
      expect(remedy?.steps).toEqual([expect.stringMatching(step)]);
      expect(remedy?.gainShare).toBeGreaterThan(0.2);
    });
  });

  it('never issue a kernel before what brings its data, though both are in one stream', () => {
    const upload = { op: 'copy', src: 'source', dst: 'work', stream: 'compute' };
    const { before, remedies } = explain(experimentOf(parts, [copy, upload, kernel('compute', 'work')]));
    expect(before.verdicts[0]).toMatchObject({ op: 0, cause: 'queued-behind', blockedBy: 1 });
    expect(remedies.flatMap(({ steps, tried }) => [...steps, ...tried.flatMap((one) => one.steps)])).not.toContainEqual(
      expect.stringMatching(/^Issue "stream kernel" before/),
    );
  });

  it('are refuted where the same stream is not what keeps copy and kernel apart: the kernel needs the data', () => {
    const after = { op: 'copy', src: 'target', dst: 'source', stream: 'copies' } as const;
    const found = explain(experimentOf(parts, [copy, kernel('copies', 'target'), after])).remedies;
    const remedy = found.find(({ op }) => op === 0);
    expect(remedy).toMatchObject({ cause: 'same-stream', steps: [], borneOut: false });
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
      expect.stringMatching(/^Still apart then: Event wait, needed by the data; predicted makespan \d+ µs → \d+ µs\.$/),
    ]);
  });
});
