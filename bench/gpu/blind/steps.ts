/** Shapes of whole programs: training steps, graphs, allocators, crowds of kernels, default streams, and any mixture. */
import { KiB, MiB } from '../../../core/units.ts';
import { copy, end, record, repeat, spin, wait } from '../corpus/parts.ts';
import { mostOf, type Operation, type Sketch } from './sketch.ts';
import { pair } from './transfers.ts';

/** Forward, loss, backward: many short kernels, a scalar read back, gradients cleared, the next batch coming in. */
export function training(sketch: Sketch): void {
  const { random } = sketch;
  const [computing, copying] = [sketch.stream(), sketch.stream()];
  const bytes = sketch.bytes(128 * KiB, 8 * MiB);
  const source = sketch.host(sketch.memory(), bytes);
  const [next, batch, out, gradients] = sketch.each(4, () => sketch.device(bytes));
  if (next === undefined || batch === undefined || out === undefined || gradients === undefined) return;
  const [copied, free] = [sketch.event(), sketch.event()];
  const data = { reads: batch, writes: out, bytes };
  const layer = sketch.each(sketch.whole(1, 4), () => sketch.kernel(computing, data, 40));
  const layers = sketch.whole(4, 30);
  const backward = sketch.each(sketch.whole(1, 3), () =>
    sketch.kernel(computing, { reads: out, writes: gradients, bytes }, 60),
  );
  const operations: Operation[] = [
    ...[wait(free, copying), copy(source, next, copying), record(copied, copying)],
    repeat(layers, ...layer),
    { op: 'memset', buffer: gradients, value: 0, stream: computing },
    ...(random.chance(0.6) ? [{ op: 'item', buffer: out, stream: computing } as const] : []),
    repeat(layers, ...backward),
    ...(random.chance(0.3)
      ? [{ op: 'hostFunction', durationNs: 1000 * sketch.whole(2, 40), stream: computing } as const]
      : []),
    ...[wait(copied, computing), copy(next, batch, computing), record(free, computing)],
    ...(random.chance(0.4) ? [sketch.work(20, 300)] : []),
  ];
  const count = sketch.whole(2, 4);
  const steps: Operation[] = random.chance(0.5)
    ? [{ op: 'repeat', count, operations }]
    : sketch.each(count, (index) => ({ op: 'range', name: `step ${index}`, operations }));
  sketch.threads.push([...steps, end]);
}

/** A captured step that is launched again and again, fed by copies of its own or from outside. */
export function graph(sketch: Sketch): void {
  const { random } = sketch;
  const [stream, other] = [sketch.stream(), sketch.stream()];
  const bytes = sketch.bytes(1 * KiB, 4 * MiB);
  const [input, output] = [sketch.host('pinned', bytes), sketch.host('pinned', bytes)];
  const data = pair(sketch, bytes);
  const side = pair(sketch, bytes);
  const inside: Operation[] = [];
  const forks = random.chance(0.4);
  const [fork, join] = [sketch.event(), sketch.event()];
  if (random.chance(0.7)) inside.push(copy(input, data.reads, stream));
  if (forks) inside.push(record(fork, stream), wait(fork, other), sketch.kernel(other, side, 60));
  const kernels = sketch.each(sketch.whole(1, 4), () => sketch.kernel(stream, data, 40));
  inside.push(repeat(sketch.whole(1, 40), ...kernels));
  if (random.chance(0.3)) inside.push({ op: 'memset', buffer: data.reads, value: 3, stream });
  if (forks) inside.push(record(join, other), wait(join, stream));
  if (random.chance(0.7)) inside.push(copy(data.writes, output, stream));
  const launches: Operation[] = [{ op: 'graphLaunch', graph: 'g', stream }];
  if (random.chance(0.4)) launches.push({ op: 'synchronizeStream', stream });
  if (random.chance(0.4)) launches.push(sketch.work(5, 100));
  const capture: Operation = { op: 'graphCapture', graph: 'g', stream, operations: inside };
  const beside: Operation[] = [];
  if (random.chance(0.4)) {
    const moved = sketch.bytes(MiB, 32 * MiB);
    const third = sketch.stream();
    beside.push(copy(sketch.host(sketch.memory(), moved), sketch.device(moved), third));
  }
  sketch.threads.push([capture, ...beside, repeat(sketch.whole(2, 12), ...launches), end]);
}

