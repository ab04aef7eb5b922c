/**
 * Solutions of every task, right and wrong, by lesson and title of the step. A right one passes all checks, a wrong one
 * doesn't; a task with several ways has several solutions. They are not shipped.
 */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { NewOperation as Operation } from '../../../core/experiment/operations.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';

export type Change = (experiment: Draft) => void;
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

/** Returns the loop of the first thread. */
function loopOf(experiment: Draft, index = 0) {
  const loop = operations(experiment)[index];
  if (loop?.op !== 'repeat') throw new Error('the loop is gone');
  return loop;
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

/** Removes the operations that fit, also inside groups. */
function remove(experiment: Draft, fits: (one: Operation) => boolean): void {
  const left = (list: readonly Operation[]): Operation[] =>
    list
      .filter((one) => !fits(one))
      .map((one) => ('operations' in one ? ({ ...one, operations: left(one.operations) } as Operation) : one));
  experiment.threads = experiment.threads.map((thread) => ({
    ...thread,
    operations: left(thread.operations) as typeof thread.operations,
  }));
}

const pinnedPayload: Change = (one) => {
  for (const found of every(one)) if (found.op === 'multiCopy') found.payload = { ...found.payload, memory: 'pinned' };
};

/** Multi-tensor copies and item() wait for their own work, so that other waits are of no use to them. */
const waitsItself = (experiment: Draft): boolean =>
  every(experiment).some((one) => one.op === 'multiCopy' || one.op === 'item');

const waiting = new Set(['synchronizeStream', 'synchronizeEvent', 'synchronizeDevice']);

/** Ways to spoil any right answer. A task may not be solved by leaving out what it is about. */
export const spoils: Readonly<Record<string, Change>> = {
  'without its kernels': (one) => remove(one, is('kernel')),
  'with kernels of half the work': (one) => {
    for (const { op, ...rest } of every(one).filter(is('kernel'))) {
      const { kernel } = rest as { kernel: Record<string, number> };
      for (const field of ['durationNs', 'passes', 'flops', 'm', 'batch']) {
        if (op === 'kernel' && kernel[field] !== undefined) kernel[field] = Math.ceil(kernel[field] / 2);
      }
    }
  },
  'with kernels that only spin': (one) => {
    for (const found of every(one)) {
      if (found.op === 'kernel' && found.kernel.kind !== 'spin') found.kernel = { kind: 'spin', durationNs: 1000 };
    }
  },
  'without its copies': (one) => remove(one, (op) => op.op === 'copy' || op.op === 'multiCopy'),
  'with copies of fewer bytes': (one) => {
    for (const found of every(one)) if (found.op === 'copy') found.bytes = 4096;
  },
  'with half of the tensors': (one) => {
    for (const found of every(one)) {
      if (found.op === 'multiCopy') found.payload = { ...found.payload, tensors: found.payload.tensors / 2 };
    }
  },
  'with one tensor of the same bytes': (one) => {
    for (const found of every(one)) {
      if (found.op !== 'multiCopy' || typeof found.payload.bytes !== 'number') continue;
      found.payload = { ...found.payload, tensors: 1, bytes: found.payload.tensors * found.payload.bytes };
    }
  },
  'without a wait of the host': (one) => {
    if (!waitsItself(one)) remove(one, (op) => waiting.has(op.op));
  },
  'with its waits first': (one) => {
    if (waitsItself(one)) return;
    const waits = every(one).filter((op) => waiting.has(op.op) && op.op !== 'synchronizeEvent');
    remove(one, (op) => waiting.has(op.op));
    insert(operations(one), 0, ...waits);
  },
  'without the work of the host': (one) => remove(one, is('work')),
  'with kernels that touch no data': (one) => {
    for (const found of every(one)) if (found.op === 'kernel') Object.assign(found, { reads: [], writes: [] });
  },
  'with half of the rounds': (one) => {
    for (const found of every(one)) if (found.op === 'repeat') found.count = Math.max(1, Math.floor(found.count / 2));
  },
};

export const solutions: Readonly<Record<string, Solutions>> = {
  'nothing-to-gain: Take the copies out': {
    right: { 'no copy': (one) => remove(one, is('copy')) },
    wrong: {
      'pinned instead': (one) => memory(one, 'batch', 'pinned'),
    },
  },
  'copy-it-once: Copy it once': {
    right: {
      'in a stream of its own, with an event': (one) => {
        const [copy] = loopOf(one).operations.splice(0, 1);
        one.streams.push(stream('copies'));
        one.events = [event('there')];
        if (copy?.op === 'copy') {
          insert(
            operations(one),
            0,
            { ...copy, stream: 'copies' },
            { op: 'recordEvent', event: 'there', stream: 'copies' },
            { op: 'waitEvent', event: 'there', stream: 'work' },
          );
        }
      },
      'before the loop': (one) => {
        const [copy] = loopOf(one).operations.splice(0, 1);
        if (copy !== undefined) insert(operations(one), 0, copy);
      },
    },
    wrong: {
      'copied after the loop': (one) => {
        const [copy] = loopOf(one).operations.splice(0, 1);
        if (copy !== undefined) insert(operations(one), 1, copy);
      },
    },
  },
  'settle-a-prediction: Settle it yourself': {
    right: {
      pinned: (one) => memory(one, 'tensor', 'pinned'),
      registered: (one) => memory(one, 'tensor', 'registered'),
    },
    wrong: {
      'asynchronous from pageable memory': (one) => set(one, is('copy'), { mode: 'async' }),
      'pinned, and nobody waits': (one) => {
        memory(one, 'tensor', 'pinned');
        set(one, is('copy'), { mode: 'async' });
      },
      'another stream': (one) => {
        one.streams.push(stream('side'));
        set(one, is('copy'), { stream: 'side' });
      },
    },
  },
  'two-buffers: Use the second buffer': {
    right: {
      'the odd batches in the other buffer': (one) => {
        set(one, is('copy', 'odd batch'), { dst: 'odd' });
        set(one, is('kernel', 'odd step'), { reads: ['odd'] });
        set(one, is('waitEvent', 'wait before the odd batch'), { event: 'used-odd' });
        remove(one, is('waitEvent', 'wait before the even batch'));
      },
    },
    wrong: {
      'one buffer, without the waits': (one) => remove(one, (op) => op.op === 'waitEvent' && op.stream === 'copies'),
      'the copy into the other buffer, and the kernel reads the first': (one) => {
        set(one, is('copy', 'odd batch'), { dst: 'odd' });
        remove(one, is('waitEvent', 'wait before the odd batch'));
      },
    },
  },
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
      'pageable memory in the side stream': (one) => {
        set(one, is('copy'), { stream: 'side' });
        for (const buffer of one.buffers) if (buffer.memory === 'pinned') buffer.memory = 'pageable';
      },
      'both into the side stream': (one) =>
        set(one, (op) => op.op === 'copy' || op.op === 'kernel', { stream: 'side' }),
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
      'the pageable copy after the kernel, in its stream': (one) => {
        const list = operations(one);
        const [copy] = list.splice(list.findIndex(is('copy')), 1);
        if (copy !== undefined) list.splice(list.findIndex(is('kernel')) + 1, 0, copy);
      },
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
    wrong: {
      'from the pageable tensor at once': (one) => {
        operations(one).shift();
        set(one, is('copy'), { src: 'tensor' });
      },
      'the tensor in pinned memory, and still pinned again': (one) => memory(one, 'tensor', 'pinned'),
      'made in pinned memory, and nobody waits': (one) => {
        memory(one, 'tensor', 'pinned');
        operations(one).shift();
        set(one, is('copy'), { src: 'tensor', mode: 'async' });
      },
    },
  },
  'one-synchronise: Save the waiting': {
    right: {
      'an event that the host waits for': (one) => {
        set(one, is('copy'), { mode: 'async' });
        one.events = [event('copied')];
        operations(one).push(
          { op: 'recordEvent', event: 'copied', stream: 'default' },
          { op: 'synchronizeEvent', event: 'copied' },
        );
      },
      'asynchronous, one synchronise': (one) => {
        set(one, is('copy'), { mode: 'async' });
        operations(one).push({ op: 'synchronizeDevice' });
      },
    },
    wrong: {
      'pinned, and a wait after each': (one) => memory(one, 'tensor', 'pinned'),
      'asynchronous, one synchronise before the loop': (one) => {
        set(one, is('copy'), { mode: 'async' });
        operations(one).unshift({ op: 'synchronizeDevice' });
      },
      'a synchronise inside the loop': (one) => {
        set(one, is('copy'), { mode: 'async' });
        loopOf(one).operations.push(synchronize('default'));
      },
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
      'four of the six': (one) => void operations(one).splice(0, 4),
      'all in a blocking loop': (one) => set(one, is('multiCopy'), { strategy: 'blocking-loop', options: {} }),
      'all pinned by the caller first': (one) => set(one, is('multiCopy'), { strategy: 'pin-then-copy', options: {} }),
    },
  },
  'kv-blocks: Choose the strategy': {
    right: {
      'by one kernel': (one) => set(one, is('blockCopy'), { strategy: 'kernel' }),
      'by itself': (one) => set(one, is('blockCopy'), { strategy: 'auto' }),
    },
    wrong: {
      'by one call': (one) => set(one, is('blockCopy'), { strategy: 'batch' }),
      'by a call for each': (one) => set(one, is('blockCopy'), { strategy: 'loop' }),
      'half of the blocks, by one kernel': (one) => {
        for (const found of every(one).filter(is('blockCopy'))) {
          if (found.op === 'blockCopy') Object.assign(found, { strategy: 'kernel', blocks: found.blocks / 2 });
        }
      },
      gathered: (one) => set(one, is('blockCopy'), { strategy: 'packed' }),
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
    },
  },
  'source-in-flight: How long it must live': {
    right: {
      'freed behind the synchronise': (one) => operations(one).push(...operations(one).splice(4, 1)),
      'freed behind the work': (one) => insert(operations(one), 5, ...operations(one).splice(4, 1)),
      'memory of PyTorch’s allocator': (one) => set(one, is('allocate'), { allocator: 'caching' }),
    },
    wrong: {
      'never freed': (one) => remove(one, is('free')),
      'freed before its copy': (one) => insert(operations(one), 3, ...operations(one).splice(4, 1)),
      'work before the copy': (one) => insert(operations(one), 3, ...operations(one).splice(5, 1)),
      'made before the run': (one) => {
        remove(one, (op) => op.op === 'free' || op.op === 'allocate');
        Object.assign(one.buffers[0] ?? {}, { allocated: 'before-run' });
      },
      'pageable, which is staged': (one) => memory(one, 'temporary', 'pageable'),
      'changed while its copy runs': (one) => {
        operations(one).push(...operations(one).splice(4, 1));
        insert(operations(one), 4, {
          op: 'write',
          buffer: 'temporary',
          offset: 0,
          pattern: { kind: 'random', seed: 2 },
        });
      },
    },
  },
  'early-read: Wait for it': {
    right: {
      'a synchronise before the read': (one) => insert(operations(one), 2, synchronize('default')),
      'an event behind the copy': (one) => {
        one.events = [event('arrived')];
        insert(
          operations(one),
          2,
          { op: 'recordEvent', event: 'arrived', stream: 'default' },
          { op: 'synchronizeEvent', event: 'arrived' },
        );
      },
    },
    wrong: {
      'pageable memory, for which CUDA promises no wait': (one) => memory(one, 'received', 'pageable'),
      'no read': (one) => remove(one, is('read')),
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
    wrong: {
      'the work first': (one) => {
        const [copy, work] = operations(one).splice(0, 2);
        if (copy !== undefined && work !== undefined) insert(operations(one), 0, work, copy);
      },
      'another stream': (one) => set(one, is('copy'), { stream: 'default' }),
    },
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
      'both in one stream': (one) => {
        for (const found of every(one)) if ('stream' in found) found.stream = 'copies';
      },
      'the event before the copy': (one) => {
        one.events = [event('arrived')];
        insert(operations(one), 1, { op: 'recordEvent', event: 'arrived', stream: 'copies' });
        insert(operations(one), 3, { op: 'waitEvent', event: 'arrived', stream: 'compute' });
      },
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
      'cudaFree, which waits for the device': (one) =>
        set(one, (op) => op.op === 'allocate', { allocator: 'cuda-malloc' }),
      'everything in one stream': (one) => {
        for (const found of every(one)) if ('stream' in found) found.stream = 'main';
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
      'a small one that takes no time': (one) =>
        set(one, is('kernel', 'small one'), { kernel: { kind: 'spin', durationNs: 0 } }),
      'launch blocking': (one) => {
        one.environment.launchBlocking = true;
      },
    },
  },
  'default-streams: A default stream for each thread': {
    right: {
      'per-thread default streams': (one) => {
        one.environment.defaultStream = 'per-thread';
      },
    },
    wrong: {
      'launch blocking': (one) => {
        one.environment.launchBlocking = true;
      },
      'the legacy stream by name': (one) => set(one, is('kernel'), { stream: 'legacy' }),
    },
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
      'kernels in the second stream, without an event': (one) => set(one, is('kernel'), { stream: 'lane2' }),
      'downloads in another stream, without an event': (one) =>
        set(one, (op) => op.op === 'copy' && op.src.startsWith('computed'), { stream: 'lane2' }),
    },
  },
  'two-directions: Up and down': {
    right: { 'the download in the second stream': (one) => set(one, is('copy', 'down'), { stream: 'two' }) },
    wrong: {
      'pageable memory': (one) => {
        set(one, is('copy', 'down'), { stream: 'two' });
        memory(one, 'output', 'pageable');
      },
      'the same bytes twice up': (one) => set(one, is('copy', 'down'), { src: 'input', dst: 'loaded', stream: 'two' }),
    },
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
      'pinned instead of mapped memory, unread': (one) => set(one, is('kernel'), { reads: ['loaded'] }),
      'read from device memory that nobody filled': (one) => {
        set(one, is('kernel'), { reads: ['loaded'] });
        set(one, is('repeat'), { count: 7 });
      },
    },
  },
  'event-times: Measure it right': {
    right: { 'both in the stream of the kernel': (one) => set(one, is('recordEvent', 'end'), { stream: 'work' }) },
    wrong: {
      'no wait before the time is asked for': (one) => {
        set(one, is('recordEvent', 'end'), { stream: 'work' });
        remove(one, is('synchronizeDevice'));
      },
      'nobody asks': (one) => {
        set(one, is('recordEvent', 'end'), { stream: 'work' });
        remove(one, is('elapsedTime'));
      },
    },
  },
  'running-ahead: Launch without waiting': {
    right: {
      'a synchronise every 500': (one) => {
        loopOf(one).operations.push(synchronize('work'));
      },
    },
    wrong: {
      'a synchronise at the end only': (one) => void operations(one).push(synchronize('work')),
    },
  },
  'hidden-synchronise: Print it later': {
    right: {
      'a copy that the last synchronise waits for': (one) => {
        const loss = one.buffers[0];
        if (loss !== undefined) one.buffers.push({ ...loss, id: 'printed', memory: 'pinned' });
        loopOf(one).operations.splice(1, 1);
        insert(operations(one), 1, {
          op: 'copy',
          src: 'loss',
          dst: 'printed',
          mode: 'async',
          stream: 'work',
        } as Operation);
      },
      'behind the loop': (one) => {
        const [item] = loopOf(one).operations.splice(1, 1);
        if (item !== undefined) insert(operations(one), 1, item);
      },
    },
    wrong: {
      'the loss of no step, before the loop': (one) => {
        const [item] = loopOf(one).operations.splice(1, 1);
        if (item !== undefined) insert(operations(one), 0, item);
      },
      'a copy that nobody waits for': (one) => {
        const loss = one.buffers[0];
        if (loss !== undefined) one.buffers.push({ ...loss, id: 'printed', memory: 'pinned' });
        loopOf(one).operations.splice(1, 1);
        remove(one, (op) => waiting.has(op.op));
        operations(one).push({ op: 'copy', src: 'loss', dst: 'printed', mode: 'async', stream: 'work' } as Operation);
      },
      'never printed': (one) => {
        loopOf(one).operations.splice(1, 1);
      },
    },
  },
  'hidden-synchronise: Take it out': {
    right: {
      'fetched behind the loop': (one) => insert(operations(one), 1, ...loopOf(one).operations.splice(3, 1)),
      'fetched into pinned memory': (one) => memory(one, 'report', 'pinned'),
    },
    wrong: {
      'never fetched': (one) => void loopOf(one).operations.splice(3, 1),
      'fetched before the step': (one) => {
        memory(one, 'report', 'pinned');
        const list = loopOf(one).operations;
        insert(list, 0, ...list.splice(3, 1));
      },
      'printed before it is there': (one) => {
        memory(one, 'report', 'pinned');
        insert(operations(one), 1, ...operations(one).splice(2, 1));
      },
      'never printed': (one) => {
        memory(one, 'report', 'pinned');
        remove(one, is('read'));
      },
      'the upload from pageable memory as well': (one) => memory(one, 'batch', 'pageable'),
      'an event waited for in each step': (one) => {
        memory(one, 'report', 'pinned');
        insert(loopOf(one).operations, 4, synchronize('work'));
      },
    },
  },
  'launch-blocking: Switch it off': {
    right: {
      'switched off': (one) => {
        one.environment.launchBlocking = false;
      },
    },
    wrong: {
      'one stream, and switched off': (one) => {
        one.environment.launchBlocking = false;
        for (const found of every(one)) if ('stream' in found) found.stream = 'work';
      },
      'another stream': (one) => set(one, is('copy'), { stream: 'work' }),
    },
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
      'half precision': (one) => {
        for (const found of every(one)) {
          if (found.op === 'kernel' && found.kernel.kind === 'matmul') found.kernel.dtype = 'float16';
        }
      },
      'another stream for the copies': (one) => set(one, is('copy'), { stream: 'work' }),
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
        loopOf(one, 1).operations = [{ op: 'graphLaunch', graph: 'step', stream: 'work' }];
      },
    },
    wrong: {
      'one graph launch behind the loop': (one) =>
        insert(operations(one), 2, { op: 'graphLaunch', graph: 'step', stream: 'work' }),
    },
  },
  'threaded-pinning: How many threads?': {
    right: {
      'staged through slots by eight threads': (one) =>
        set(one, is('multiCopy', 'one thread'), { strategy: 'pipelined', options: { threads: 8 } }),
      'both with threads': (one) =>
        set(one, is('multiCopy'), { strategy: 'threaded-pinning', options: { threads: 4 } }),
    },
    wrong: {
      'tensors that are pinned already': (one) => {
        set(one, is('multiCopy'), { strategy: 'non-blocking-loop', options: {} });
        pinnedPayload(one);
      },
      'the first job left out': (one) => void operations(one).splice(0, 1),
    },
  },
  'multi-tensor-copier: Switch packing on': {
    right: { packing: (one) => set(one, is('multiCopy'), { options: { pack_cpu_tensors: true } }) },
    wrong: {
      'tensors that are pinned already': pinnedPayload,
      'staging only': (one) =>
        set(one, is('multiCopy'), { options: { pack_cpu_tensors: false, use_pinned_staging: true } }),
    },
  },
  'multi-tensor-copier: Let the caller go on': {
    right: {
      'the background thread': (one) => set(one, is('multiCopy'), { options: { use_background_thread: true } }),
      'the job in a thread of its own': (one) => {
        const [job, work, wait] = operations(one);
        if (job === undefined || work === undefined || wait === undefined) throw new Error('an operation is missing');
        one.threads = [
          { id: 'main', operations: [work] },
          { id: 'copier', operations: [job, wait] },
        ] as typeof one.threads;
      },
    },
    wrong: {
      'all options, in the same thread': (one) => set(one, is('multiCopy'), { options: {} }),
      'packing without the background thread': (one) =>
        set(one, is('multiCopy'), { options: { use_background_thread: false } }),
    },
  },
  'pipelined-staging: More threads': {
    right: {
      'sixteen threads': (one) => set(one, is('multiCopy'), { options: { threads: 16 } }),
      'eight threads': (one) => set(one, is('multiCopy'), { options: { threads: 8 } }),
    },
    wrong: {
      'tensors that are pinned already': (one) => {
        set(one, is('multiCopy'), { strategy: 'non-blocking-loop', options: {} });
        pinnedPayload(one);
      },
      'in a loop without waiting': (one) => set(one, is('multiCopy'), { strategy: 'non-blocking-loop', options: {} }),
    },
  },
  'data-loader: Keep the device busy': {
    right: { 'decoding in 1 ms': (one) => set(one, is('work', 'decode'), { durationNs: 1_000_000 }) },
    wrong: {
      'no decoding': (one) => set(one, is('work', 'decode'), { durationNs: 1000 }),
    },
  },
  'two-gpus: One thread can do it, too': {
    right: {
      'one wait for each at the end': (one) => {
        remove(one, (op) => waiting.has(op.op));
        set(one, is('copy'), { mode: 'async' });
        operations(one).push(synchronize('first'), synchronize('second'));
      },
      'issue all, then wait': (one) => {
        const loop = loopOf(one);
        const waits = loop.operations.filter(is('synchronizeStream'));
        const rest = loop.operations.filter((each) => each.op !== 'synchronizeStream');
        loop.operations = [...rest, ...waits];
        set(one, is('copy'), { mode: 'async' });
      },
    },
    wrong: {
      'only the first GPU is waited for': (one) => {
        remove(one, (op) => op.op === 'synchronizeStream' && op.stream === 'second');
        set(one, is('copy'), { mode: 'async' });
      },
    },
  },
};

/** Returns a copy of the experiment with a solution applied. */
export function solved(experiment: Experiment, change: Change): Experiment {
  const copy = structuredClone(experiment);
  change(copy);
  return requireExperiment(copy);
}
