/** Shapes in which what matters are transfers: chunks in and out, blocks swapped, tensors, odd sizes and memories. */
import { copyStrategies } from '../../../core/experiment/operations.ts';
import { KiB, MiB } from '../../../core/units.ts';
import { copy, end, type HostMemory, record, spin, streaming, wait } from '../corpus/parts.ts';
import { mostOf, type Operation, type Sketch } from './sketch.ts';

/** Chunks of one array through two to six streams: in, a kernel, out; stream by stream or step by step. */
export function chunks(sketch: Sketch): void {
  const { random } = sketch;
  const [from, to]: HostMemory[] = random.pick([
    ['pinned', 'pinned'],
    ['pinned', 'pinned'],
    ['pageable', 'pinned'],
    ['pinned', 'pageable'],
    ['registered', 'pinned'],
  ]);
  const [source = 'pinned', target = 'pinned'] = [from, to];
  const count = sketch.whole(4, 20);
  const most = Math.min(mostOf(source), mostOf(target), 128 * MiB);
  const bytes = sketch.bytes(64 * KiB, most / count);
  const streams = sketch.each(sketch.whole(2, 6), () => sketch.stream());
  const [input, output] = [sketch.host(source, bytes * count), sketch.host(target, bytes * count)];
  const parts = sketch.each(count, () => ({ batch: sketch.device(bytes), out: sketch.device(bytes) }));
  const steps = parts.map(({ batch, out }, index): Operation[] => {
    const stream = streams[index % streams.length] ?? 's0';
    return [
      copy(input, batch, stream, { srcOffset: index * bytes, bytes }),
      sketch.kernel(stream, { reads: batch, writes: out, bytes }, 400),
      copy(out, output, stream, { dstOffset: index * bytes, bytes }),
    ];
  });
  const inTurn = random.chance(0.5);
  const main = inTurn ? steps.flat() : [0, 1, 2].flatMap((place) => steps.flatMap((step) => step[place] ?? []));
  sketch.threads.push([...main, end]);
}

/** Blocks of a cache that go out while others come in, as fast as they can be issued, perhaps by two threads. */
export function swap(sketch: Sketch): void {
  const { random } = sketch;
  const count = sketch.whole(10, 80);
  const bytes = sketch.bytes(4 * KiB, 2 * MiB);
  const [inwards, outwards] = [sketch.stream(), sketch.stream()];
  const memory = random.chance(0.8) ? 'pinned' : 'pageable';
  const [coming, going] = [sketch.host(memory, bytes * count), sketch.host('pinned', bytes * count)];
  const [into, from] = [sketch.device(bytes * count), sketch.device(bytes * count)];
  const place = (index: number): object => ({ srcOffset: index * bytes, dstOffset: index * bytes, bytes });
  const swapIn = sketch.each(count, (index) => copy(coming, into, inwards, place(index)));
  const swapOut = sketch.each(count, (index) => copy(from, going, outwards, place(index)));
  if (random.chance(0.4)) sketch.threads.push([...swapIn, end], [...swapOut, end]);
  else sketch.threads.push([...swapIn.flatMap((one, index) => [one, swapOut[index] ?? one]), end]);
}

/** Tensors of different sizes with any strategy, during kernels or copies of another stream, and perhaps back again. */
export function tensors(sketch: Sketch): void {
  const { random } = sketch;
  const [stream, other] = [sketch.stream(), sketch.stream()];
  const main: Operation[] = [];
  if (random.chance(0.4)) main.push(sketch.kernel(other, pair(sketch, 4 * MiB), 800));
  if (random.chance(0.25)) main.push(copy(sketch.device(16 * MiB), sketch.host('pinned', 16 * MiB), other));
  for (let times = sketch.whole(1, 2); times > 0; times -= 1) {
    const strategy = random.pick(copyStrategies);
    const small = random.chance(0.5);
    const sizes = sketch.each(sketch.whole(1, 6), () =>
      small ? sketch.bytes(4, 64 * KiB) : sketch.bytes(16 * KiB, 8 * MiB),
    );
    const mean = sizes.reduce((sum, bytes) => sum + bytes, 0) / sizes.length;
    const mostTensors = Math.min(small ? 800 : 60, Math.floor((96 * MiB) / mean));
    main.push({
      op: 'multiCopy',
      direction: random.pick(['h2d', 'h2d', 'd2h']),
      payload: {
        tensors: sketch.whole(Math.min(4, mostTensors), mostTensors),
        bytes: sizes,
        memory: random.chance(0.75) ? 'pageable' : 'pinned',
      },
      ...{ strategy, stream },
    });
    if (random.chance(0.5)) main.push(sketch.kernel(stream, pair(sketch, MiB), 200));
  }
  sketch.threads.push([...main, end]);
}