/** Tensors that come and go: the caching allocator, a pool or cudaMalloc, filled by the same stream or a side one. */
export function allocations(sketch: Sketch): void {
  const { random } = sketch;
  const [stream, side] = [sketch.stream(), sketch.stream()];
  const allocator = random.pick(['caching', 'caching', 'caching', 'pool', 'cuda-malloc']);
  const asides = allocator === 'caching' && random.chance(0.5);
  const count = sketch.whole(1, 4);
  const operations: Operation[] = [];
  const out = sketch.device(32 * MiB);
  const tensors = sketch.each(count, () => {
    const bytes = sketch.bytes(4 * KiB, 24 * MiB);
    return { made: sketch.made(bytes), source: sketch.host(sketch.memory(), bytes), bytes };
  });
  const free = tensors.map(({ made }): Operation => ({ op: 'free', buffer: made, stream }));
  for (const { made, source, bytes } of tensors) {
    operations.push({ op: 'allocate', buffer: made, allocator, stream });
    if (asides) {
      const [ready, copied] = [sketch.event(), sketch.event()];
      operations.push(record(ready, stream), wait(ready, side), copy(source, made, side));
      operations.push(record(copied, side), wait(copied, stream), { op: 'recordStream', buffer: made, stream: side });
    } else operations.push(copy(source, made, stream));
    operations.push(sketch.kernel(stream, { reads: made, writes: out, bytes }, 300));
    if (random.chance(0.5)) operations.push(...free.splice(0, 1));
  }
  operations.push(...free);
  if (random.chance(0.3)) operations.push({ op: 'item', buffer: out, stream });
  sketch.threads.push([repeat(sketch.whole(2, 6), ...operations), end]);
}

/** Kernels of every kind with shares of the multiprocessors in many streams, some more urgent, and a few copies. */
export function crowd(sketch: Sketch): void {
  const { random } = sketch;
  const urgent = random.chance(0.4);
  const streams = sketch.each(sketch.whole(2, 6), () => ({
    stream: sketch.stream(urgent ? { priority: -random.below(3) } : {}),
    ...pair(sketch, sketch.bytes(256 * KiB, 32 * MiB)),
  }));
  const main: Operation[] = [];
  for (let count = sketch.whole(6, 30); count > 0; count -= 1) {
    const { stream, ...data } = random.pick(streams);
    main.push(sketch.kernel(stream, data, 500));
    if (random.chance(0.15)) {
      const bytes = sketch.bytes(64 * KiB, 16 * MiB);
      main.push(copy(sketch.host('pinned', bytes), sketch.device(bytes), stream));
    }
    if (random.chance(0.1)) main.push(sketch.work(5, 80));
  }
  sketch.threads.push([...main, end]);
}

/** Effects of default streams on a program that doesn't consider them. */
export function defaults(sketch: Sketch): void {
  const { random } = sketch;
  sketch.environment = {
    defaultStream: random.chance(0.3) ? 'per-thread' : 'legacy',
    launchBlocking: random.chance(0.2),
  };
  const streams = ['default', sketch.stream({ flags: 'blocking' }), sketch.stream({ flags: 'blocking' })];
  if (random.chance(0.5)) streams.push(sketch.stream());
  const threads = random.chance(0.25) ? 2 : 1;
  for (let thread = 0; thread < threads; thread += 1) {
    // A stream of one thread holds data of that thread only.
    const of = streams.map((stream) => ({ stream, ...pair(sketch, sketch.bytes(64 * KiB, 8 * MiB)) }));
    const main: Operation[] = [];
    for (let count = sketch.whole(5, 20); count > 0; count -= 1) {
      const { stream, ...data } = random.pick(of);
      if (random.chance(0.5)) main.push(sketch.kernel(stream, data, 300));
      else main.push(copy(sketch.host(sketch.memory(), data.bytes), data.reads, stream));
    }
    sketch.threads.push([...main, end]);
  }
}

/** Anything in any order: each stream has data of its own, so that no race can be, and events add edges between them. */
export function mixture(sketch: Sketch): void {
  const { random } = sketch;
  const threads = sketch.whole(1, 3);
  const all: string[] = [];
  for (let thread = 0; thread < threads; thread += 1) {
    const own = sketch.each(sketch.whole(1, 3), () => {
      const bytes = sketch.bytes(4, 12 * MiB);
      const memory = sketch.memory();
      return {
        ...{ stream: sketch.stream(), bytes, source: sketch.host(memory, bytes) },
        ...{ target: sketch.host(sketch.memory(), bytes), reads: sketch.device(bytes), writes: sketch.device(bytes) },
      };
    });
    all.push(...own.map(({ stream }) => stream));
    const main: Operation[] = [];
    for (let count = sketch.whole(6, 24); count > 0; count -= 1) {
      const { stream, bytes, source, target, reads, writes } = random.pick(own);
      const choices: (() => Operation | Operation[])[] = [
        () => copy(source, reads, stream),
        () => copy(source, reads, stream, { mode: random.pick(['async', 'blocking-to']) }),
        () => copy(writes, target, stream),
        () => sketch.kernel(stream, { reads, writes, bytes }, 400),
        () => sketch.kernel(stream, { reads, writes, bytes }, 60),
        () => ({ op: 'memset', buffer: writes, value: count, stream }),
        () => copy(reads, writes, stream),
        () => ({ op: 'item', buffer: writes, stream }),
        () => ({ op: 'synchronizeStream', stream }),
        () => sketch.work(5, 200),
        () => repeat(sketch.whole(2, 20), spin(Math.round(sketch.between(2, 30)), stream)),
        () => edge(sketch, stream, random.pick(own).stream),
        () => edge(sketch, stream, random.pick(own).stream),
      ];
      main.push(...[random.pick(choices)()].flat());
    }
    sketch.threads.push([...main, end]);
  }
}

