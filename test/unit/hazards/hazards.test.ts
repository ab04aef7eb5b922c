import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { withEvidence } from '../../../core/explain/hazards/evidence.ts';
import { findConflictsInSteps } from '../../../core/explain/hazards/find.ts';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { hazardNote } from '../../../core/explain/hazards/races.ts';
import { checkExperiment, hazardsOf, repairOf } from '../../../core/explain/hazards/repair.ts';
import { lower } from '../../../core/program/lower.ts';
import { atOnce } from '../../../core/steps.ts';
import { experimentOf, fault } from '../support/experiments.ts';

type Operations = readonly object[];

const buffers = [
  { id: 'pinned', memory: 'pinned', bytes: 4096 },
  { id: 'pageable', memory: 'pageable', bytes: 4096 },
  { id: 'device', memory: 'device', bytes: 4096 },
  { id: 'block', memory: 'device', bytes: 4096, allocated: 'by-operation' },
  { id: 'page', memory: 'pageable', bytes: 4096, allocated: 'by-operation' },
  { id: 'tensor', memory: 'pinned', bytes: 4096, allocated: 'by-operation' },
] as const;
const parts = {
  buffers: [...buffers],
  streams: [{ id: 'a' }, { id: 'b' }, { id: 'blocking', flags: 'blocking' as const }],
  events: [{ id: 'start' }, { id: 'end' }],
  signals: [{ id: 'go' }],
};
const of = (...threads: Operations[]): Experiment => experimentOf(parts, ...threads);

/** Returns hazards as 'kind first-second'. */
const found = (experiment: Experiment): string[] =>
  findHazards(lower(experiment)).hazards.map(({ kind, first, second }) => `${kind} ${first.op}-${second.op}`);

const example = (name: string): Experiment =>
  requireExperiment(readFileSync(join(import.meta.dirname, `../../../assets/examples/races/${name}.json`), 'utf8'));

describe('the shipped races', () => {
  it.each([
    ['changed-source-pinned', ['source-changed-in-flight 1-2']],
    ['changed-source-pageable', []],
    ['changed-source-synchronized', []],
    ['early-read', ['read-before-arrival 1-2']],
    ['early-read-synchronized', []],
    ['unordered-streams', ['unordered-streams 1-2']],
    ['unordered-streams-event', []],
  ])('%s: %j', (name, expected) => {
    expect(found(example(name))).toEqual(expected);
  });

  it.each(['changed-source-pinned', 'early-read', 'unordered-streams'])('%s is repaired by its change', (name) => {
    const experiment = example(name);
    const [hazard] = checkExperiment(experiment).hazards;
    expect(hazard?.change?.steps).toHaveLength(1);
    if (hazard?.change == null) return;
    expect(found(applyChange(experiment, hazard.change))).toEqual([]);
  });
});

it('notes the number of hazards with a run, or that a long program was not checked', () => {
  expect(hazardNote(example('unordered-streams'))).toContain('check finds 1 hazard:');
  expect(hazardNote(example('unordered-streams-event'))).toBeNull();
  expect(hazardNote(null)).toBeNull();
  const work = { op: 'work', durationNs: 1 } as const;
  expect(hazardNote(of(Array.from({ length: 20_001 }, () => work)))).toContain('checked');
});

it('finds the unordered copy into the last of 100 buffers that a kernel reads', () => {
  const read = Array.from({ length: 100 }, (_, index) => ({ id: `in${index}`, memory: 'device', bytes: 64 }) as const);
  const kernel = { kind: 'spin', durationNs: 10 } as const;
  const experiment = experimentOf({ ...parts, buffers: [...buffers, ...read] }, [
    { op: 'kernel', kernel, reads: read.map(({ id }) => id), stream: 'a' },
    { op: 'copy', src: 'pinned', dst: 'in99', stream: 'b' },
  ]);
  expect(found(experiment)).toEqual(['unordered-streams 0-1']);
});

