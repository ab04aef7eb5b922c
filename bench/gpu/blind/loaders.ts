/** Shapes that feed a model: loops over batches, worker threads, layers that come and go. All are free of races. */
import { KiB, MiB } from '../../../core/units.ts';
import { copy, end, record, wait } from '../corpus/parts.ts';
import { mostOf, type Operation, type Sketch } from './sketch.ts';

const write = (buffer: string): Operation => ({ op: 'write', buffer, pattern: { kind: 'index' } });
const item = (buffer: string, stream: string): Operation => ({ op: 'item', buffer, stream });
const synchronizeEvent = (event: string): Operation => ({ op: 'synchronizeEvent', event });
const synchronizeStream = (stream: string): Operation => ({ op: 'synchronizeStream', stream });

/** One thread, one to three slots on the device, a stream that copies and one that computes. */
export function loader(sketch: Sketch): void {
  const { random } = sketch;
  const memory = sketch.memory();
  const batches = sketch.whole(4, 12);
  const slots = sketch.whole(1, 3);
  const bytes = sketch.bytes(64 * KiB, Math.min(16 * MiB, mostOf(memory) / batches));
  const made = random.pick(['whole', 'whole', 'work', 'write']);
  const results = random.pick(['none', 'item', 'copy']);
  const [copying, computing] = [sketch.stream(), sketch.stream()];
  // A data set that lies there, or slots that the thread fills for each batch.
  const sources = made === 'write' ? sketch.each(slots, () => sketch.host(memory, bytes)) : [];
  const whole = made === 'write' ? '' : sketch.host(memory, bytes * batches);
  const device = sketch.each(slots, () => ({
    ...{ batch: sketch.device(bytes), out: sketch.device(bytes) },
    ...{ copied: sketch.event(), used: sketch.event() },
  }));
  const result = sketch.host('pinned', 1024);
  const kernels = sketch.whole(1, 4);
  const main: Operation[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const slot = device[batch % slots];
    const source = sources[batch % slots];
    if (slot === undefined) continue;
    if (made === 'work') main.push(sketch.work(20, 400));
    if (source !== undefined) {
      if (batch >= slots) main.push(synchronizeEvent(slot.copied));
      main.push(write(source));
    }
    if (batch >= slots) main.push(wait(slot.used, copying));
    const offset = source === undefined ? { srcOffset: batch * bytes } : {};
    main.push(copy(source ?? whole, slot.batch, copying, offset), record(slot.copied, copying));
    main.push(wait(slot.copied, computing));
    const data = { reads: slot.batch, writes: slot.out, bytes };
    for (let kernel = 0; kernel < kernels; kernel += 1) main.push(sketch.kernel(computing, data));
    main.push(record(slot.used, computing));
    if (results === 'item') main.push(item(slot.out, computing));
    if (results === 'copy' && batch % 3 === 2)
      main.push(copy(slot.out, result, computing, { bytes: 1024 }), synchronizeStream(computing));
  }
  sketch.threads.push([...main, end]);
}

/** Worker threads prepare batches in slots of their own and hand them over by signals; the main thread copies. */
export function workers(sketch: Sketch): void {
  const { random } = sketch;
  const count = sketch.whole(1, 3);
  const slots = sketch.whole(1, 3);
  const rounds = sketch.whole(2, 4);
  const bytes = sketch.bytes(32 * KiB, 4 * MiB);
  const how = random.pick(['write', 'pin', 'work']);
  const memory = how === 'pin' ? 'pinned' : sketch.memory();
  const [copying, computing] = [sketch.stream(), random.chance(0.7) ? sketch.stream() : 's0'];
  const batch = sketch.device(bytes);
  const out = sketch.device(bytes);
  const used = sketch.event();
  const of = sketch.each(count, () => ({
    ...{ ready: sketch.signal(), free: sketch.signal() },
    source: sketch.host('pageable', bytes),
    slots: sketch.each(slots, () => ({ buffer: sketch.host(memory, bytes), copied: sketch.event() })),
  }));
  const main: Operation[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const worker of of) {
      const before = worker.slots[(round - 1 + slots) % slots];
      if (round > 0 && before !== undefined)
        main.push(synchronizeEvent(before.copied), { op: 'signal', signal: worker.free });
      main.push({ op: 'waitSignal', signal: worker.ready });
      const slot = worker.slots[round % slots];
      if (slot === undefined) continue;
      if (copying !== computing && main.some(({ op }) => op === 'recordEvent')) main.push(wait(used, copying));
      main.push(copy(slot.buffer, batch, copying), record(slot.copied, copying));
      if (copying !== computing) main.push(wait(slot.copied, computing));
      main.push(sketch.kernel(computing, { reads: batch, writes: out, bytes }, 300), record(used, computing));
    }
  }
  sketch.threads.push([...main, item(out, computing), end]);
  for (const worker of of) {
    const own: Operation[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const slot = worker.slots[round % slots]?.buffer ?? '';
      if (round >= slots) own.push({ op: 'waitSignal', signal: worker.free });
      if (how !== 'write' || random.chance(0.3)) own.push(sketch.work(10, 300));
      if (how === 'write') own.push(write(slot));
      if (how === 'pin') own.push({ op: 'pin', src: worker.source, dst: slot });
      own.push({ op: 'signal', signal: worker.ready });
    }
    sketch.threads.push(own);
  }
}