/** A row of copies of any size between any two memories, in one to three streams, some of them blocking. */
export function sizes(sketch: Sketch): void {
  const { random } = sketch;
  const streams = sketch.each(sketch.whole(1, 3), () => sketch.stream());
  const main: Operation[] = [];
  for (let count = sketch.whole(3, 10); count > 0; count -= 1) {
    const stream = random.pick(streams);
    const memory = random.pick([sketch.memory(), 'pinned-write-combined', 'mapped'] as const);
    const large = random.chance(0.08) && memory !== 'pageable';
    const bytes = large ? sketch.bytes(128 * MiB, 512 * MiB) : sketch.bytes(4, mostOf(memory) / 6);
    const mode = random.pick(['async', 'async', 'async', 'blocking-to', 'blocking-memcpy']);
    const onDevice = sketch.device(bytes);
    switch (random.below(6)) {
      case 0:
        main.push(copy(onDevice, sketch.device(bytes), stream));
        break;
      case 1:
        main.push(copy(sketch.host('pageable', Math.min(bytes, 8 * MiB)), sketch.host('pinned', bytes), stream));
        break;
      case 2:
      case 3:
        main.push(copy(onDevice, sketch.host(memory, bytes), stream, { mode }));
        break;
      default:
        main.push(copy(sketch.host(memory, bytes), onDevice, stream, { mode }));
    }
    if (random.chance(0.2)) main.push({ op: 'synchronizeStream', stream });
    if (random.chance(0.2)) main.push(sketch.work(5, 200));
  }
  sketch.threads.push([...main, end]);
}

/** Kernels that reach into host memory while copies cross the same link. */
export function mapped(sketch: Sketch): void {
  const { random } = sketch;
  const [kernels, copies] = [sketch.stream(), sketch.stream()];
  const bytes = sketch.bytes(256 * KiB, 48 * MiB);
  const [onHost, onDevice] = [sketch.host('mapped', bytes), sketch.device(bytes)];
  const moved = sketch.bytes(256 * KiB, 64 * MiB);
  const [pinned, buffer] = [sketch.host('pinned', moved), sketch.device(moved)];
  const main: Operation[] = [];
  const reads = random.chance(0.5);
  const kernel = reads
    ? streaming(1, onHost, onDevice, kernels, random.pick([1, 0.5, 0.25]))
    : streaming(1, onDevice, onHost, kernels);
  const crossing = random.chance(0.5) ? copy(pinned, buffer, copies) : copy(buffer, pinned, copies);
  const rounds = sketch.whole(1, 4);
  for (let round = 0; round < rounds; round += 1) {
    main.push(kernel, crossing);
    if (random.chance(0.4)) main.push(spin(Math.round(sketch.between(5, 200)), kernels));
  }
  sketch.threads.push([...main, end]);
}

/** Copies within the device, fills and kernels side by side, with an edge between them now and then. */
export function device(sketch: Sketch): void {
  const { random } = sketch;
  const streams = sketch.each(sketch.whole(1, 4), () => sketch.stream());
  const main: Operation[] = [];
  const of = streams.map((stream) => ({ stream, ...pair(sketch, sketch.bytes(64 * KiB, 128 * MiB)) }));
  for (let count = sketch.whole(4, 16); count > 0; count -= 1) {
    const { stream, reads, writes, bytes } = random.pick(of);
    const what = random.below(4);
    if (what === 0) main.push({ op: 'memset', buffer: writes, value: count, stream });
    else if (what === 1) main.push(copy(reads, writes, stream));
    else main.push(sketch.kernel(stream, { reads, writes, bytes }, 400));
    if (random.chance(0.25)) {
      const event = sketch.event();
      main.push(record(event, stream), wait(event, random.pick(streams)));
    }
  }
  sketch.threads.push([...main, end]);
}

export function pair(sketch: Sketch, bytes: number) {
  return { reads: sketch.device(bytes), writes: sketch.device(bytes), bytes };
}