describe('evidence', () => {
  const experiment = example('changed-source-pinned');
  const check = { kind: 'final', buffer: 'target', op: -1, bytesChecked: 100, bytesWrong: 40, firstWrong: 0 } as const;
  const others = { ...check, buffer: 'unrelated', bytesWrong: 7 };

  it('counts the wrong bytes in what the hazard can spoil, and no others', () => {
    const verification = { bytesChecked: 200, bytesWrong: 47, checks: [check, others], unverified: [] };
    const report = withEvidence(checkExperiment(experiment), lower(experiment), verification);
    expect(report.hazards[0]?.evidence).toEqual({
      bytesChecked: 100,
      bytesWrong: 40,
      wrong: [{ buffer: 'target', op: -1, bytesWrong: 40 }],
    });
  });

  it('no evidence is given if nothing was checked', () => {
    const verification = { bytesChecked: 0, bytesWrong: 0, checks: [], unverified: [] };
    const report = withEvidence(checkExperiment(experiment), lower(experiment), verification);
    expect(report.hazards[0]?.evidence).toBeNull();
  });
});

describe('allocated memory', () => {
  const use = { op: 'memset', buffer: 'block', stream: 'b' };
  const allocate = (allocator: string) => ({ op: 'allocate', buffer: 'block', allocator, stream: 'a' });
  const free = { op: 'free', buffer: 'block', stream: 'a' };

  it('needs an order if the caching allocator hands a block of pending work to a buffer of another stream', () => {
    const wait = [
      { op: 'recordEvent', event: 'start', stream: 'a' },
      { op: 'waitEvent', event: 'start', stream: 'b' },
    ];
    const work = { ...use, stream: 'a' };
    const again = [allocate('caching'), use, { op: 'recordStream', buffer: 'block', stream: 'b' }, free];
    const first = [allocate('caching'), work, free];
    expect(found(of([...first, ...again]))).toEqual(['reused-unordered 1-4']);
    expect(found(of([...first, allocate('caching'), ...wait, ...again.slice(1)]))).toEqual([]);
    expect(found(of([...first, { op: 'synchronizeStream', stream: 'a' }, ...again]))).toEqual([]);
    // Blocks of one stream are handed to no other.
    expect(found(of([...first, { ...allocate('caching'), stream: 'b' }, use, free]))).toEqual([]);
    // The second round gets the block of the first.
    const handOver = [
      { op: 'recordEvent', event: 'end', stream: 'b' },
      { op: 'waitEvent', event: 'end', stream: 'a' },
    ];
    const round = { op: 'repeat', count: 2, operations: [allocate('caching'), use, ...handOver, work, free] };
    expect(found(of([round]))).toEqual(['reused-unordered 5-2']);
  });

  it('is repaired by a wait for the stream that had the memory before', () => {
    const experiment = fault('caching-reuse-side-stream');
    const [hazard, ...others] = checkExperiment(experiment).hazards;
    expect(others).toEqual([]);
    expect(hazard).toMatchObject({ kind: 'reused-unordered', buffer: 'b' });
    expect(checkExperiment(applyChange(experiment, hazard?.change ?? { patches: [] })).hazards).toEqual([]);
  });

  it('is repaired by recording the stream', () => {
    const experiment = of([allocate('caching'), use, free]);
    const change = checkExperiment(experiment).hazards[0]?.change;
    expect(change?.patches).toEqual([
      { op: 'add', path: ['threads', 0, 'operations', 2], value: { op: 'recordStream', buffer: 'block', stream: 'b' } },
    ]);
    expect(hazardsOf(experiment).hazards.map((_, index) => repairOf(experiment, index))).toEqual([change]);
  });

  it('from a pool lives in stream order', () => {
    const ordered = [
      allocate('pool'),
      { op: 'recordEvent', event: 'start', stream: 'a' },
      { op: 'waitEvent', event: 'start', stream: 'b' },
      use,
      { op: 'recordEvent', event: 'end', stream: 'b' },
      { op: 'waitEvent', event: 'end', stream: 'a' },
      free,
    ];
    expect(found(of(ordered))).toEqual([]);
    expect(found(of(ordered.toSpliced(2, 1)))).toEqual(['used-before-allocated 0-2']);
    expect(found(of(ordered.toSpliced(5, 1)))).toEqual(['freed-in-use 3-5']);
  });

  it('is announced by a record_stream that surely comes before the free', () => {
    const record = { op: 'recordStream', buffer: 'block', stream: 'b' };
    const [signal, wait] = [
      { op: 'signal', signal: 'go' },
      { op: 'waitSignal', signal: 'go' },
    ];
    expect(found(of([allocate('caching'), signal, record], [wait, use, free]))).toEqual(['reused-in-use 4-5']);
    expect(found(of([allocate('caching'), record, signal], [wait, use, free]))).toEqual([]);
  });

  it('memory of one name is not the same if two threads allocate and free it in no order', () => {
    const own = [allocate('caching'), { ...use, stream: 'a' }, free];
    expect(found(of(own, own))).toEqual(['unordered-threads 2-3']);
    expect(findHazards(lower(of(own, own))).hazards[0]?.explanation).toMatch(
      /allocate or free "block".*both may get the memory/,
    );
  });

  it('freed by one thread while another may still come to use it', () => {
    const first = [allocate('cuda-malloc'), { op: 'signal', signal: 'go' }, free];
    expect(found(of(first, [{ op: 'waitSignal', signal: 'go' }, use]))).toEqual(['used-after-free 2-4']);
  });
});