/** Weights come layer by layer into two slots while others compute; what a layer made goes back in a third stream. */
export function offload(sketch: Sketch): void {
  const { random } = sketch;
  const memory = random.chance(0.75) ? 'pinned' : 'pageable';
  const layers = sketch.whole(3, 10);
  const bytes = sketch.bytes(MiB, Math.min(32 * MiB, mostOf(memory) / layers));
  const saved = sketch.bytes(256 * KiB, Math.min(16 * MiB, bytes));
  const back = random.chance(0.8);
  const [loading, computing, saving] = [sketch.stream(), sketch.stream(), sketch.stream()];
  const weights = sketch.host(memory, bytes * layers);
  const kept = sketch.host(random.chance(0.8) ? 'pinned' : 'pageable', saved * layers);
  const slots = sketch.each(2, () => ({
    ...{ weights: sketch.device(bytes), out: sketch.device(bytes) },
    ...{ loaded: sketch.event(), used: sketch.event(), saved: sketch.event() },
  }));
  const main: Operation[] = [];
  for (let layer = 0; layer < layers; layer += 1) {
    const slot = slots[layer % 2];
    if (slot === undefined) continue;
    if (layer >= 2) main.push(wait(slot.used, loading));
    main.push(copy(weights, slot.weights, loading, { srcOffset: layer * bytes }), record(slot.loaded, loading));
    main.push(wait(slot.loaded, computing));
    if (layer >= 2 && back) main.push(wait(slot.saved, computing));
    const data = { reads: slot.weights, writes: slot.out, bytes };
    for (let kernel = sketch.whole(1, 3); kernel > 0; kernel -= 1) main.push(sketch.kernel(computing, data, 500));
    main.push(record(slot.used, computing));
    if (!back) continue;
    main.push(wait(slot.used, saving), copy(slot.out, kept, saving, { bytes: saved, dstOffset: layer * saved }));
    main.push(record(slot.saved, saving));
  }
  sketch.threads.push([...main, end]);
}

/** Small requests, each thread with a stream of its own: in, some short kernels, out, and wait for it. */
export function requests(sketch: Sketch): void {
  const { random } = sketch;
  const threads = sketch.whole(1, 4);
  const rounds = sketch.whole(3, 15);
  for (let thread = 0; thread < threads; thread += 1) {
    const stream = sketch.stream();
    const bytes = sketch.bytes(4, 256 * KiB);
    const answer = sketch.bytes(4, 16 * KiB);
    const input = sketch.host(random.chance(0.6) ? 'pinned' : 'pageable', bytes);
    const output = sketch.host(random.chance(0.6) ? 'pinned' : 'pageable', answer);
    const [batch, out] = [sketch.device(bytes), sketch.device(Math.max(bytes, answer))];
    const operations: Operation[] = [];
    if (random.chance(0.4)) operations.push(write(input));
    if (random.chance(0.3)) operations.push(sketch.work(5, 50));
    operations.push(copy(input, batch, stream));
    const data = { reads: batch, writes: out, bytes };
    for (let kernel = sketch.whole(1, 8); kernel > 0; kernel -= 1) operations.push(sketch.kernel(stream, data, 30));
    const how = random.below(3);
    if (how === 0) operations.push(item(out, stream));
    else {
      const mode = how === 1 ? 'async' : 'blocking-to';
      operations.push(copy(out, output, stream, { bytes: answer, mode }));
      if (how === 1) operations.push(synchronizeStream(stream));
      if (random.chance(0.4)) operations.push({ op: 'read', buffer: output });
    }
    sketch.threads.push([{ op: 'repeat', count: rounds, operations }, end]);
  }
}
