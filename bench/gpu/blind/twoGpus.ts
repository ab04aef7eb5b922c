/**
 * Shapes of programs that use two GPUs: peer copies with and without peer access, one host thread for both and one for
 * each, stages that hand data on, and many tensors for both. All are free of races. They need a machine with two GPUs.
 */
import { KiB, MiB } from '../../../core/units.ts';
import { copy, record, wait } from '../corpus/parts.ts';
import { mostOf, type Operation, type Sketch } from './sketch.ts';

const gpus = ['gpu0', 'gpu1'] as const;
type Gpu = (typeof gpus)[number];

const synchronize = (device: Gpu): Operation => ({ op: 'synchronizeDevice', device });

/** Declares both devices and draws whether one reads the other's memory directly. */
function begin(sketch: Sketch): void {
  sketch.devices.push(...gpus.map((id, index) => ({ id, index })));
  sketch.environment = { peerAccess: sketch.random.chance(0.6) };
}

const streamOn = (sketch: Sketch, device: Gpu): string => sketch.stream({ device, flags: 'non-blocking' });

/** One direction, a copy or several in a row, behind a kernel or alone. */
function peers(sketch: Sketch): void {
  begin(sketch);
  const bytes = sketch.bytes(16 * KiB, 256 * MiB);
  const [here, there] = [sketch.device(bytes, 'gpu0'), sketch.device(bytes, 'gpu1')];
  const stream = streamOn(sketch, 'gpu0');
  const main: Operation[] = [];
  if (sketch.random.chance(0.5)) main.push(sketch.kernel(stream, { reads: here, writes: here, bytes }, 200));
  for (let turn = sketch.whole(1, 4); turn > 0; turn -= 1) main.push(copy(here, there, stream));
  sketch.threads.push([...main, synchronize('gpu0')]);
}

/** Both directions at once, as halves of an all-reduce, each followed by a kernel that reads what came. */
function exchange(sketch: Sketch): void {
  begin(sketch);
  const bytes = sketch.bytes(256 * KiB, 128 * MiB);
  const rounds = sketch.whole(1, 3);
  const sides = gpus.map((gpu) => ({
    ...{ own: sketch.device(bytes, gpu), come: sketch.device(bytes, gpu), out: sketch.device(bytes, gpu) },
    ...{ stream: streamOn(sketch, gpu), sent: sketch.event(), used: sketch.event() },
  }));
  const [one, two] = sides;
  if (one === undefined || two === undefined) return;
  const pairs = [[one, two] as const, [two, one] as const];
  const main: Operation[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [from, to] of pairs) {
      if (round > 0) main.push(wait(to.used, from.stream));
      main.push(copy(from.own, to.come, from.stream), record(from.sent, from.stream));
    }
    for (const [from, to] of pairs) {
      main.push(wait(from.sent, to.stream));
      main.push(sketch.kernel(to.stream, { reads: to.come, writes: to.out, bytes }, 300), record(to.used, to.stream));
    }
  }
  sketch.threads.push([...main, synchronize('gpu0'), synchronize('gpu1')]);
}

interface Feed {
  readonly batches: number;
  readonly bytes: number;
  readonly memory: ReturnType<Sketch['memory']>;
  readonly kernels: number;
  readonly blocking: boolean;
  readonly back: boolean;
}

function drawFeed(sketch: Sketch): Feed {
  const memory = sketch.memory();
  const batches = sketch.whole(2, 6);
  const bytes = sketch.bytes(64 * KiB, Math.min(16 * MiB, mostOf(memory) / (2 * batches)));
  const { random } = sketch;
  return {
    memory,
    batches,
    bytes,
    kernels: sketch.whole(1, 3),
    blocking: random.chance(0.4),
    back: random.chance(0.5),
  };
}