/** They race where nothing waits between them. */
const copy = { op: 'copy', src: 'pinned', dst: 'device', stream: 'a' };
const write = { op: 'write', buffer: 'pinned', pattern: { kind: 'constant', value: 1 } };

describe('loops', () => {
  const loop = (count: number, ...operations: object[]) => ({ op: 'repeat', count, operations });

  it.each([2, 1000, 1_000_000])('carry a race from one of %i rounds to the next', (count) => {
    expect(found(of([loop(count, write, copy)]))).toEqual(['source-changed-in-flight 2-1']);
    expect(found(of([loop(count, write, copy, { op: 'synchronizeStream', stream: 'a' })]))).toEqual([]);
  });

  it('say where they were not followed to the end', () => {
    expect(findHazards(lower(of([loop(1_000_000, copy)]))).limits).toEqual([expect.stringMatching(/3 rounds/)]);
    expect(findHazards(lower(of([loop(1000, copy)]))).limits).toEqual([]);
  });

  it('are repaired where the race comes from the round before', () => {
    const experiment = of([loop(10, write, copy)]);
    const change = checkExperiment(experiment).hazards[0]?.change;
    expect(change?.steps).toEqual([expect.stringContaining('Synchronise stream "a"')]);
  });
});

describe('a wait before the record of its event', () => {
  const kernel = { op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 }, reads: ['device'], stream: 'b' };
  const recorded = (event: string, stream: string) => ({ op: 'recordEvent', event, stream });
  const waitFor = (event: string, stream: string) => ({ op: 'waitEvent', event, stream });
  const round = [
    waitFor('start', 'b'),
    write,
    waitFor('end', 'a'),
    copy,
    recorded('start', 'a'),
    kernel,
    recorded('end', 'b'),
    { op: 'synchronizeEvent', event: 'end' },
  ];
  const kinds = (experiment: Experiment) => findHazards(lower(experiment)).hazards.map(({ kind }) => kind);

  it('is the root of every hazard that it leaves, and the repair of each leaves none', () => {
    const experiment = of([{ op: 'repeat', count: 4, operations: round }]);
    const { hazards } = checkExperiment(experiment);
    expect(kinds(experiment)).toEqual(['source-changed-in-flight', 'unordered-streams']);
    for (const { change } of hazards) expect(kinds(applyChange(experiment, change ?? { patches: [] }))).toEqual([]);
  });

  it('no reader moves before what it reads is written', () => {
    const operations = round.filter((one) => one !== write && one.op !== 'synchronizeEvent');
    const experiment = of([{ op: 'repeat', count: 4, operations }]);
    const change = checkExperiment(experiment).hazards[0]?.change ?? { patches: [] };
    const [loop] = applyChange(experiment, change).threads[0]?.operations ?? [];
    const order = loop?.op === 'repeat' ? loop.operations.map(({ op }) => op) : [];
    expect(order.indexOf('kernel')).toBeGreaterThan(order.indexOf('copy'));
    expect(kinds(applyChange(experiment, change))).toEqual([]);
  });
});