function edge(sketch: Sketch, from: string, to: string): Operation[] {
  const event = sketch.event();
  return [record(event, from), wait(event, to)];
}

/** One thread launches kernels while another brings data: which one delays the other? */
export function background(sketch: Sketch): void {
  const { random } = sketch;
  const [computing, copying] = [sketch.stream(), sketch.stream()];
  const data = pair(sketch, sketch.bytes(256 * KiB, 16 * MiB));
  const kernels = sketch.each(sketch.whole(1, 3), () => sketch.kernel(computing, data, 80));
  const pause = random.chance(0.3) ? [{ op: 'synchronizeStream', stream: computing } as const] : [];
  sketch.threads.push([repeat(sketch.whole(5, 60), ...kernels, ...pause), end]);
  for (let helper = sketch.whole(1, 2); helper > 0; helper -= 1) {
    const memory = sketch.memory();
    const count = sketch.whole(2, 8);
    const bytes = sketch.bytes(16 * KiB, Math.min(12 * MiB, mostOf(memory) / count));
    const [source, target] = [sketch.host(memory, bytes), sketch.device(bytes)];
    const mode = random.pick(['async', 'blocking-to']);
    const stream = helper === 1 ? copying : sketch.stream();
    const operations = [copy(source, target, stream, { mode }), ...(random.chance(0.4) ? [sketch.work(5, 100)] : [])];
    sketch.threads.push([repeat(count, ...operations), { op: 'synchronizeStream', stream }]);
  }
}

/** A microbenchmark as people write it: two events around many equal pieces of work, then the time between them. */
export function benchmark(sketch: Sketch): void {
  const { random } = sketch;
  const stream = random.chance(0.3) ? 'default' : sketch.stream();
  const main: Operation[] = [];
  for (let times = sketch.whole(1, 3); times > 0; times -= 1) {
    const [start, stop] = [sketch.event(), sketch.event()];
    const bytes = sketch.bytes(4, 16 * MiB);
    const data = pair(sketch, bytes);
    const memory = sketch.memory();
    const bound = Math.max(1, Math.min(200, Math.floor(mostOf(memory) / bytes)));
    const what: Operation = random.pick([
      copy(sketch.host(memory, bytes), data.reads, stream),
      copy(data.writes, sketch.host(memory, bytes), stream),
      copy(data.reads, data.writes, stream),
      sketch.kernel(stream, data, 60),
      { op: 'memset', buffer: data.writes, value: 1, stream },
      { op: 'item', buffer: data.writes, stream },
    ]);
    main.push(record(start, stream), repeat(sketch.whole(1, bound), what), record(stop, stream));
    main.push({ op: 'synchronizeEvent', event: stop }, { op: 'elapsedTime', start, end: stop });
  }
  sketch.threads.push([...main, end]);
}

/** Steps go on while what they made is written out in parts to host memory. */
export function checkpoint(sketch: Sketch): void {
  const { random } = sketch;
  const [computing, saving] = [sketch.stream(), sketch.stream()];
  const memory = random.pick(['pinned', 'pinned', 'pageable'] as const);
  const parts = sketch.whole(2, 8);
  const bytes = sketch.bytes(256 * KiB, Math.min(24 * MiB, mostOf(memory) / parts));
  const copies = sketch.each(parts, () => ({ ...pair(sketch, bytes), done: sketch.event() }));
  const saved = sketch.host(memory, bytes * parts);
  const data = pair(sketch, sketch.bytes(MiB, 16 * MiB));
  const main: Operation[] = [];
  copies.forEach(({ reads, writes, done }, index) => {
    const kernels = sketch.each(sketch.whole(1, 6), () => sketch.kernel(computing, data, 150));
    main.push(...kernels, copy(reads, writes, computing), record(done, computing), wait(done, saving));
    main.push(copy(writes, saved, saving, { dstOffset: index * bytes }));
  });
  if (random.chance(0.5)) main.push({ op: 'synchronizeStream', stream: saving }, { op: 'read', buffer: saved, bytes });
  sketch.threads.push([...main, end]);
}