/** Operations of a GPU's batches, by batch. */
function fed(sketch: Sketch, gpu: Gpu, { batches, bytes, memory, kernels, blocking, back }: Feed): Operation[][] {
  const whole = sketch.host(memory, bytes * batches);
  const [batch, out] = [sketch.device(bytes, gpu), sketch.device(bytes, gpu)];
  const result = sketch.host(memory, bytes);
  const stream = streamOn(sketch, gpu);
  return sketch.each(batches, (index) => [
    copy(whole, batch, stream, { srcOffset: index * bytes, bytes, mode: blocking ? 'blocking-to' : 'async' }),
    ...sketch.each(kernels, () => sketch.kernel(stream, { reads: batch, writes: out, bytes }, 300)),
    ...(back && index === batches - 1 ? [copy(out, result, stream)] : []),
    { op: 'synchronizeStream', stream } as const,
  ]);
}

/** One host thread feeds both GPUs in turn, as DataParallel does. */
function oneThread(sketch: Sketch): void {
  begin(sketch);
  const feed = drawFeed(sketch);
  const [first = [], second = []] = gpus.map((gpu) => fed(sketch, gpu, feed));
  const isWaitingOnce = sketch.random.chance(0.5);
  const turns = first.flatMap((turn, index) => {
    const both = [...turn, ...(second[index] ?? [])];
    if (!isWaitingOnce) return both;
    const waits = both.filter(({ op }) => op === 'synchronizeStream');
    return [...both.filter(({ op }) => op !== 'synchronizeStream'), ...waits];
  });
  sketch.threads.push(turns);
}

/** Each GPU has a host thread of its own. */
function twoThreads(sketch: Sketch): void {
  begin(sketch);
  const feed = drawFeed(sketch);
  for (const gpu of gpus) sketch.threads.push(fed(sketch, gpu, feed).flat());
}

/** A batch comes to the first GPU, is computed on, goes on to the second, is computed on, and comes back: stages of a pipeline. */
function stages(sketch: Sketch): void {
  begin(sketch);
  const rounds = sketch.whole(2, 5);
  const bytes = sketch.bytes(256 * KiB, 32 * MiB);
  const memory = sketch.random.chance(0.8) ? 'pinned' : 'pageable';
  const [source, result] = [sketch.host(memory, bytes), sketch.host(memory, bytes)];
  const [batch, made] = [sketch.device(bytes, 'gpu0'), sketch.device(bytes, 'gpu0')];
  const [come, out] = [sketch.device(bytes, 'gpu1'), sketch.device(bytes, 'gpu1')];
  const [first, second] = [streamOn(sketch, 'gpu0'), streamOn(sketch, 'gpu1')];
  const [handed, used] = [sketch.event(), sketch.event()];
  const main: Operation[] = [];
  for (let round = 0; round < rounds; round += 1) {
    main.push(copy(source, batch, first), sketch.kernel(first, { reads: batch, writes: made, bytes }, 300));
    if (round > 0) main.push(wait(used, first));
    main.push(copy(made, come, first), record(handed, first), wait(handed, second));
    main.push(sketch.kernel(second, { reads: come, writes: out, bytes }, 300), record(used, second));
    main.push(copy(out, result, second));
  }
  sketch.threads.push([...main, synchronize('gpu0'), synchronize('gpu1')]);
}

/** Many tensors for both GPUs, from one thread or two. */
function tensorsToTwo(sketch: Sketch): void {
  begin(sketch);
  const { random } = sketch;
  const memory = random.pick(['pageable', 'pinned'] as const);
  const bytes = sketch.bytes(4 * KiB, 2 * MiB);
  const tensors = Math.max(2, Math.min(sketch.whole(8, 200), Math.floor((32 * MiB) / bytes)));
  const direction = random.pick(['h2d', 'h2d', 'd2h'] as const);
  const strategy = random.pick(['pipelined', 'pipelined', 'packed', 'non-blocking-loop'] as const);
  const some = gpus.map((gpu): Operation[] => {
    const stream = streamOn(sketch, gpu);
    const many = { op: 'multiCopy', direction, payload: { tensors, bytes, memory }, strategy, stream } as const;
    return [many, { op: 'synchronizeStream', stream }];
  });
  if (random.chance(0.5)) sketch.threads.push(...some);
  else sketch.threads.push(some.flat());
}

export const twoGpuShapes = { peers, exchange, oneThread, twoThreads, stages, tensorsToTwo };