describe('host threads', () => {
  it('are repaired with one', () => {
    const experiment = of([copy], [write]);
    const change = checkExperiment(experiment).hazards[0]?.change;
    expect(change === undefined || change === null ? null : found(applyChange(experiment, change))).toEqual([]);
  });

  it('are followed for their first calls where they and their streams are too many', () => {
    const program = lower(of([copy, copy, copy], [copy, write]));
    // Two threads and the streams of each: clocks of four entries.
    const cut = atOnce(findConflictsInSteps(program, 4 * 4));
    const whole = atOnce(findConflictsInSteps(program));
    expect(cut.limits).toEqual([expect.stringMatching(/the check covers the first 4 of its 5 calls/)]);
    expect(cut.conflicts.length).toBeLessThan(whole.conflicts.length);
    expect(whole.limits).toEqual([]);
  });
});

describe('waits without an end', () => {
  const [give, take] = [{ op: 'signal', signal: 'go' } as const, { op: 'waitSignal', signal: 'go' } as const];
  const copy = { op: 'copy', src: 'pinned', dst: 'device', stream: 'a' } as const;
  const loop = (count: number, ...operations: object[]) => ({ op: 'repeat', count, operations });
  const [giveBack, takeBack] = [
    { ...give, signal: 'back' },
    { ...take, signal: 'back' },
  ];
  const both = (...threads: Operations[]): Experiment =>
    experimentOf({ ...parts, signals: [{ id: 'go' }, { id: 'back', capacity: 2 }] }, ...threads);
  const waits = (experiment: Experiment): string[] =>
    findHazards(lower(experiment)).hazards.map(
      ({ kind, first, title, missing }) => `${kind} ${first.thread} ${first.op}: ${title}. ${missing}`,
    );

  it('are found where nobody gives the signal, with what would give it', () => {
    expect(waits(of([take, copy]))).toEqual(['endless-wait main 0: Waits for ever. No host thread signals "go".']);
    const { limits } = findHazards(lower(of([take, copy])));
    expect(limits).toEqual(['The check left out what follows "wait for go" in host thread "main".']);
    expect(findHazards(lower(of([take]))).limits).toEqual([]);
    expect(checkExperiment(of([take])).hazards).toMatchObject([{ kind: 'endless-wait', change: null }]);
  });

  it('are found where a signal is waited for once too often, and where the thread itself would give it', () => {
    expect(waits(of([loop(3, give)], [loop(4, take)]))).toEqual([
      'endless-wait thread1 3: Waits for ever. "go" is waited for more often than it is signalled.',
    ]);
    expect(waits(of([take, give]))).toEqual([
      'endless-wait main 0: Waits for ever. The same host thread signals "go" only afterwards.',
    ]);
  });

  it('are found where a signal has no room', () => {
    expect(waits(both([giveBack, giveBack, giveBack]))).toEqual([
      'endless-wait main 2: Waits for ever. "back" has room for 2, and no host thread waits for it.',
    ]);
    expect(waits(both([giveBack, giveBack, giveBack, giveBack], [takeBack]))).toEqual([
      'endless-wait main 3: Waits for ever. "back" has room for 2, and is signalled more often than that and its waits together.',
    ]);
  });

  it('are possible only where several threads give or take a signal', () => {
    expect(waits(of([give], [take], [take]))).toEqual([
      expect.stringMatching(/^endless-wait thread2 2: May wait for ever\. "go" is waited for more often/),
    ]);
  });

  it('are no more than a limit where repeats were cut short', () => {
    const { hazards, limits } = findHazards(
      lower(of([loop(4, give), loop(1_000_000, copy)], [take, take, take, take])),
    );
    expect(hazards).toEqual([]);
    expect(limits).toEqual([
      expect.stringMatching(/3 rounds/),
      'Host thread "thread1" may wait for ever at "wait for go". The check left out what follows.',
    ]);
  });
});
