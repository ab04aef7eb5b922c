/**
 * Solutions of every task, right and wrong, by lesson and title of the step. A right one passes all checks, a wrong one
 * doesn't; a task with several ways has several solutions. They are not shipped.
 */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { NewOperation as Operation } from '../../../core/experiment/operations.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';

type Change = (experiment: Draft) => void;
/** An experiment that can be changed in place. */
type Draft = { -readonly [Key in keyof Experiment]: Experiment[Key] };

export interface Solutions {
  readonly right: Readonly<Record<string, Change>>;
  readonly wrong: Readonly<Record<string, Change>>;
}

const operations = (experiment: Draft, thread = 0): Operation[] => experiment.threads[thread]?.operations ?? [];

/** Returns all operations of an experiment, also those inside groups. */
function every(experiment: Draft): Operation[] {
  const inside = (list: Operation[]): Operation[] =>
    list.flatMap((one) => [one, ...('operations' in one ? inside(one.operations) : [])]);
  return experiment.threads.flatMap((thread) => inside(thread.operations));
}

/** Sets fields of the operations that fit. */
function set(experiment: Draft, fits: (one: Operation) => boolean, fields: Record<string, unknown>): void {
  const found = every(experiment).filter(fits);
  if (found.length === 0) throw new Error('no operation fits');
  for (const one of found) Object.assign(one, fields);
}

const is =
  (op: Operation['op'], label?: string) =>
  (one: Operation): boolean =>
    one.op === op && (label === undefined || one.label === label);

function memory(experiment: Draft, buffer: string, kind: Experiment['buffers'][number]['memory']): void {
  const found = experiment.buffers.find(({ id }) => id === buffer);
  if (found === undefined) throw new Error(`no buffer ${buffer}`);
  found.memory = kind;
}

const stream = (id: string): Experiment['streams'][number] => ({ id, flags: 'non-blocking', priority: 0 });
const event = (id: string): Experiment['events'][number] => ({ id, timing: false });
const synchronize = (name: string): Operation => ({ op: 'synchronizeStream', stream: name });

/** Inserts operations at `index`. */
const insert = (list: Operation[], index: number, ...added: Operation[]): Operation[] =>
  list.splice(index, 0, ...added);

const smaller: Change = (experiment) => set(experiment, is('copy'), { bytes: 4096 });

