/** Experiments modelled on public reports (test/fixtures/experiment-faults): cause, remedy and plan of each. */
import { describe, expect, it } from 'vitest';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { checkExperiment, Effort } from '../../../core/explain/hazards/repair.ts';
import { functionsApart, waitLater } from '../../../core/explain/remedies/handover.ts';
import { type PlannedChanges, planInSteps } from '../../../core/explain/remedies/plan.ts';
import { predict } from '../../../core/explain/remedies/predict.ts';
import { costed, explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { verdictSums } from '../../../core/explain/verdicts/groups.ts';
import type { Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { atOnce } from '../../../core/steps.ts';
import { formatBytes } from '../../../core/units.ts';
import { h200Machine } from '../machine/toy.ts';
import { experimentOf, fault } from '../support/experiments.ts';

function planOf(experiment: Experiment): PlannedChanges[] {
  const before = predict(experiment, h200Machine);
  if (before === null) throw new Error('not simulated');
  return atOnce(planInSteps(before, h200Machine));
}

/** Verdicts with their tested cost, the costliest first. */
function verdictsOf(experiment: Experiment): Verdict[] {
  const explained = explainWithRemedies(experiment, h200Machine);
  if (explained === null) throw new Error('not simulated');
  return costed(explained.before.verdicts, explained.remedies, explained.before.makespanNs);
}

/** Returns the copies that the verdicts are about. */
const copiesIn = (experiment: Experiment): number =>
  predict(experiment, h200Machine)?.verdicts.reduce((sum, { occurrences }) => sum + occurrences, 0) ?? 0;

const ms = (ns: number | undefined): number => (ns ?? 0) / 1e6;

describe('causes and plans of reported faults', () => {
  it.each([
    // Cause, changes, makespan with them in ms.
    ['sglang-32575-before', 'waits-for-earlier-work', ['non-blocking'], 72.1],
    ['numba-5130-dest', 'pageable-destination', ['pin'], 52.4],
    ['numba-5130-pageable', 'pageable-source', ['pin'], 52.4],
    ['pytorch-124456', 'allocated-again', ['keep-memory'], 28],
    ['pool-771-cuda-malloc', 'allocated-again', ['keep-memory'], 1.11],
    ['pool-771-pool', 'allocated-again', ['keep-memory'], 1.11],
    ['flexkv-193-loop', 'many-small-copies', ['batch'], 0.03],
    ['flexkv-193-loop-kernel', 'many-small-copies', ['batch'], 5.03],
    ['cupy-4050', 'pageable-destination', ['delay-wait'], 1.58],
    ['deepspeed-8207-before', 'pageable-destination', ['pin', 'non-blocking'], 41.2],
    ['deepspeed-8207-nb-pageable', 'pageable-destination', ['pin'], 41.2],
    ['deepspeed-8207-blocking-pinned', 'issued-too-late', ['non-blocking'], 41.2],
    ['llamacpp-25859-pageable-overlap', 'pageable-source', ['pin'], 41.7],
    ['llamacpp-25859-pageable', 'pageable-source', ['pin', 'other-stream'], 41.7],
    ['llamacpp-25859-pinned', 'same-stream', ['other-stream'], 41.7],
    ['pageable-side-stream-no-host-work', 'pageable-source', ['pin'], 0.39],
    ['graph-each-step', 'captured-again', ['graph'], 0.73],
    ['unchanged-download', 'copied-again', ['keep-on-device', 'other-stream'], 4.39],
    ['peer-access-off', 'through-host', ['copy-directly'], 0.73],
    ['awaited-less-urgent', 'multiprocessors-full', ['priority'], 10.2],
    ['awaited-behind-weights', 'engine-busy', ['issue-later'], 5.05],
    ['work-while-idle', 'issued-too-late', ['launch-ahead'], 5.35],
    ['kv-swap-in', 'many-small-copies', ['batch'], 8.73],
    ['step-metadata', 'waits-for-earlier-work', ['non-blocking'], 131],
    ['gradient-offload', 'pageable-destination', ['pin', 'non-blocking'], 61.7],
    ['query-temporaries', 'allocated-again', ['keep-memory'], 14.4],
    ['block-swap', 'same-stream', ['other-stream'], 65.3],
    ['two-gpus', 'through-host', ['copy-directly'], 30.4],
    ['token-graph', 'captured-again', ['graph'], 12.1],
    ['optimizer-sleep', 'pageable-destination', ['pin'], 65.1],
    ['checkpoint', 'issued-too-late', ['other-thread'], 229],
    ['two-cameras', 'legacy-default-stream', ['non-blocking-stream', 'other-stream'], 11.9],
    ['metrics-callback', 'queued-behind', ['other-stream'], 123],
    ['loader', 'issued-too-late', ['delay-wait', 'other-thread'], 427],
    ['mask-readback', 'issued-too-late', ['pin', 'launch-ahead'], 29.5],
    ['decode-readback', 'issued-too-late', ['launch-ahead'], 45.5],
    ['cg-solver', 'mapped-memory', ['keep-on-device'], 4.51],
    ['kv-swap-ahead', 'many-small-copies', ['batch'], 6.75],
    ['optimizer-chunks', 'same-stream', ['other-stream', 'double-buffer'], 14.1],
    ['image-folder', 'issued-too-late', ['prepare-ahead'], 59.2],
    ['four-cameras', 'legacy-default-stream', ['launch-ahead', 'non-blocking-stream'], 14.8],
  ])('%s is held by %s, and %j leave %d ms', (name, cause, changes, leftMs) => {
    const experiment = fault(name);
    const [recommended] = planOf(experiment);
    expect(verdictsOf(experiment)[0]?.cause).toBe(cause);
    expect(recommended?.changes).toEqual(changes);
    expect(Math.abs(ms(recommended?.stepNs) / leftMs - 1)).toBeLessThan(0.1);
    const after = applyChange(experiment, { patches: recommended?.patches ?? [] });
    expect(predict(after, h200Machine)?.makespanNs).toBe(recommended?.stepNs);
    expect(checkExperiment(after).hazards).toEqual([]);
    if (['checkpoint', 'two-cameras', 'metrics-callback', 'loader'].includes(name)) expect(planOf(after)).toEqual([]);
  });

  it.each([
    'sglang-32575-after',
    'sglang-35106-nonblocking',
    'numba-5130-dest-pinned',
    'numba-5130-pinned',
    'pytorch-124456-kept',
    'cupy-4050-all',
    'cupy-4050-fixed',
    'deepspeed-8207-after',
    'llamacpp-25859-overlap',
    'pool-771-caching',
    'graph-kept',
    'peer-access-on',
    'awaited-urgent',
    'weights-in-parts',
    'layerwise-weights',
    'greedy-decode',
    'batch-metadata',
    'image-tiles',
    'rl-rollout',
  ])('%s has no plan, since no change gains', (name) => {
    expect(planOf(fault(name))).toEqual([]);
  });

  it('small copies with other work between their calls are not to be joined', () => {
    expect(verdictsOf(fault('greedy-decode')).map(({ cause }) => cause)).not.toContain('many-small-copies');
  });

  it.each([
    ['kv-staging', 'source-changed-in-flight', ['K', 'fill with V']],
    ['embedding-evict', 'reused-in-use', ['evicted rows', 'free evicted']],
    ['logits-event', 'read-before-arrival', ['logits.to("cpu", non_blocking=True)', 'sample']],
  ])('%s has one hazard, %s, and a repair', (name, kind, labels) => {
    const experiment = fault(name);
    const [hazard, ...others] = checkExperiment(experiment).hazards;
    expect(others).toEqual([]);
    expect(hazard).toMatchObject({ kind });
    expect([hazard?.first.label, hazard?.second.label]).toEqual(labels);
    expect(checkExperiment(applyChange(experiment, hazard?.change ?? { patches: [] })).hazards).toEqual([]);
  });

  it.each([
    ['group-offload', ['feed forward'], 2],
    ['engine-inputs', ['batch', 'clear the accumulators'], 1],
  ])('one event of %s orders all that meets on the same memory: after %j', (name, labels, buffers) => {
    const experiment = fault(name);
    const { hazards } = checkExperiment(experiment);
    for (const { buffer, change } of hazards) {
      const left = checkExperiment(applyChange(experiment, change ?? { patches: [] })).hazards;
      expect(left.map((one) => one.buffer)).not.toContain(buffer);
      expect(labels.some((label) => change?.steps[0]?.includes(`after "${label}"`))).toBe(true);
      expect(change?.steps).toHaveLength(1);
    }
    expect(new Set(hazards.map(({ buffer }) => buffer)).size).toBe(buffers * labels.length);
  });

  it.each(['engine-inputs', 'kv-staging', 'group-offload'])('a plan of %s first makes the data right', (name) => {
    const experiment = fault(name);
    for (const { changes, patches } of planOf(experiment)) {
      expect(changes[0]).toBe('mend-hazards');
      expect(checkExperiment(applyChange(experiment, { patches })).hazards).toEqual([]);
    }
  });

  it.each(['sglang-14214', 'event-before-record'])('%s is repaired by recording before the wait', (name) => {
    const experiment = fault(name);
    const { hazards } = checkExperiment(experiment);
    expect(hazards).toHaveLength(1);
    const after = applyChange(experiment, hazards[0]?.change ?? { patches: [] });
    expect(after.threads[0]?.operations.map(({ op }) => op).slice(0, 4)).toEqual([
      'copy',
      'recordEvent',
      'waitEvent',
      'kernel',
    ]);
    expect(checkExperiment(after).hazards).toEqual([]);
  });
});

describe('variants of these faults', () => {
  const device = (id: string, bytes = 4e6) => ({ id, memory: 'device' as const, bytes });
  const pinned = (id: string, bytes = 4e6) => ({ id, memory: 'pinned' as const, bytes });
  const pageable = (id: string, bytes = 4e6) => ({ id, memory: 'pageable' as const, bytes });
  const spin = (us: number, more: object = {}) => ({
    op: 'kernel' as const,
    kernel: { kind: 'spin' as const, durationNs: us * 1000 },
    ...more,
  });

  it('waits for each of many small uploads are removed, unless the host reads what came', () => {
    const wait = { op: 'synchronizeStream', stream: 's' } as const;
    const work = { op: 'work', durationNs: 10_000 } as const;
    const copies = (op: object) => ({ op: 'repeat' as const, count: 50, operations: [op, wait] });
    const parts = (memory: 'pinned') => ({
      buffers: [device('d'), { id: 'h', memory, bytes: 4e6 }],
      streams: [{ id: 's' }],
    });
    const upload = { op: 'copy', src: 'h', dst: 'd', bytes: 100_000, stream: 's' };
    expect(planOf(experimentOf(parts('pinned'), [copies(upload), wait]))[0]?.changes).toEqual(['remove-wait']);
    // The same loop written out: each copy is an operation of its own.
    const round = (at: number) => [{ ...upload, srcOffset: at * 100_000, dstOffset: at * 100_000 }, wait, work];
    const unrolled = experimentOf(parts('pinned'), [0, 1, 2, 3, 4, 5].flatMap(round));
    expect(verdictSums(verdictsOf(unrolled))).toMatchObject([{ cause: 'wait-after-each-copy', count: 6 }]);
    // Each round fills the memory that the copy before it still reads: a wait at the end would be too late.
    const fill = { op: 'write', buffer: 'h', bytes: 100_000, pattern: { kind: 'constant', value: 1 } } as const;
    const refilled = experimentOf(
      parts('pinned'),
      [0, 1, 2, 3].flatMap(() => [fill, upload, wait]),
    );
    expect(verdictsOf(refilled)[0]).toMatchObject({ cause: 'wait-after-each-copy' });
    expect(verdictsOf(refilled)[0]?.remedy).toContain('two buffers');
    const download = { op: 'copy', src: 'd', dst: 'h', bytes: 100_000, stream: 's' };
    const reads = {
      op: 'repeat' as const,
      count: 50,
      operations: [download, wait, { op: 'read', buffer: 'h' }],
    };
    expect(planOf(experimentOf(parts('pinned'), [reads, wait])).flatMap(({ changes }) => changes)).not.toContain(
      'remove-wait',
    );
  });

  it.each([6, 20])('a gain that the same change brings to %d copies is counted once', (rounds) => {
    const ids = Array.from({ length: rounds }, (_, at) => `w${at}`);
    const buffers = [pinned('h', 64e6), device('y'), device('n', 4096)];
    const streams = ['a', 'b'].map((id) => ({ id, flags: 'blocking' as const }));
    const experiment = experimentOf(
      { buffers: [...buffers, ...ids.map((id) => device(id, 64e6))], streams },
      ids.flatMap((id) => [
        { op: 'copy' as const, src: 'h', dst: id, stream: 'b' },
        { op: 'memset' as const, buffer: 'n', stream: 'default' },
        spin(1000, { stream: 'a', writes: ['y'] }),
        { op: 'memset' as const, buffer: 'n', stream: 'default' },
      ]),
    );
    const explained = explainWithRemedies(experiment, h200Machine);
    const [sum] = verdictSums(verdictsOf(experiment));
    expect(sum).toMatchObject({ cause: 'legacy-default-stream', count: rounds });
    expect(sum?.costNs).toBe(explained?.remedies[0]?.gainNs);
    expect(sum?.costNs).toBeGreaterThan(0.3 * (explained?.before.makespanNs ?? 0));
  });

  it('either of two directions can leave their stream, so what that gains is counted once', () => {
    const buffers = ['up', 'down'].flatMap((id) => [
      device(id, 64e6),
      { id: `host-${id}`, memory: 'pinned' as const, bytes: 64e6 },
    ]);
    const experiment = experimentOf({ buffers, streams: [{ id: 's' }] }, [
      { op: 'copy', src: 'host-up', dst: 'up', stream: 's' },
      { op: 'copy', src: 'down', dst: 'host-down', stream: 's' },
    ]);
    const makespanNs = predict(experiment, h200Machine)?.makespanNs ?? 0;
    const costs = verdictSums(verdictsOf(experiment)).map(({ costNs }) => costNs / makespanNs);
    expect(costs).toHaveLength(2);
    // Two engines can't halve it by more.
    expect(costs.reduce((total, share) => total + share, 0)).toBeLessThan(0.52);
  });

  it('causes whose changes are part of others’ don’t cost more together than the whole run', () => {
    const ids = ['a', 'b', 'c'];
    const heads = ids.flatMap((id) => [
      spin(2500, { stream: id, writes: [`n${id}`], smShare: 0.3 }),
      { op: 'item' as const, buffer: `n${id}`, stream: id },
    ]);
    const experiment = experimentOf(
      { buffers: ids.map((id) => device(`n${id}`, 4)), streams: ids.map((id) => ({ id })) },
      [...heads, ...heads],
    );
    const makespanNs = predict(experiment, h200Machine)?.makespanNs ?? 0;
    const costs = verdictSums(verdictsOf(experiment)).map(({ costNs }) => costNs);
    expect(costs.length).toBeGreaterThan(1);
    expect(costs.reduce((total, ns) => total + ns, 0)).toBeLessThan(makespanNs);
  });

  it('a free that waits for kernels holds host work, and the caching allocator lets it go on', () => {
    const buffers = [{ ...device('t', 64e6), allocated: 'by-operation' as const }];
    const free = { op: 'free' as const, buffer: 't' };
    const take = { op: 'allocate' as const, buffer: 't', allocator: 'cuda-malloc' as const };
    const kernel = spin(5000, { writes: ['t'] });
    const work = { op: 'work' as const, durationNs: 4e6 };
    const experiment = experimentOf({ buffers }, [take, kernel, free, work, spin(1000), { op: 'synchronizeDevice' }]);
    expect(verdictsOf(experiment)).toMatchObject([{ cause: 'allocation-synchronises', hostCall: 'cudaFree' }]);
    expect(planOf(experiment)[0]?.changes).toEqual(['keep-memory']);
    const last = verdictsOf(experimentOf({ buffers }, [take, kernel, work, free]));
    expect(last).toEqual([]);
  });

  it('data that is pinned in every step is a cause on the host, unless another thread pins ahead', () => {
    const pinned = (id: string, more: object) => ({ id, memory: 'pinned' as const, bytes: 64e6, ...more });
    const buffers = [
      device('d', 64e6),
      pageable('batch', 64e6),
      ...['p0', 'p1', 'p2'].map((id) => pinned(id, { allocated: 'by-operation' })),
      pinned('ready', {}),
    ];
    const step = (to: string) => [{ op: 'pin', src: 'batch', dst: to }, { op: 'copy', src: to, dst: 'd' }, spin(1000)];
    const end = { op: 'synchronizeDevice' } as const;
    const loop = (...operations: object[]) => ({ op: 'repeat' as const, count: 3, operations: operations });
    const inline = [
      experimentOf({ buffers }, [...['p0', 'p1', 'p2'].flatMap(step), end]),
      experimentOf({ buffers }, [loop(...step('p0'), end, { op: 'free', buffer: 'p0' }), end]),
    ];
    for (const experiment of inline) {
      expect(verdictsOf(experiment)[0]).toMatchObject({
        cause: 'allocated-again',
        rule: 'pin-memory-blocks',
        occurrences: 3,
      });
      const gain = explainWithRemedies(experiment, h200Machine)?.remedies.find(
        ({ cause }) => cause === 'allocated-again',
      );
      expect(gain?.gainShare).toBeGreaterThan(0.5);
    }
    const ahead = experimentOf(
      { buffers, signals: [{ id: 'go' }] },
      [loop({ op: 'waitSignal', signal: 'go' }, ...step('ready').slice(1)), end],
      [loop({ op: 'pin', src: 'batch', dst: 'p0' }, { op: 'free', buffer: 'p0' }, { op: 'signal', signal: 'go' })],
    );
    expect(verdictsOf(ahead).map(({ cause }) => cause)).not.toContain('allocated-again');
  });

  it('a wait for the device becomes one for the stream whose result is read, if the host needs no other', () => {
    const host = (id: string) => ({ id, memory: 'pinned' as const, bytes: 1e6 });
    const buffers = [device('t', 1e6), device('y', 1e6), host('h'), host('trained')];
    const streams = [{ id: 'train' }, { id: 'serve' }];
    const serving = (isTrainingRead: boolean): Experiment =>
      experimentOf({ buffers, streams }, [
        spin(11_000, { stream: 'train', writes: ['y'], smShare: 0.7 }),
        { op: 'copy', src: 'y', dst: 'trained', stream: 'train' },
        spin(200, { stream: 'serve', writes: ['t'], smShare: 0.2 }),
        { op: 'copy', src: 't', dst: 'h', stream: 'serve' },
        { op: 'synchronizeDevice' },
        { op: 'read', buffer: 'h', bytes: 4096 },
        ...(isTrainingRead ? [{ op: 'read' as const, buffer: 'trained', bytes: 4096 }] : []),
        { op: 'work', durationNs: 9e6 },
        { op: 'synchronizeStream', stream: 'train' },
      ]);
    const [recommended] = planOf(serving(false));
    expect(recommended).toMatchObject({ changes: ['remove-wait'], patches: [{ op: 'replace' }] });
    expect(recommended?.gainShare).toBeGreaterThan(0.4);
    expect(verdictsOf(serving(false))[0]).toMatchObject({
      cause: 'waits-for-earlier-work',
      hostCall: 'cudaDeviceSynchronize',
    });
    expect(verdictsOf(serving(false))[0]?.costNs).toBeGreaterThan(8e6);
    const after = applyChange(serving(false), { patches: recommended?.patches ?? [] });
    expect(after.threads[0]?.operations[4]).toMatchObject({ op: 'synchronizeStream', stream: 'serve' });
    expect(checkExperiment(after).hazards).toEqual([]);
    expect(planOf(serving(true)).flatMap(({ changes }) => changes)).not.toContain('remove-wait');
  });

  it('a wait for a download stays if host work may use it: it becomes a wait for the stream, or kernels go before the work', () => {
    const buffers = [device('w', 64e6), device('x', 1e6), pinned('y', 1e6)];
    const frames = (wait: object, training: readonly object[]) => {
      const operations = [
        ...training,
        spin(400, { writes: ['x'], stream: 'frames', smShare: 0.1 }),
        { op: 'copy', src: 'x', dst: 'y', stream: 'frames' },
        wait,
        { op: 'work', durationNs: 600_000 },
      ];
      const loop = { op: 'repeat', count: 8, operations };
      const streams = [{ id: 'train' }, { id: 'frames' }];
      return planOf(experimentOf({ buffers, streams }, [loop, { op: 'synchronizeDevice' }]))[0];
    };
    const train = [spin(1000, { writes: ['w'], stream: 'train' })];
    expect(frames({ op: 'synchronizeDevice' }, train)?.patches[0]).toMatchObject({ op: 'replace' });
    expect(frames({ op: 'synchronizeStream', stream: 'frames' }, [])?.changes).toContain('launch-ahead');
  });

  it('a wait for a download stays if the next round of its loop begins with host work', () => {
    const buffers = [device('x', 1e6), pinned('y', 1e6)];
    const operations = [
      { op: 'work', durationNs: 300_000 },
      spin(400, { writes: ['x'], stream: 's' }),
      { op: 'copy', src: 'x', dst: 'y', stream: 's' },
      { op: 'synchronizeStream', stream: 's' },
    ];
    const loop = { op: 'repeat', count: 8, operations };
    const plan = planOf(experimentOf({ buffers, streams: [{ id: 's' }] }, [loop]));
    expect(plan.flatMap(({ changes }) => changes)).not.toContain('remove-wait');
  });

  it.each([['repeat'], ['written out']])('the next kernel goes before the host work on what arrived: %s', (how) => {
    const buffers = [device('x', 1e6), pinned('y')];
    const part = (at: number) => (how === 'repeat' ? { dstStepBytes: 1e6 } : { dstOffset: at * 1e6 });
    const round = (at: number, more: object) => [
      spin(400, { writes: ['x'], stream: 's' }),
      { op: 'copy', src: 'x', dst: 'y', bytes: 1e6, stream: 's', ...part(at) },
      { op: 'synchronizeStream', stream: 's' },
      more,
    ];
    const rounds = (more: object): Experiment =>
      experimentOf(
        { buffers, streams: [{ id: 's' }] },
        how === 'repeat'
          ? [{ op: 'repeat', count: 4, operations: round(0, more) }]
          : [0, 1, 2, 3].flatMap((at) => round(at, more)),
      );
    const work = { op: 'work', durationNs: 300_000 };
    const [recommended] = planOf(rounds(work));
    expect(recommended?.changes).toContain('launch-ahead');
    const after = applyChange(rounds(work), { patches: recommended?.patches ?? [] });
    expect(checkExperiment(after).hazards).toEqual([]);
    expect(verdictsOf(rounds(work))[0]).toMatchObject({ cause: 'issued-too-late', hostCall: 'host work' });
    const short = planOf(rounds({ ...work, durationNs: 2000 }));
    expect(short.flatMap(({ changes }) => changes)).not.toContain('launch-ahead');
  });

  it('kernels of three streams are launched before the host waits for the first result', () => {
    const ids = ['a', 'b', 'c'];
    const buffers = ids.flatMap((id) => [
      device(`x${id}`),
      device(`n${id}`, 8),
      { id: `h${id}`, memory: 'pinned' as const, bytes: 8 },
    ]);
    const round = (id: string) => [
      spin(800, { reads: [`x${id}`], writes: [`n${id}`], smShare: 0.25, stream: id }),
      { op: 'copy' as const, src: `n${id}`, dst: `h${id}`, stream: id },
      { op: 'synchronizeStream' as const, stream: id },
      { op: 'read' as const, buffer: `h${id}` },
      spin(300, { reads: [`x${id}`], smShare: 0.25, stream: id }),
    ];
    const streams = ids.map((id) => ({ id }));
    const experiment = experimentOf({ buffers, streams }, [...ids.flatMap(round), { op: 'synchronizeDevice' }]);
    const [recommended] = planOf(experiment);
    expect(recommended?.changes).toEqual(['delay-wait']);
    expect(recommended?.gainShare).toBeGreaterThan(0.5);
  });

  it('kernels of each round are launched before the first value of that round is awaited', () => {
    const ids = ['a', 'b', 'c'];
    const head = (id: string) => [
      spin(1000, { writes: [`n${id}`], smShare: 0.3, stream: id }),
      { op: 'item' as const, buffer: `n${id}`, stream: id },
    ];
    const round = ids.flatMap(head);
    const experiment = experimentOf(
      { buffers: ids.map((id) => device(`n${id}`, 4)), streams: ids.map((id) => ({ id })) },
      [...round, ...round, ...round],
    );
    const [recommended] = planOf(experiment);
    expect(recommended?.changes).toEqual(['delay-wait']);
    expect(ms(recommended?.stepNs)).toBeLessThan(3.3);
  });

  it('copies of one direction leave a stream that holds both, all at once', () => {
    const buffers = ['up', 'down'].flatMap((id) => [
      device(id, 64e6),
      { id: `h${id}`, memory: 'pinned' as const, bytes: 64e6 },
    ]);
    const part = (at: number) => ({ srcOffset: at * 16e6, dstOffset: at * 16e6, bytes: 16e6, stream: 's' });
    const both = [0, 1, 2, 3].flatMap((at) => [
      { op: 'copy' as const, src: 'hup', dst: 'up', ...part(at) },
      { op: 'copy' as const, src: 'down', dst: 'hdown', ...part(at) },
    ]);
    const streams = [{ id: 's' }];
    const experiment = experimentOf({ buffers, streams }, [...both, { op: 'synchronizeDevice' }]);
    const [recommended] = planOf(experiment);
    expect(recommended?.changes).toEqual(['other-stream']);
    expect(recommended?.gainShare).toBeGreaterThan(0.35);
    const [costliest] = explainWithRemedies(experiment, h200Machine)?.remedies ?? [];
    expect(costliest?.gainShare).toBe(recommended?.gainShare);
    const one = both.filter(({ src }) => src === 'hup');
    expect(planOf(experimentOf({ buffers, streams }, [...one, { op: 'synchronizeDevice' }]))).toEqual([]);
  });

  it('slices that the host copies into one page-locked buffer are copied from where they are', () => {
    const buffers = [...[device('d', 16e6), device('y', 16e6)], pageable('source', 64e6), pinned('staged', 64e6)];
    const slices = (filling: object, upload: object = {}): Experiment =>
      experimentOf({ buffers, streams: [{ id: 's' }, { id: 'k' }], events: [{ id: 'in' }] }, [
        {
          op: 'repeat',
          count: 4,
          operations: [
            { op: 'copy', src: 'source', dst: 'staged', bytes: 16e6, ...filling },
            { op: 'copy', src: 'staged', dst: 'd', bytes: 16e6, stream: 's', ...upload },
            { op: 'recordEvent', event: 'in', stream: 's' },
            { op: 'waitEvent', event: 'in', stream: 'k' },
            spin(200, { reads: ['d'], writes: ['y'], stream: 'k' }),
            { op: 'synchronizeStream', stream: 'k' },
          ],
        },
      ]);
    const sliced = slices({ srcStepBytes: 16e6 });
    const [recommended] = planOf(sliced);
    expect(recommended).toMatchObject({ changes: ['pin'] });
    const [loop] = applyChange(sliced, { patches: recommended?.patches ?? [] }).threads[0]?.operations ?? [];
    expect(loop).toMatchObject({
      operations: [{ op: 'copy', src: 'source', dst: 'd', bytes: 16e6, srcStepBytes: 16e6 }, {}, {}, {}, {}],
    });
    // Here a slice may come from another round.
    const moving = slices({ srcStepBytes: 16e6, dstStepBytes: 16e6 }, { srcStepBytes: 16e6 });
    expect(planOf(moving).flatMap(({ changes }) => changes)).not.toContain('pin');
  });

  it('a long copy by the host is not overlapped by a short kernel', () => {
    const buffers = [...[device('d'), device('y')], pageable('source', 64e6), pinned('staged', 64e6)];
    const causeBeside = (us: number) =>
      verdictsOf(
        experimentOf({ buffers, streams: [{ id: 'k' }] }, [
          spin(us, { writes: ['y'], stream: 'k' }),
          { op: 'copy', src: 'source', dst: 'staged' },
          { op: 'synchronizeDevice' },
        ]),
      )[0]?.cause;
    expect(causeBeside(500)).toBe('not-a-copy-engine-copy');
    expect(causeBeside(50_000)).toBe('overlapped');
  });

  it('the host’s own copy into page-locked memory falls away, unless something else needs its result', () => {
    const buffers = [device('d', 64e6), pageable('source', 64e6), pinned('staged', 64e6)];
    const copies = [
      { op: 'copy', src: 'source', dst: 'staged' },
      { op: 'copy', src: 'staged', dst: 'd' },
      { op: 'synchronizeDevice' },
    ] as const;
    const round = (...more: object[]): Experiment =>
      experimentOf({ buffers }, [{ op: 'repeat', count: 3, operations: [...copies, ...more] }]);
    expect(planOf(round())[0]?.steps[0]).toBe('Copy "source" itself, without "staged" in between.');
    // Only "source" is page-locked, once.
    expect(planOf(round())[0]?.needs[0]).toContain(`these ${formatBytes(64e6)} takes`);
    expect(
      planOf(round({ op: 'write', buffer: 'staged', pattern: { kind: 'constant', value: 1 } })).flatMap(
        ({ steps }) => steps,
      ),
    ).toEqual([]);
  });

  it('parts that the host brings through one staging buffer are copied from their source', () => {
    const buffers = [device('d', 192e6), pageable('source', 192e6), pinned('stage', 64e6)];
    const part = (at: number, ...between: object[]) => [
      { op: 'copy', src: 'source', srcOffset: at * 64e6, dst: 'stage', mode: 'blocking-memcpy' },
      ...between,
      { op: 'copy', src: 'stage', dst: 'd', dstOffset: at * 64e6, bytes: 32e6 },
      { op: 'copy', src: 'stage', srcOffset: 32e6, dst: 'd', dstOffset: at * 64e6 + 32e6, bytes: 32e6 },
      { op: 'synchronizeDevice' },
    ];
    const parts = (...between: object[]): Experiment =>
      experimentOf(
        { buffers },
        [0, 1, 2].flatMap((at) => part(at, ...between)),
      );
    const [recommended] = planOf(parts());
    expect(recommended?.changes).toEqual(['pin']);
    expect(recommended?.gainShare).toBeGreaterThan(0.7);
    expect(recommended?.needs[0]).toContain('192 MB');
    expect(verdictsOf(parts())[0]?.cause).toBe('not-a-copy-engine-copy');
    const after = applyChange(parts(), { patches: recommended?.patches ?? [] });
    const copies = after.threads[0]?.operations.filter(({ op }) => op === 'copy') ?? [];
    expect(copies.map((one) => 'src' in one && [one.src, 'srcOffset' in one && one.srcOffset])).toEqual(
      [0, 1, 2, 3, 4, 5].map((at) => ['source', at * 32e6]),
    );
    const changes = [
      { op: 'write', buffer: 'source', pattern: { kind: 'constant', value: 1 } },
      { op: 'read', buffer: 'stage' },
    ];
    for (const one of changes)
      expect(
        planOf(parts(one))
          .flatMap(({ steps }) => steps)
          .join(),
      ).not.toContain('"stage"');
  });

  it('weights that nothing changes are copied once, unless the host may have filled them again', () => {
    const buffers = [device('w', 256e6), pinned('h', 256e6)];
    const round = [{ op: 'copy' as const, src: 'h', dst: 'w' }, spin(1000, { reads: ['w'] })];
    const loop = (...more: object[]): Experiment =>
      experimentOf({ buffers }, [
        { op: 'repeat', count: 6, operations: [...round, ...more] },
        { op: 'synchronizeDevice' },
      ]);
    const unrolled = experimentOf({ buffers }, [...[1, 2, 3, 4].flatMap(() => round), { op: 'synchronizeDevice' }]);
    for (const [experiment, leftMs] of [[loop(), 10.6] as const, [unrolled, 8.6] as const]) {
      expect(planOf(experiment)[0]?.changes).toEqual(['keep-on-device']);
      expect(Math.abs(ms(planOf(experiment)[0]?.stepNs) / leftMs - 1)).toBeLessThan(0.05);
      const [remedy] = explainWithRemedies(experiment, h200Machine)?.remedies ?? [];
      expect(remedy?.steps[0]).toMatch(/^Copy "h" once/);
    }
    const filled = { op: 'write', buffer: 'h', pattern: { kind: 'constant', value: 1 } };
    for (const more of [[{ op: 'synchronizeDevice' }], [filled], [spin(100, { writes: ['w'] })]]) {
      expect(planOf(loop(...more)).flatMap(({ changes }) => changes)).not.toContain('keep-on-device');
    }
  });

  it('a buffer that each upload waits for is doubled, in a loop and without one', () => {
    const buffers = [device('slot', 64e6), pinned('h', 64e6)];
    const parts = { buffers, streams: [{ id: 'side' }, { id: 'work' }], events: [{ id: 'full' }, { id: 'free' }] };
    const roundOf = (fill: object, use: object) => [
      { op: 'waitEvent', event: 'free', stream: 'side' },
      { op: 'copy', src: 'h', dst: 'slot', stream: 'side', ...fill },
      { op: 'recordEvent', event: 'full', stream: 'side' },
      { op: 'waitEvent', event: 'full', stream: 'work' },
      spin(1150, { reads: ['slot'], stream: 'work', ...use }),
      { op: 'recordEvent', event: 'free', stream: 'work' },
    ];
    const round = roundOf({}, {});
    const wait = { op: 'synchronizeDevice' };
    const times = (count: number, operations: object[] = round): Experiment =>
      experimentOf(parts, [{ op: 'repeat', count, operations }, wait]);
    const unrolled = [...round.slice(1), ...round, ...round, ...round, ...round, wait];
    for (const experiment of [times(5), times(6), experimentOf(parts, unrolled)]) {
      const found = planOf(experiment).find(({ changes }) => changes.includes('double-buffer'));
      expect(found?.changes).toEqual(['double-buffer']);
      expect(found?.gainShare).toBeGreaterThan(0.35);
      expect(found?.keptBytes).toBe(64e6);
      const after = applyChange(experiment, { patches: found?.patches ?? [] });
      expect(checkExperiment(after).hazards).toEqual([]);
      expect(copiesIn(after)).toBe(copiesIn(experiment));
    }
    // A fill of a part keeps what kernels wrote in the rest.
    for (const [bytes, isDoubled] of [
      [64e6, true],
      [60e6, false],
    ] as const) {
      const written = times(6, roundOf({ bytes }, { writes: ['slot'] }));
      expect(planOf(written).some(({ changes }) => changes.includes('double-buffer'))).toBe(isDoubled);
    }
  });

  it('small copies to scattered places become copies of blocks, one for each two buffers', () => {
    const host = (id: string) => ({ id, memory: 'pinned' as const, bytes: 4096 * 300 });
    const buffers = [host('hk'), host('hv'), device('k', 4096 * 100), device('v', 4096 * 100)];
    const copy = (name: string, at: number) => ({
      ...{ op: 'copy', src: `h${name}`, dst: name, stream: 'swap', bytes: 4096 },
      ...{ srcOffset: ((at * 74) % 300) * 4096, dstOffset: at * 4096 },
    });
    const blocks = Array.from({ length: 40 }, (_, at) => [copy('k', at), copy('v', at)]).flat();
    const experiment = experimentOf({ buffers, streams: [{ id: 'swap' }] }, [
      ...blocks,
      spin(50, { reads: ['k', 'v'], stream: 'swap' }),
      { op: 'synchronizeStream', stream: 'swap' },
    ]);
    const [recommended] = planOf(experiment);
    expect(recommended?.changes).toEqual(['batch']);
    expect(recommended?.gainShare).toBeGreaterThan(0.7);
    const after = applyChange(experiment, { patches: recommended?.patches ?? [] });
    expect(after.threads[0]?.operations).toMatchObject([
      { op: 'blockCopy', src: 'hk', dst: 'k', blocks: 40, blockBytes: 4096 },
      { op: 'blockCopy', src: 'hv', dst: 'v', blocks: 40, blockBytes: 4096 },
      { op: 'kernel' },
      { op: 'synchronizeStream' },
    ]);
    expect(verdictSums(verdictsOf(experiment))).toMatchObject([
      { cause: 'many-small-copies', costNs: explainWithRemedies(experiment, h200Machine)?.remedies[0]?.gainNs },
    ]);
  });

  it('a wait for later kernels of the copy’s stream becomes one for an event behind the copy', () => {
    const buffers = [device('t'), device('y'), pinned('h')];
    const experiment = experimentOf({ buffers, streams: [{ id: 's' }] }, [
      spin(200, { writes: ['t'], stream: 's' }),
      { op: 'copy', src: 't', dst: 'h', stream: 's' },
      spin(5000, { writes: ['y'], stream: 's' }),
      { op: 'synchronizeStream', stream: 's' },
      { op: 'read', buffer: 'h', bytes: 4096 },
      { op: 'work', durationNs: 4e6 },
      { op: 'synchronizeDevice' },
    ]);
    expect(verdictsOf(experiment)[0]?.cause).toBe('waits-for-earlier-work');
    expect(planOf(experiment)[0]).toMatchObject({ changes: ['remove-wait'] });
    expect(planOf(experiment)[0]?.gainShare).toBeGreaterThan(0.4);
  });

  it('a wait for an event behind each copy is removed, although a kernel needs all of them', () => {
    const buffers = [device('d'), pinned('h')];
    const part = (at: number) => [
      { op: 'copy', src: 'h', dst: 'd', srcOffset: at * 4e5, dstOffset: at * 4e5, bytes: 4e5, stream: 's' },
      { op: 'recordEvent', event: 'ok', stream: 's' },
      { op: 'synchronizeEvent', event: 'ok' },
    ];
    const experiment = experimentOf({ buffers, streams: [{ id: 's' }], events: [{ id: 'ok' }] }, [
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap(part),
      spin(50, { reads: ['d'], stream: 's' }),
      { op: 'synchronizeDevice' },
    ]);
    expect(verdictsOf(experiment)[0]?.cause).toBe('wait-after-each-copy');
    expect(planOf(experiment)[0]?.changes).toEqual(['remove-wait']);
  });

  it('launches that fill a queue go to a thread of their own, if the host has other work behind them', () => {
    const buffers = [device('u'), device('m'), pinned('h')];
    const launches = { op: 'repeat', count: 2000, operations: [spin(10, { writes: ['u'], stream: 'a' })] };
    const behind = [
      { op: 'work', durationNs: 18e6 },
      { op: 'copy', src: 'h', dst: 'm', stream: 'b' },
      { op: 'synchronizeStream', stream: 'b' },
    ];
    const of = (...more: object[]): Experiment =>
      experimentOf({ buffers, streams: [{ id: 'a' }, { id: 'b' }] }, [
        launches,
        ...more,
        { op: 'synchronizeStream', stream: 'a' },
      ]);
    expect(verdictsOf(of(...behind))[0]).toMatchObject({ cause: 'launch-queue-full', subject: 'host-call' });
    expect(planOf(of(...behind))[0]?.changes).toEqual(['other-thread']);
    const after = applyChange(of(...behind), { patches: planOf(of(...behind))[0]?.patches ?? [] });
    expect(after.threads[1]?.operations.map(({ op }) => op)).toEqual(['waitSignal', 'repeat', 'signal']);
    expect(verdictsOf(of())).toEqual([]);
    expect(planOf(of())).toEqual([]);
  });

  it('a wait for the event of another buffer becomes one for the event behind what used this buffer', () => {
    const slots = ['a', 'b'];
    const parts = {
      buffers: slots.flatMap((id) => [device(id, 64e6), { id: `host-${id}`, memory: 'pinned' as const, bytes: 384e6 }]),
      streams: [{ id: 'load' }, { id: 'work' }],
      events: slots.flatMap((id) => [{ id: `full-${id}` }, { id: `used-${id}` }]),
    };
    const half = (id: string, waited: string) => [
      { op: 'waitEvent', event: `used-${waited}`, stream: 'load' },
      { op: 'copy', src: `host-${id}`, dst: id, srcStepBytes: 64e6, bytes: 64e6, stream: 'load' },
      { op: 'recordEvent', event: `full-${id}`, stream: 'load' },
      { op: 'waitEvent', event: `full-${id}`, stream: 'work' },
      spin(1150, { reads: [id], stream: 'work' }),
      { op: 'recordEvent', event: `used-${id}`, stream: 'work' },
    ];
    const rounds = (a: string, b: string): Experiment => {
      const operations = [...half('a', a), ...half('b', b)];
      return experimentOf(parts, [{ op: 'repeat', count: 6, operations }, { op: 'synchronizeDevice' }]);
    };
    const [recommended] = planOf(rounds('b', 'a'));
    expect(recommended).toMatchObject({ changes: ['remove-wait'], keptBytes: 0 });
    expect(recommended?.patches.map(({ op }) => op)).toEqual(['replace', 'replace']);
    expect(recommended?.gainShare).toBeGreaterThan(0.4);
    expect(verdictsOf(rounds('b', 'a'))[0]?.cause).toBe('event-dependency');
    const after = applyChange(rounds('b', 'a'), { patches: recommended?.patches ?? [] });
    expect(checkExperiment(after).hazards).toEqual([]);
    expect(planOf(rounds('a', 'b')).flatMap(({ changes }) => changes)).not.toContain('remove-wait');
  });

  it.each([
    [6, ['a'], 'event'],
    [7, ['a'], 'stream'],
    [4, ['a', 'b'], 'event'],
    [4, ['a', 'b'], 'stream'],
    [4, ['a', 'b'], 'copy'],
  ])(
    'a host fills two staging buffers in turn instead of one, in %d rounds of %j with waits for the %s',
    (count, slots, wait) => {
      const buffers = [...slots.map((id) => device(id, 32e6)), pinned('stage', 32e6)];
      const events = ['copied', 'a', 'b', 'used-a', 'used-b'].map((id) => ({ id }));
      const waits = {
        event: [{ op: 'synchronizeEvent', event: 'copied' }],
        stream: [{ op: 'synchronizeStream', stream: 'load' }],
        copy: [],
      }[wait] as object[];
      const mode = wait === 'copy' ? 'blocking-to' : 'async';
      const round = (id: string) => [
        ...waits,
        { op: 'write', buffer: 'stage', bytes: 4096, pattern: { kind: 'constant', value: 1 } },
        { op: 'work', durationNs: 600_000 },
        { op: 'waitEvent', event: `used-${id}`, stream: 'load' },
        { op: 'copy', src: 'stage', dst: id, stream: 'load', mode },
        { op: 'recordEvent', event: 'copied', stream: 'load' },
        { op: 'recordEvent', event: id, stream: 'load' },
        { op: 'waitEvent', event: id, stream: 'work' },
        spin(slots.length * 150, { reads: [id], stream: 'work' }),
        { op: 'recordEvent', event: `used-${id}`, stream: 'work' },
      ];
      const of = (...more: object[]): Experiment =>
        experimentOf({ buffers, streams: [{ id: 'load' }, { id: 'work' }], events }, [
          { op: 'repeat', count, operations: [...slots.flatMap(round), ...more] },
          { op: 'synchronizeDevice' },
        ]);
      expect(verdictsOf(of())[0]?.cause).toBe('wait-after-each-copy');
      const found = planOf(of()).find(({ changes }) => changes.join() === 'delay-wait');
      expect(found?.gainShare).toBeGreaterThan(0.25);
      const after = applyChange(of(), { patches: found?.patches ?? [] });
      expect(checkExperiment(after).hazards).toEqual([]);
      const copies = predict(after, h200Machine)?.verdicts.reduce((sum, { occurrences }) => sum + occurrences, 0);
      expect(copies).toBe(count * slots.length);
      const read = { op: 'read', buffer: 'stage', bytes: 4096 };
      expect(planOf(of(read)).flatMap(({ changes }) => changes)).not.toContain('delay-wait');
    },
  );

  it('uploads that are late for pageable results don’t come before these, even if one more change gains a little', () => {
    const ids = ['a', 'b', 'c'];
    const host = (id: string, memory: 'pinned' | 'pageable') => ({ id: `${memory}-${id}`, memory, bytes: 12e6 });
    const buffers = ids.flatMap((id) => [
      device(id, 12e6),
      device(`o${id}`, 12e6),
      host(id, 'pinned'),
      host(id, 'pageable'),
    ]);
    const serve = (id: string) => [
      { op: 'copy', src: `pinned-${id}`, dst: id, stream: id },
      spin(900, { reads: [id], writes: [`o${id}`], stream: id, smShare: 0.3 }),
      { op: 'copy', src: `o${id}`, dst: `pageable-${id}`, stream: id },
    ];
    const answer = (id: string) => [
      { op: 'synchronizeStream', stream: id },
      { op: 'read', buffer: `pageable-${id}`, bytes: 65536 },
    ];
    const operations = [...ids.flatMap(serve), ...ids.flatMap(answer)];
    const streams = ids.map((id) => ({ id }));
    const experiment = experimentOf({ buffers, streams }, [{ op: 'repeat', count: 4, operations }]);
    expect(verdictsOf(experiment)[0]?.cause).toBe('pageable-destination');
  });

  it('a narrower wait counts where the host waits for too much, and not at a copy behind the loop', () => {
    const host = (id: string) => ({ id, memory: 'pinned' as const, bytes: 1e6 });
    const buffers = [device('rows', 1e6), device('scores', 1e6), host('found'), host('end')];
    const round = [
      spin(200, { writes: ['rows'], stream: 'look', smShare: 0.3 }),
      { op: 'copy', src: 'rows', dst: 'found', stream: 'look' },
      spin(2000, { writes: ['scores'], stream: 'score', smShare: 0.6 }),
      { op: 'synchronizeDevice' },
      { op: 'read', buffer: 'found', bytes: 4096 },
      { op: 'work', durationNs: 900_000 },
    ];
    const experiment = experimentOf({ buffers, streams: [{ id: 'look' }, { id: 'score' }] }, [
      { op: 'repeat', count: 5, operations: round },
      { op: 'copy', src: 'scores', dst: 'end', stream: 'score' },
      { op: 'synchronizeDevice' },
    ]);
    const [first, ...others] = verdictSums(verdictsOf(experiment));
    expect(first?.cause).toBe('waits-for-earlier-work');
    expect(others.every(({ costNs }) => costNs < 1e6)).toBe(true);
  });

  it('blocking streams are the cause, and not a download behind the loop that waits for them', () => {
    const ids = ['a', 'b'];
    const buffers = [
      ...ids.map((id) => device(id, 64e6)),
      ...[device('o', 1e6), pinned('h', 512e6)],
      pinned('end', 1e6),
    ];
    const half = (id: string, at: number) => [
      { op: 'waitEvent', event: id, stream: 'up' },
      { op: 'copy', src: 'h', dst: id, srcOffset: at * 64e6, srcStepBytes: 128e6, bytes: 64e6, stream: 'up' },
      { op: 'recordEvent', event: `up-${id}`, stream: 'up' },
      { op: 'waitEvent', event: `up-${id}`, stream: 'work' },
      spin(1200, { reads: [id], stream: 'work', smShare: 0.8 }),
      { op: 'recordEvent', event: id, stream: 'work' },
      spin(40, { writes: ['o'], smShare: 0.1 }),
    ];
    const streams = ['up', 'work'].map((id) => ({ id, flags: 'blocking' as const }));
    const events = ids.flatMap((id) => [{ id }, { id: `up-${id}` }]);
    const experiment = experimentOf({ buffers, streams, events }, [
      { op: 'repeat', count: 4, operations: [...half('a', 0), ...half('b', 1)] },
      { op: 'synchronizeDevice' },
      { op: 'copy', src: 'o', dst: 'end' },
      { op: 'synchronizeDevice' },
    ]);
    expect(verdictsOf(experiment)[0]?.cause).toBe('legacy-default-stream');
    expect(planOf(experiment)[0]?.changes).toEqual(['non-blocking-stream']);
  });

  it.each([5, 6])(
    'the next data is prepared in a second buffer, if the host waits only for results, in %i rounds',
    (count) => {
      const buffers = [
        device('x', 12e6),
        device('y'),
        ...['h', 'r'].map((id) => ({ id, memory: 'pinned' as const, bytes: 12e6 })),
      ];
      const [up, down] = [
        { op: 'copy', src: 'h', dst: 'x' },
        { op: 'copy', src: 'y', dst: 'r', bytes: 4096, dstStepBytes: 4096 },
      ];
      const fill = [
        { op: 'work', durationNs: 1e6 },
        { op: 'write', buffer: 'h', pattern: { kind: 'constant', value: 1 } },
      ];
      const issue = [up, spin(2000, { reads: ['x'], writes: ['y'] }), down, { op: 'synchronizeDevice' }];
      const of = (...operations: object[]): Experiment =>
        experimentOf({ buffers }, [{ op: 'repeat', count, operations }]);
      const experiment = of(...fill, ...issue, { op: 'work', durationNs: 1e5 });
      const [found] = planOf(experiment);
      expect(found?.changes).toContain('prepare-ahead');
      const after = applyChange(experiment, { patches: found?.patches ?? [] });
      expect(checkExperiment(after).hazards).toEqual([]);
      expect(copiesIn(after)).toBe(copiesIn(experiment));
      for (const other of [of(...fill, ...issue, up), of(...issue, ...fill)])
        expect(planOf(other).flatMap(({ changes }) => changes)).not.toContain('prepare-ahead');
    },
  );

  it.each([
    ['preview', true],
    ['other', false],
  ])('a wait is needed by work of a later round: a kernel that writes %s', (written, isNeeded) => {
    const buffers = [...['preview', 'other', 'x'].map((id) => device(id)), pinned('h')];
    const wait = (event: string, from: string, to: string) => [
      { op: 'recordEvent', event, stream: from },
      { op: 'waitEvent', event, stream: to },
    ];
    const round = [
      spin(2000, { writes: ['x'] }),
      spin(20, { writes: [written] }),
      ...wait('made', 'default', 'side'),
      { op: 'copy', src: 'preview', dst: 'h', stream: 'side' },
      ...wait('shown', 'side', 'default'),
    ];
    const parts = { buffers, streams: [{ id: 'side' }], events: [{ id: 'made' }, { id: 'shown' }] };
    const experiment = experimentOf(parts, [{ op: 'repeat', count: 5, operations: round }]);
    expect(verdictsOf(experiment)[0]?.title.includes('needed')).toBe(isNeeded);
  });

  it('a small copy that is not joined gains nothing by joining others', () => {
    const remedies = explainWithRemedies(fault('kv-swap-ahead'), h200Machine)?.remedies ?? [];
    const causes = remedies.flatMap(({ gainShare, causes: own }) => (gainShare > 0.1 ? own : []));
    expect(causes).toEqual(['many-small-copies']);
  });

  it('small copies in a row before a kernel are one cause, although the host also waits for the kernel', () => {
    const buffers = [device('d', 4e5), pinned('h', 4e5)];
    const part = (at: number) => ({ srcOffset: at * 2000, dstOffset: at * 2000, bytes: 2000, stream: 's' });
    const copies = Array.from({ length: 100 }, (_, at) => ({ op: 'copy', src: 'h', dst: 'd', ...part(at) }));
    const fill = { op: 'write', buffer: 'h', bytes: 4096, pattern: { kind: 'constant', value: 1 } };
    const kernel = spin(300, { reads: ['d'], stream: 's' });
    const operations = [fill, ...copies, kernel, { op: 'synchronizeStream', stream: 's' }];
    const experiment = experimentOf({ buffers, streams: [{ id: 's' }] }, [{ op: 'repeat', count: 4, operations }]);
    expect(verdictSums(verdictsOf(experiment))).toMatchObject([{ cause: 'many-small-copies', count: 100 }]);
  });

  it('values that the host waits for in each round are read later', () => {
    const buffers = [device('p'), device('rr', 8)];
    const rounds = (...more: object[]): Experiment =>
      experimentOf({ buffers, streams: [{ id: 'q' }] }, [
        { op: 'repeat', count: 20, operations: [spin(40, { writes: ['p', 'rr'], stream: 'q' }), ...more] },
        { op: 'item', buffer: 'rr', stream: 'q' },
      ]);
    expect(planOf(rounds({ op: 'item', buffer: 'rr', stream: 'q' }))[0]?.changes).toContain('delay-wait');
    const read = verdictsOf(rounds({ op: 'item', buffer: 'rr', stream: 'q' }, { op: 'work', durationNs: 30_000 }));
    expect(read[0]).toMatchObject({ cause: 'waits-for-earlier-work', title: 'Host waits for earlier work' });
    expect(planOf(rounds())).toEqual([]);
  });

  it('an overlap of a copy with what uses its data is a race, and comes first', () => {
    const [first] = verdictsOf(fault('sglang-14214'));
    expect(first).toMatchObject({ cause: 'race', rule: 'streams-may-overlap' });
    expect(first?.remedy).toContain('before the wait');
  });

  it('memory for each of several parts is allocated again if one of its kind was freed before', () => {
    const [ids, kind] = [['a', 'b', 'c'], { memory: 'registered', allocated: 'by-operation' } as const];
    const buffers = [device('d'), ...ids.map((id) => ({ id, ...kind, bytes: 4e6 }))];
    const take = (id: string) => ({ op: 'allocate', buffer: id, allocator: 'cuda-malloc' });
    const use = (id: string) => [{ op: 'copy', src: id, dst: 'd' }, { op: 'synchronizeDevice' }];
    const free = (id: string) => ({ op: 'free', buffer: id });
    const each = experimentOf(
      { buffers },
      ids.flatMap((id) => [take(id), ...use(id), free(id)]),
    );
    expect(verdictsOf(each)[0]).toMatchObject({ cause: 'allocated-again', occurrences: 3 });
    expect(planOf(each)[0]?.changes).toEqual(['keep-memory']);
    const once = experimentOf({ buffers }, [...ids.map(take), ...ids.flatMap(use), ...ids.map(free)]);
    expect(verdictsOf(once).map(({ cause }) => cause)).not.toContain('allocated-again');
  });

  it('data is copied again if the host had no time to change it, by what it does in between', () => {
    const buffers = [device('w', 64e6), pinned('h', 64e6)];
    const rounds = (us: number): Experiment =>
      experimentOf({ buffers }, [
        {
          op: 'repeat',
          count: 5,
          operations: [
            { op: 'copy', src: 'h', dst: 'w' },
            spin(300, { reads: ['w'] }),
            { op: 'synchronizeDevice' },
            { op: 'work', durationNs: us * 1000 },
          ],
        },
      ]);
    expect(verdictsOf(rounds(10))[0]?.cause).toBe('copied-again');
    expect(planOf(rounds(10))[0]?.changes).toContain('keep-on-device');
    expect(verdictsOf(rounds(1000)).map(({ cause }) => cause)).not.toContain('copied-again');
  });

  it('mapped memory is read again only if the host had no time to fill it, and nothing else does', () => {
    const buffers = [device('y'), { id: 'm', memory: 'mapped' as const, bytes: 4e6 }];
    const read = { op: 'kernel', kernel: { kind: 'stream', passes: 1 }, reads: ['m'], writes: ['y'] };
    const wait = { op: 'synchronizeDevice' };
    const isTold = (...operations: object[]): boolean[] => {
      const experiment = experimentOf({ buffers }, [{ op: 'repeat', count: 5, operations }, wait]);
      const isCause = verdictsOf(experiment).some(({ cause }) => cause === 'mapped-memory');
      return [isCause, planOf(experiment)[0]?.changes.includes('keep-on-device') === true];
    };
    expect(isTold(read)).toEqual([true, true]);
    expect(isTold(read, read, wait)).toEqual([true, true]);
    expect(isTold(read, wait)).toEqual([false, false]);
    expect(isTold(read, wait, { op: 'write', buffer: 'm', pattern: { kind: 'constant', value: 1 } })).toEqual([
      false,
      false,
    ]);
  });

  it('a download of data that changes, or that the host is sent in parts, is no repetition', () => {
    const buffers = [device('y'), device('t', 8e6), pinned('h', 8e6)];
    const download = { op: 'copy', src: 't', dst: 'h' };
    const rounds = (...more: object[]): string[] =>
      planOf(experimentOf({ buffers }, [{ op: 'repeat', count: 5, operations: [spin(100), ...more] }])).flatMap(
        ({ changes }) => changes,
      );
    expect(rounds(download)).toContain('keep-on-device');
    for (const more of [
      [spin(10, { writes: ['t'] }), download],
      [{ op: 'copy', src: 'y', dst: 'h', bytes: 4e6 }, download],
    ])
      expect(rounds(...more)).not.toContain('keep-on-device');
    const parts = [0, 1, 2, 3].map((at) => ({ ...download, srcOffset: at * 2e6, dstOffset: at * 2e6, bytes: 2e6 }));
    expect(planOf(experimentOf({ buffers }, parts))).toEqual([]);
  });

  it('graphs of different work are captured each', () => {
    const buffers = [device('a'), device('b')];
    const step = (us: number) => [
      { op: 'graphCapture', graph: 'g', stream: 's', operations: Array(20).fill(spin(us, { stream: 's' })) },
      { op: 'graphLaunch', graph: 'g', stream: 's' },
      { op: 'synchronizeStream', stream: 's' },
    ];
    const of = (...us: number[]): Experiment => experimentOf({ buffers, streams: [{ id: 's' }] }, us.flatMap(step));
    expect(planOf(of(4, 4, 4))[0]?.changes).toEqual(['graph']);
    expect(planOf(of(4, 5, 6)).flatMap(({ changes }) => changes)).not.toContain('graph');
  });

  it('data that passes host memory from device to device is copied directly', () => {
    const on = (id: string, gpu: string) => ({ ...device(id, 32e6), device: gpu });
    const buffers = [on('a', 'g0'), on('b', 'g1'), pinned('relay', 32e6)];
    const devices = ['g0', 'g1'].map((id, index) => ({ id, index }));
    const streams = ['g0', 'g1'].map((gpu) => ({ id: `s-${gpu}`, device: gpu }));
    const parts = { buffers, devices, streams, events: [{ id: 'down' }], environment: { peerAccess: true } };
    const hop = [
      { op: 'copy', src: 'a', dst: 'relay', stream: 's-g0' },
      { op: 'recordEvent', event: 'down', stream: 's-g0' },
      { op: 'waitEvent', event: 'down', stream: 's-g1' },
      { op: 'copy', src: 'relay', dst: 'b', stream: 's-g1' },
      spin(100, { reads: ['b'], stream: 's-g1' }),
      { op: 'synchronizeStream', stream: 's-g1' },
    ];
    expect(verdictsOf(experimentOf(parts, hop))[0]?.cause).toBe('through-host');
    expect(planOf(experimentOf(parts, hop))[0]?.changes).toEqual(['copy-directly']);
    const kept = experimentOf(parts, [...hop, { op: 'read', buffer: 'relay' }]);
    expect(planOf(kept).flatMap(({ changes }) => changes)).not.toContain('copy-directly');
  });

  it('a wait for a signal stays before host work if the signal may bring data', () => {
    const experiment = fault('loader');
    // Without the signal before its loop, the trainer gives the signal only after it has worked.
    const [loader, trainer] = experiment.threads;
    const operations = trainer?.operations.slice(1) ?? [];
    const started = {
      ...experiment,
      threads: [
        { ...loader, operations: [operations[0]] },
        { ...trainer, operations },
      ],
    };
    expect(waitLater(experiment, new Effort(5000))).not.toBeNull();
    expect(waitLater(started as Experiment, new Effort(5000))).toBeNull();
  });

  it('a host function in a stream without kernels gains nothing by another stream', () => {
    const experiment = fault('metrics-callback');
    const apart = functionsApart(experiment);
    const after = applyChange(experiment, apart ?? { patches: [] });
    expect(apart).not.toBeNull();
    expect(functionsApart(after)).toBeNull();
  });

  it('a blocking stream that only copies leaves the legacy default stream', () => {
    const buffers = [device('x', 32e6), device('n', 4096), pinned('h', 32e6)];
    const streams = ['cam', 'det'].map((id) => ({ id, flags: 'blocking' as const }));
    const round = [
      { op: 'copy', src: 'h', dst: 'x', stream: 'cam' },
      { op: 'memset', buffer: 'n' },
      spin(500, { writes: ['n'], stream: 'det' }),
    ];
    const [recommended] = planOf(
      experimentOf({ buffers, streams }, [...round, ...round, ...round, { op: 'synchronizeDevice' }]),
    );
    expect(recommended?.changes).toContain('non-blocking-stream');
    expect(recommended?.steps).toContain('Make stream "cam" non-blocking.');
  });

  it('a blocking copy whose wait nothing is late for gains nothing', () => {
    const experiment = experimentOf({ buffers: [device('d'), pinned('h', 8)] }, [
      spin(2000),
      { op: 'copy', src: 'h', dst: 'd', bytes: 8, mode: 'blocking-to' },
      { op: 'synchronizeDevice' },
    ]);
    expect(verdictsOf(experiment).map(({ cause }) => cause)).not.toContain('waits-for-earlier-work');
    expect(planOf(experiment)).toEqual([]);
  });

  it('page-locked memory that is allocated once is no fault, and memory from the caching allocator neither', () => {
    const buffers = [
      device('d', 32e6),
      { id: 'h', memory: 'pinned' as const, bytes: 32e6, allocated: 'by-operation' as const },
    ];
    const step = (allocator: string) => [
      { op: 'allocate', buffer: 'h', allocator },
      { op: 'copy', src: 'h', dst: 'd' },
      spin(1000),
      { op: 'synchronizeDevice' },
      { op: 'free', buffer: 'h' },
    ];
    const once = experimentOf({ buffers }, step('cuda-malloc'));
    expect(verdictsOf(once).map(({ cause }) => cause)).not.toContain('allocated-again');
    const repeated = (allocator: string): Experiment =>
      experimentOf({ buffers }, [{ op: 'repeat', count: 3, operations: step(allocator) }]);
    expect(planOf(repeated('caching')).flatMap(({ changes }) => changes)).not.toContain('keep-memory');
    expect(planOf(repeated('cuda-malloc'))[0]?.changes).toContain('keep-memory');
  });

  it('a kernel of the stream whose value is read stays behind the read', () => {
    const buffers = [device('x'), device('n', 8)];
    const experiment = experimentOf({ buffers, streams: [{ id: 's' }] }, [
      spin(1000, { reads: ['x'], writes: ['n'], stream: 's' }),
      { op: 'item', buffer: 'n', stream: 's' },
      spin(500, { reads: ['n'], stream: 's' }),
      { op: 'synchronizeDevice' },
    ]);
    expect(planOf(experiment)).toEqual([]);
  });
});

it('memory that the host reads past its caches counts at the copy into it, not at others that it delays', () => {
  const buffers = [
    { id: 'chunk', memory: 'pinned', bytes: 2 ** 21 },
    { id: 'onDevice', memory: 'device', bytes: 2 ** 21 },
    { id: 'rows', memory: 'pinned-write-combined', bytes: 2 ** 20 },
    { id: 'selection', memory: 'device', bytes: 2 ** 20 },
  ];
  const experiment = experimentOf({ buffers, streams: [{ id: 's' }] }, [
    {
      ...{ op: 'repeat', count: 8 },
      operations: [
        { op: 'copy', label: 'up', src: 'chunk', dst: 'onDevice', stream: 's' },
        {
          ...{ op: 'kernel', kernel: { kind: 'spin', durationNs: 100_000 }, stream: 's' },
          ...{ reads: ['onDevice'], writes: ['selection'] },
        },
        { op: 'copy', label: 'down', src: 'selection', dst: 'rows', stream: 's' },
        { op: 'synchronizeStream', stream: 's' },
        { op: 'read', buffer: 'rows' },
        { op: 'work', label: 'emit', durationNs: 100_000 },
      ],
    },
  ]);
  const before = predict(experiment, h200Machine);
  const pinned = planOf(experiment).find(({ changes }) => changes.join() === 'pin');
  const [first, ...others] = verdictsOf(experiment);
  const pinsGainNs = (before?.makespanNs ?? 0) - (pinned?.stepNs ?? 0);
  expect(first?.label).toBe('down');
  expect(first?.costNs).toBeLessThan(1.1 * pinsGainNs);
  for (const { costNs } of others) expect(costNs).toBeLessThan(0.1 * pinsGainNs);
});

describe('one stream of several host threads', () => {
  const workers = ['a', 'b', 'c'];
  const serving = (stream: string): Experiment => {
    const buffers = workers.flatMap((id) => [
      { id: `${id}-in`, memory: 'pinned', bytes: 2 ** 20 },
      { id: `${id}-device`, memory: 'device', bytes: 2 ** 20 },
      { id: `${id}-out`, memory: 'pinned', bytes: 2 ** 18 },
    ]);
    const kernel = { op: 'kernel', kernel: { kind: 'spin', durationNs: 300_000 }, stream, smShare: 0.3 };
    const threads = workers.map((id) => [
      ...(id === 'a' ? [{ op: 'copy', src: 'weights', dst: 'kept', stream }] : []),
      ...['b', 'c'].flatMap((to) => (id === 'a' ? [{ op: 'signal', signal: to }] : [])),
      ...(id === 'a' ? [] : [{ op: 'waitSignal', signal: id }]),
      {
        ...{ op: 'repeat', count: 8 },
        operations: [
          { op: 'copy', src: `${id}-in`, dst: `${id}-device`, stream },
          { ...kernel, reads: [`${id}-device`, 'kept'], writes: [`${id}-device`] },
          { op: 'copy', src: `${id}-device`, dst: `${id}-out`, bytes: 2 ** 18, stream },
          { op: 'synchronizeStream', stream },
          { op: 'work', durationNs: 40_000 },
        ],
      },
    ]);
    const streams = stream === 'default' ? [] : [{ id: stream }];
    return experimentOf(
      {
        streams,
        signals: [{ id: 'b' }, { id: 'c' }],
        buffers: [
          ...buffers,
          { id: 'weights', memory: 'pinned', bytes: 2 ** 20 },
          { id: 'kept', memory: 'device', bytes: 2 ** 20 },
        ],
      },
      ...threads,
    );
  };

  it.each(['default', 'one'])(
    '"%s" is the first verdict if kernels of the threads would fit side by side',
    (stream) => {
      const experiment = serving(stream);
      expect(verdictsOf(experiment)[0]).toMatchObject({ cause: 'same-stream', title: 'Host threads share one stream' });
      const [recommended] = planOf(experiment);
      expect(recommended?.changes).toContain('non-blocking-stream');
      expect(recommended?.gainShare).toBeGreaterThan(0.5);
      expect(checkExperiment(applyChange(experiment, { patches: recommended?.patches ?? [] })).hazards).toEqual([]);
    },
  );
});

it('downloads leave a stream together with the waits before them and the records behind them', () => {
  const buffers = ['in0', 'in1', 'out0', 'out1'].map((id) => ({ id, memory: 'device', bytes: 2 ** 24 }));
  const host = ['arriving', 'leaving'].map((id) => ({ id, memory: 'pinned', bytes: 2 ** 25 }));
  const slot = (at: number) => [
    { op: 'waitEvent', event: `read${at}`, stream: 'comm' },
    { op: 'copy', src: 'arriving', dst: `in${at}`, srcOffset: at * 2 ** 24, bytes: 2 ** 24, stream: 'comm' },
    { op: 'recordEvent', event: `here${at}`, stream: 'comm' },
    { op: 'waitEvent', event: `here${at}`, stream: 'solve' },
    { op: 'waitEvent', event: `sent${at}`, stream: 'solve' },
    {
      ...{ op: 'kernel', kernel: { kind: 'spin', durationNs: 350_000 }, stream: 'solve' },
      ...{ reads: [`in${at}`], writes: [`out${at}`] },
    },
    { op: 'recordEvent', event: `read${at}`, stream: 'solve' },
    { op: 'waitEvent', event: `read${at}`, stream: 'comm' },
    { op: 'copy', src: `out${at}`, dst: 'leaving', dstOffset: at * 2 ** 24, bytes: 2 ** 24, stream: 'comm' },
    { op: 'recordEvent', event: `sent${at}`, stream: 'comm' },
  ];
  const events = ['read0', 'here0', 'sent0', 'read1', 'here1', 'sent1'].map((id) => ({ id }));
  const experiment = experimentOf(
    { buffers: [...buffers, ...host], streams: [{ id: 'comm' }, { id: 'solve' }], events },
    [{ op: 'repeat', count: 6, operations: [...slot(0), ...slot(1)] }, { op: 'synchronizeDevice' }],
  );
  const [recommended] = planOf(experiment);
  expect(recommended?.changes).toEqual(['other-stream']);
  expect(recommended?.steps).toHaveLength(1);
  const { threads } = applyChange(experiment, { patches: recommended?.patches ?? [] });
  const [loop] = threads[0]?.operations ?? [];
  const moved =
    loop?.op === 'repeat' ? loop.operations.filter((one) => 'stream' in one && one.stream === 'downloads') : [];
  expect(moved.map(({ op }) => op)).toEqual(['waitEvent', 'copy', 'recordEvent', 'waitEvent', 'copy', 'recordEvent']);
});

it.each([
  [true, 'Record event "done" after "down", not before it.'],
  [false, 'Synchronise stream "s" before "read host".'],
])('a wait for an event that is recorded before its copy (%s) is mended by the record', (isWaited, step) => {
  const buffers = [
    { id: 'host', memory: 'pinned', bytes: 4096 },
    { id: 'device', memory: 'device', bytes: 4096 },
  ];
  const experiment = experimentOf({ buffers, streams: [{ id: 's' }], events: [{ id: 'done' }] }, [
    { op: 'recordEvent', event: 'done', stream: 's' },
    { op: 'copy', label: 'down', src: 'device', dst: 'host', stream: 's' },
    ...(isWaited ? [{ op: 'synchronizeEvent', event: 'done' }] : []),
    { op: 'read', buffer: 'host' },
  ]);
  const [hazard] = checkExperiment(experiment).hazards;
  expect(hazard?.change?.steps).toEqual([step]);
});

describe('the verdict of an operation that the plan mends names the cause and the same change', () => {
  const sized = (id: string, memory: string, bytes: number) => ({ id, memory, bytes });
  const frames = () => {
    const events = ['here', 'consumed'].map((id) => ({ id }));
    const streams = ['up', 'work'].map((id) => ({ id }));
    const buffers = [sized('frames', 'pinned', 2 ** 27), sized('one', 'device', 2 ** 24), sized('out', 'device', 4096)];
    const operations = [
      { op: 'waitEvent', event: 'consumed', stream: 'up' },
      { op: 'copy', src: 'frames', dst: 'one', srcStepBytes: 2 ** 24, bytes: 2 ** 24, stream: 'up' },
      { op: 'recordEvent', event: 'here', stream: 'up' },
      { op: 'waitEvent', event: 'here', stream: 'work' },
      {
        ...{ op: 'kernel', kernel: { kind: 'spin', durationNs: 300_000 }, stream: 'work' },
        ...{ reads: ['one'], writes: ['out'] },
      },
      { op: 'recordEvent', event: 'consumed', stream: 'work' },
    ];
    return experimentOf({ buffers, streams, events }, [
      { op: 'repeat', count: 8, operations },
      { op: 'synchronizeDevice' },
    ]);
  };
  const columns = () => {
    const buffers = [sized('host', 'pinned', 2 ** 24), sized('device', 'device', 2 ** 24)];
    const copy = { op: 'copy', src: 'device', dst: 'host', bytes: 2 ** 17, dstStepBytes: 2 ** 17, stream: 's' };
    return experimentOf({ buffers, streams: [{ id: 's' }] }, [
      { op: 'repeat', count: 64, operations: [{ ...copy, mode: 'blocking-to' }] },
      { op: 'read', buffer: 'host', bytes: 4096 },
    ]);
  };

  it.each([
    ['one buffer that every copy fills', frames, 'event-dependency', 'double-buffer'],
    ['blocking copies in a row', columns, 'wait-after-each-copy', 'non-blocking'],
  ])('%s', (_, make, cause, word) => {
    const experiment = make();
    const [first] = verdictsOf(experiment);
    expect(first?.cause).toBe(cause);
    const [recommended] = planOf(experiment);
    expect(recommended?.changes).toEqual([word]);
    const own = explainWithRemedies(experiment, h200Machine)?.remedies.find(({ op }) => op === first?.op);
    expect(own?.patches.slice(0, recommended?.patches.length)).toEqual(recommended?.patches);
  });
});