export const solutions: Readonly<Record<string, Solutions>> = {
  'own-trace: Make the change': {
    right: {
      'both pinned': (one) => {
        memory(one, 'host_h2d_0_even', 'pinned');
        memory(one, 'host_h2d_0_odd', 'pinned');
      },
    },
    wrong: {
      'one of them pinned': (one) => memory(one, 'host_h2d_0_even', 'pinned'),
      'a step left out': (one) => {
        one.threads = one.threads.map((thread) => ({ ...thread, operations: thread.operations.slice(1) }));
      },
    },
  },
  'first-overlap: Make them overlap': {
    right: {
      'the copy into the side stream': (one) => set(one, is('copy'), { stream: 'side' }),
      'the kernel into the side stream': (one) => set(one, is('kernel'), { stream: 'side' }),
    },
    wrong: {
      'both into the side stream': (one) =>
        set(one, (op) => op.op === 'copy' || op.op === 'kernel', { stream: 'side' }),
      'a copy of fewer bytes': (one) => set(one, is('copy'), { stream: 'side', bytes: 4096 }),
    },
  },
  'four-cases: Do it yourself': {
    right: {
      'pinned, and a stream of its own': (one) => {
        memory(one, 'source', 'pinned');
        one.streams = [stream('side')];
        set(one, is('copy'), { stream: 'side' });
        set(one, (op) => op.op === 'recordEvent' && op.event === 'copied', { stream: 'side' });
      },
      'registered memory, and the kernel elsewhere': (one) => {
        memory(one, 'source', 'registered');
        one.streams = [stream('other')];
        set(one, is('kernel'), { stream: 'other' });
        set(one, (op) => op.op === 'recordEvent' && op.event === 'multiplied', { stream: 'other' });
      },
    },
    wrong: {
      'pinned only': (one) => memory(one, 'source', 'pinned'),
      'a stream only': (one) => {
        one.streams = [stream('side')];
        set(one, is('copy'), { stream: 'side' });
      },
    },
  },
  'one-tensor: Get rid of the copy on the host': {
    right: {
      'made in pinned memory': (one) => {
        memory(one, 'tensor', 'pinned');
        operations(one).shift();
        set(one, is('copy'), { src: 'tensor' });
      },
    },
    wrong: { 'fewer bytes': smaller },
  },
  'one-synchronise: Save the waiting': {
    right: {
      'asynchronous, one synchronise': (one) => {
        set(one, is('copy'), { mode: 'async' });
        operations(one).push({ op: 'synchronizeDevice' });
      },
    },
    wrong: {
      'nobody waits': (one) => set(one, is('copy'), { mode: 'async' }),
      'fewer tensors': (one) => set(one, is('repeat'), { count: 500 }),
    },
  },
  'six-ways: Take the fastest': {
    right: {
      'all staged by threads': (one) => set(one, is('multiCopy'), { strategy: 'pipelined' }),
      'all pinned, non-blocking': (one) =>
        set(one, is('multiCopy'), {
          strategy: 'non-blocking-loop',
          payload: { tensors: 100, bytes: 4_000_000, memory: 'pinned' },
        }),
    },
    wrong: {
      'fewer tensors': (one) =>
        set(one, is('multiCopy'), { payload: { tensors: 10, bytes: 4_000_000, memory: 'pageable' } }),
    },
  },
  'source-in-flight: Make it safe': {
    right: {
      'a synchronise before the write': (one) => insert(operations(one), 2, synchronize('default')),
      'an event behind the copy': (one) => {
        one.events = [event('copied')];
        insert(
          operations(one),
          2,
          { op: 'recordEvent', event: 'copied', stream: 'default' },
          { op: 'synchronizeEvent', event: 'copied' },
        );
      },
    },
    wrong: {
      'pageable instead': (one) => memory(one, 'source', 'pageable'),
      'no write': (one) => void operations(one).splice(2, 1),
      'a synchronise behind the write': (one) => insert(operations(one), 3, synchronize('default')),
    },
  },
  'early-read: Wait for it': {
    right: {
      'a synchronise before the read': (one) => insert(operations(one), 2, synchronize('default')),
      'pageable memory, which holds the host': (one) => memory(one, 'received', 'pageable'),
    },
    wrong: {
      'no copy': (one) => void operations(one).splice(1, 1),
      'work of the host instead of a synchronise': (one) =>
        insert(operations(one), 2, { op: 'work', durationNs: 20_000_000 }),
    },
  },
  'held-host: Give the host its time back': {
    right: {
      'pinned memory': (one) => memory(one, 'source', 'pinned'),
      'a second host thread': (one) => {
        const [copy, work, wait] = one.threads[0]?.operations ?? [];
        if (copy === undefined || work === undefined || wait === undefined) throw new Error('an operation is missing');
        one.threads = [
          { id: 'main', operations: [work] },
          { id: 'copier', operations: [copy, wait] },
        ];
      },
    },
    wrong: { 'fewer bytes': smaller, 'another stream': (one) => set(one, is('copy'), { stream: 'default' }) },
  },
  'unordered-streams: Let one wait for the other': {
    right: {
      'an event between them': (one) => {
        one.events = [event('arrived')];
        insert(
          operations(one),
          2,
          { op: 'recordEvent', event: 'arrived', stream: 'copies' },
          { op: 'waitEvent', event: 'arrived', stream: 'compute' },
        );
      },
    },
    wrong: {
      'the event before the copy': (one) => {
        one.events = [event('arrived')];
        insert(operations(one), 1, { op: 'recordEvent', event: 'arrived', stream: 'copies' });
        insert(operations(one), 3, { op: 'waitEvent', event: 'arrived', stream: 'compute' });
      },
      'the host waits': (one) => insert(operations(one), 2, synchronize('copies')),
    },
  },
  'record-stream: Tell the allocator': {
    right: {
      record_stream: (one) => {
        const list = operations(one);
        insert(list, list.findIndex(is('free')), { op: 'recordStream', buffer: 'input', stream: 'side' });
      },
      'an event that the stream main waits for': (one) => {
        one.events.push(event('used'));
        const list = operations(one);
        insert(
          list,
          list.findIndex(is('free')),
          { op: 'recordEvent', event: 'used', stream: 'side' },
          { op: 'waitEvent', event: 'used', stream: 'main' },
        );
      },
    },
    wrong: {
      'record_stream too late': (one) => {
        const list = operations(one);
        insert(list, list.length - 2, { op: 'recordStream', buffer: 'next', stream: 'side' });
      },
      'the input is not freed': (one) => {
        const list = operations(one);
        list.splice(list.findIndex(is('free')), 1);
      },
    },
  },
  'default-streams: Out of the way': {
    right: {
      'non-blocking streams': (one) => {
        for (const each of one.streams) each.flags = 'non-blocking';
      },
      'the small one into another stream': (one) => set(one, is('kernel', 'small one'), { stream: 'one' }),
    },
    wrong: {
      'the small one left out': (one) => void operations(one).splice(1, 1),
      'a stream of each own, still blocking': (one) => {
        one.streams.push({ id: 'three', flags: 'blocking', priority: 0 });
      },
    },
  },
  'default-streams: A default stream for each thread': {
    right: {
      'per-thread default streams': (one) => {
        one.environment.defaultStream = 'per-thread';
      },
    },
    wrong: { 'the legacy stream by name': (one) => set(one, is('kernel'), { stream: 'legacy' }) },
  },
  'strategies: Cut it yourself': {
    right: {
      'every other item in the second stream': (one) => {
        operations(one).forEach((operation, index) => {
          if ('stream' in operation && Math.floor(index / 3) % 2 === 1) operation.stream = 'lane2';
        });
      },
    },
    wrong: {
      'downloads in another stream, without an event': (one) =>
        set(one, (op) => op.op === 'copy' && op.src.startsWith('computed'), { stream: 'lane2' }),
      'fewer bytes': smaller,
    },
  },
  'two-directions: Up and down': {
    right: { 'the download in the second stream': (one) => set(one, is('copy', 'down'), { stream: 'two' }) },
    wrong: { 'both in the second stream': (one) => set(one, is('copy'), { stream: 'two' }) },
  },
  'mapped-memory: Read it eight times': {
    right: {
      'copied once': (one) => {
        memory(one, 'input', 'pinned');
        operations(one).unshift({
          op: 'copy',
          src: 'input',
          dst: 'loaded',
          srcOffset: 0,
          dstOffset: 0,
          mode: 'async',
          stream: 'work',
        });
        set(one, is('kernel'), { reads: ['loaded'] });
      },
    },
    wrong: {
      'fewer kernels': (one) => set(one, is('repeat'), { count: 1 }),
      'read from device memory that nobody filled': (one) => {
        set(one, is('kernel'), { reads: ['loaded'] });
        set(one, is('repeat'), { count: 7 });
      },
    },
  },
  'event-times: Measure it right': {
    right: { 'both in the stream of the kernel': (one) => set(one, is('recordEvent', 'end'), { stream: 'work' }) },
    wrong: {
      'both before the kernel': (one) => {
        const list = operations(one);
        const [end] = list.splice(2, 1);
        if (end !== undefined) insert(list, 1, end);
      },
    },
  },
  'running-ahead: Launch without waiting': {
    right: {
      'a synchronise every 500': (one) => {
        const [outer] = operations(one);
        if (outer?.op === 'repeat') outer.operations.push(synchronize('work'));
      },
    },
    wrong: {
      'fewer kernels': (one) => set(one, is('repeat'), { count: 2 }),
      'a synchronise at the end only': (one) => void operations(one).push(synchronize('work')),
    },
  },
  'hidden-synchronise: Print it later': {
    right: {
      'behind the loop': (one) => {
        const [loop] = operations(one);
        if (loop?.op !== 'repeat') throw new Error('the loop is gone');
        const [item] = loop.operations.splice(1, 1);
        if (item !== undefined) insert(operations(one), 1, item);
      },
    },
    wrong: {
      'never printed': (one) => {
        const [loop] = operations(one);
        if (loop?.op === 'repeat') loop.operations.splice(1, 1);
      },
      'a synchronise as well': (one) => void operations(one).push(synchronize('work')),
    },
  },
  'launch-blocking: Switch it off': {
    right: {
      'switched off': (one) => {
        one.environment.launchBlocking = false;
      },
    },
    wrong: { 'another stream': (one) => set(one, is('copy'), { stream: 'work' }) },
  },
  'tf32-beside-a-copy: Allow TF32': {
    right: {
      'TF32 allowed': (one) => {
        for (const found of every(one)) {
          if (found.op === 'kernel' && found.kernel.kind === 'matmul') found.kernel.tf32 = true;
        }
      },
    },
    wrong: {
      'another stream for the copies': (one) => set(one, is('copy'), { stream: 'work' }),
      'no copies': (one) => {
        const [loop] = operations(one);
        if (loop?.op === 'repeat') loop.operations.splice(0, 1);
      },
    },
  },
  'first-fft: Out of the way': {
    right: {
      'both copies first': (one) => {
        const list = operations(one);
        const [copy] = list.splice(4, 1);
        if (copy !== undefined) list.splice(2, 0, copy);
      },
      'planned before the run': (one) => {
        for (const found of every(one)) {
          if (found.op === 'kernel' && found.kernel.kind === 'fft') found.kernel.plan = 'before-run';
        }
      },
    },
    wrong: {
      'another stream': (one) => set(one, is('kernel', 'transform first'), { stream: 'copies' }),
      'one transform': (one) => void operations(one).splice(3, 1),
    },
  },
  'graphs: One call for fifty': {
    right: {
      'graph launches in the loop': (one) => {
        const loop = operations(one)[1];
        if (loop?.op === 'repeat') loop.operations = [{ op: 'graphLaunch', graph: 'step', stream: 'work' }];
      },
    },
    wrong: {
      'one graph launch behind the loop': (one) =>
        insert(operations(one), 2, { op: 'graphLaunch', graph: 'step', stream: 'work' }),
    },
  },
  'threaded-pinning: How many threads?': {
    right: {
      'both with threads': (one) =>
        set(one, is('multiCopy'), { strategy: 'threaded-pinning', options: { threads: 4 } }),
    },
    wrong: {
      'both with one': (one) => set(one, is('multiCopy'), { strategy: 'threaded-pinning', options: { threads: 1 } }),
    },
  },
  'multi-tensor-copier: Switch packing on': {
    right: { packing: (one) => set(one, is('multiCopy'), { options: { pack_cpu_tensors: true } }) },
    wrong: {
      'staging only': (one) =>
        set(one, is('multiCopy'), { options: { pack_cpu_tensors: false, use_pinned_staging: true } }),
    },
  },
  'multi-tensor-copier: Let the caller go on': {
    right: { 'all options': (one) => set(one, is('multiCopy'), { options: {} }) },
    wrong: {
      'staging without packing': (one) =>
        set(one, is('multiCopy'), { options: { pack_cpu_tensors: false, use_background_thread: false } }),
    },
  },
  'pipelined-staging: More threads': {
    right: { 'eight threads': (one) => set(one, is('multiCopy'), { options: { threads: 8 } }) },
    wrong: { 'two threads': (one) => set(one, is('multiCopy'), { options: { threads: 2 } }) },
  },
  'data-loader: Keep the device busy': {
    right: { 'decoding in 1 ms': (one) => set(one, is('work', 'decode'), { durationNs: 1_000_000 }) },
    wrong: {
      'faster steps': (one) => set(one, is('kernel'), { kernel: { kind: 'spin', durationNs: 500_000 } }),
      'no decoding': (one) => set(one, is('work', 'decode'), { durationNs: 1000 }),
    },
  },
  'two-gpus: One thread can do it, too': {
    right: {
      'issue all, then wait': (one) => {
        const [loop] = operations(one);
        if (loop?.op !== 'repeat') throw new Error('the loop is gone');
        const waits = loop.operations.filter(is('synchronizeStream'));
        const rest = loop.operations.filter((each) => each.op !== 'synchronizeStream');
        loop.operations = [...rest, ...waits];
        set(one, is('copy'), { mode: 'async' });
      },
    },
    wrong: { 'fewer rounds': (one) => set(one, is('repeat'), { count: 1 }) },
  },
};

/** Returns a copy of the experiment with a solution applied. */
export function solved(experiment: Experiment, change: Change): Experiment {
  const copy = structuredClone(experiment);
  change(copy);
  return requireExperiment(copy);
}
