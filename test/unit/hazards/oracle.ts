/**
 * Executes a small experiment in every order that CUDA allows, and returns the operations that really meet: they touch
 * the same bytes, one of them writing, at one time or in either order. Written from the documentation alone; it shares
 * nothing with the detector that it checks (not even lowering), and is only fit for programs of a dozen operations.
 */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Operation, OperationOf } from '../../../core/experiment/operations.ts';
import { bufferBytes } from '../../../core/experiment/resources.ts';

export interface OracleAnswer {
  /** `lower op`, `higher op` and buffer of every pair that really meets. */
  readonly races: ReadonlySet<string>;
  /** Numbers of elapsedTime operations that can come too early. */
  readonly earlyTimings: ReadonlySet<number>;
  /** Numbers of operations that can use missing memory: not allocated yet, or reused. */
  readonly strayUses: ReadonlySet<number>;
  /** True if some execution never ends: it waits for a missing signal. */
  readonly canHang: boolean;
}

interface Bytes {
  readonly buffer: string;
  readonly from: number;
  readonly to: number;
  readonly writes: boolean;
  /** Number of the allocation it belongs to, from 1; 0 for permanent memory. */
  readonly life: number;
}

/** One call of a host thread. Its place in `calls` is its bit in every mask. */
interface Act {
  readonly bit: number;
  readonly op: number;
  readonly operation: Operation;
  /** Bytes that the calling thread touches between call and return. */
  readonly host: readonly Bytes[];
  /** Bytes touched at its turn in its stream; null if it puts nothing into a stream. */
  readonly queued: readonly Bytes[] | null;
  readonly stream: string;
  /** True if the call returns only after its own work. */
  readonly holds: boolean;
  readonly synchronizes: 'nothing' | 'stream' | 'event' | 'device';
  /** Allocations that begin or end with it: at its turn in its stream, or else with the call. */
  readonly begins: number;
  readonly ends: number;
  /** Streams whose work before the call must end before its turn. */
  readonly alsoAfter: readonly string[];
  /** True if it comes after its stream's work, and nothing in the stream waits for it. */
  readonly isApart: boolean;
  /** Device that it synchronises with; null for all of them. */
  readonly device: string | null;
  /** Devices that must be otherwise idle during it. */
  readonly alone: readonly string[];
  /** Work of a graph's launch. */
  readonly nodes: readonly Node[];
  /** Number of the capture that made the graph, from 1; 0 if it launches none. */
  readonly launched: number;
}

/** Work of a graph in one launch: its bit, and those of its predecessors. */
interface Node {
  readonly bit: number;
  readonly parents: readonly number[];
}

/** A captured graph. */
interface Capture {
  readonly number: number;
  readonly nodes: readonly {
    readonly operation: Operation;
    readonly op: number;
    readonly touched: readonly Bytes[];
    readonly parents: readonly number[];
  }[];
}

const notQueued = 0;
const queued = 1;
const running = 2;
const over = 3;

interface State {
  /** By thread: the next act, and whether the thread is inside its call. */
  readonly next: number[];
  readonly inside: number[];
  /** By thread: acts that the call waits for. */
  readonly awaited: number[];
  /** By act. */
  readonly status: number[];
  readonly after: number[];
  /** Acts in the order in which they were put into streams. */
  readonly issued: number[];
  /** By event: the act that recorded it last, or -1. */
  readonly recorded: number[];
  readonly pending: number[];
  /** Bit by allocation: the memory exists. */
  readonly alive: number;
}

export function explore(experiment: Experiment, mostStates = 200_000): OracleAnswer | null {
  const machine = new Machine(experiment);
  const seen = new Set<string>();
  const start = machine.start();
  const stack: State[] = [start];
  seen.add(keyOf(start));
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    const successors = machine.successors(state);
    if (successors.length === 0 && !machine.isFinished(state)) machine.hangs = true;
    for (const next of successors) {
      const key = keyOf(next);
      if (seen.has(key)) continue;
      if (seen.size >= mostStates) return null;
      seen.add(key);
      stack.push(next);
    }
  }
  return {
    races: machine.races(),
    earlyTimings: machine.early,
    strayUses: machine.strays,
    canHang: machine.hangs,
  };
}

function keyOf({ next, inside, awaited, status, after, issued, recorded, pending, alive }: State): string {
  const codes: number[] = [];
  const add = (value: number): void => void codes.push((value + 1) & 0xffff);
  const addMask = (mask: number): void => void codes.push(mask & 0xffff, mask >>> 16);
  for (const at of next) add(at);
  for (const isInside of inside) add(isInside);
  for (const mask of awaited) addMask(mask);
  for (const [act, now] of status.entries()) {
    add(now);
    // The predecessors of a begun act no longer matter, nor does the order in which ended acts were issued.
    if (now === queued) addMask(after[act] ?? 0);
  }
  for (const act of issued) if (status[act] !== over) add(act);
  add(-1);
  for (const act of recorded) add(act);
  for (const count of pending) add(count);
  addMask(alive);
  return String.fromCharCode(...codes);
}

class Machine {
  readonly early = new Set<number>();
  readonly strays = new Set<number>();
  hangs = false;
  readonly #experiment: Experiment;
  readonly #threads: Act[][];
  readonly #acts: Act[] = [];
  readonly #events: string[];
  readonly #signals: readonly { readonly id: string; readonly capacity: number }[];
  /** The last allocation of each buffer so far, its stream, and the streams it was recorded for. */
  readonly #lives = new Map<string, { readonly life: number; readonly stream: string; readonly recorded: string[] }>();
  #lifeCount = 0;
  readonly #graphs = new Map<string, Capture>();
  #captureCount = 0;
  /** By part: see #isPlain. */
  readonly #plain: boolean[] = [];
  /** By act: its thread, and its place there. */
  readonly #placeOf: { readonly thread: number; readonly at: number }[] = [];
  /** Pairs `a b` of parts (2 * act, plus 1 for the host's part) that touch common bytes, one writing. */
  readonly #meets: number[][] = [];
  /** `a * parts + b`: part a ended before b began; and: one began during the other. */
  readonly #ordered = new Set<number>();
  readonly #together = new Set<number>();

  constructor(experiment: Experiment) {
    this.#experiment = experiment;
    this.#events = experiment.events.map((event) => event.id);
    this.#signals = experiment.signals;
    let op = -1;
    this.#threads = experiment.threads.map((thread) => {
      const acts: Act[] = [];
      const list = (operations: readonly Operation[]): void => {
        for (const operation of operations) {
          op += 1;
          if (operation.op === 'graphCapture') {
            this.#capture(operation, op, thread.id, acts);
            op += operation.operations.length;
            continue;
          }
          if (operation.op !== 'repeat') {
            this.#act(operation, op, thread.id, acts);
            continue;
          }
          const first = op;
          for (let round = 0; round < operation.count; round += 1) {
            op = first;
            list(operation.operations);
          }
        }
      };
      list(thread.operations);
      return acts;
    });
    this.#findMeetings();
    for (const [thread, acts] of this.#threads.entries()) {
      for (const [at, act] of acts.entries()) this.#placeOf[act.bit] = { thread, at };
    }
  }

  start(): State {
    const none = this.#acts.map(() => 0);
    return {
      next: this.#threads.map(() => 0),
      inside: this.#threads.map(() => 0),
      awaited: this.#threads.map(() => 0),
      status: none,
      after: none,
      issued: [],
      recorded: this.#events.map(() => -1),
      pending: this.#signals.map(() => 0),
      alive: 0,
    };
  }

  isFinished(state: State): boolean {
    return (
      this.#threads.every((acts, thread) => state.next[thread] === acts.length) &&
      this.#acts.every((act) => act.queued === null || state.status[act.bit] === over)
    );
  }

  races(): Set<string> {
    const parts = 2 * this.#acts.length;
    const races = new Set<string>();
    for (const [a, others] of this.#meets.entries()) {
      for (const b of others) {
        const both = this.#ordered.has(a * parts + b) && this.#ordered.has(b * parts + a);
        if (!both && !this.#together.has(a * parts + b) && !this.#together.has(b * parts + a)) continue;
        const [one, other] = [this.#acts[a >> 1]?.op ?? -1, this.#acts[b >> 1]?.op ?? -1];
        for (const buffer of this.#common(a, b).map((name) => name.replace(asCaptured, ''))) {
          races.add(`${Math.min(one, other)} ${Math.max(one, other)} ${buffer}`);
        }
      }
    }
    return races;
  }

  successors(state: State): State[] {
    const next: State[] = [];
    for (const thread of this.#threads.keys()) this.#step(state, thread, next);
    for (const act of this.#acts) this.#turn(state, act, next);
    return next;
  }

  #memory(id: string): string {
    return this.#experiment.buffers.find((buffer) => buffer.id === id)?.memory ?? '';
  }

  #deviceOfBuffer(id: string): string {
    return this.#experiment.buffers.find((buffer) => buffer.id === id)?.device ?? this.#experiment.devices[0]?.id ?? '';
  }

  #size(id: string): number {
    const buffer = this.#experiment.buffers.find((candidate) => candidate.id === id);
    return buffer === undefined ? 0 : bufferBytes(buffer);
  }

  /** Returns the device of a thread; the first one by default. */
  #deviceOf(thread: string): string {
    return this.#experiment.threads.find(({ id }) => id === thread)?.device ?? this.#experiment.devices[0]?.id ?? '';
  }

  #streamOf(id: string, thread: string): string {
    const meant = id === 'default' ? this.#experiment.environment.defaultStream : id;
    if (meant === 'per-thread') return `per-thread ${thread}`;
    return meant === 'legacy' ? `legacy ${this.#deviceOf(thread)}` : meant;
  }

  /** Returns the device of a stream. */
  #home(stream: string): string {
    const [kind, of] = stream.split(' ');
    if (kind === 'legacy' && of !== undefined) return of;
    if (kind === 'per-thread' && of !== undefined) return this.#deviceOf(of);
    const declared = this.#experiment.streams.find(({ id }) => id === stream);
    return declared?.device ?? this.#experiment.devices[0]?.id ?? '';
  }

  #bytesOf(buffer: string, from: number, to: number, writes: boolean): Bytes {
    return { buffer, from, to, writes, life: this.#lives.get(buffer)?.life ?? 0 };
  }

  /** Returns the bytes that an operation touches at its turn in a stream: a copy's source first. */
  #work(operation: Operation): Bytes[] {
    switch (operation.op) {
      case 'copy': {
        const { src, dst, srcOffset, dstOffset } = operation;
        const bytes = operation.bytes ?? Math.min(this.#size(src) - srcOffset, this.#size(dst) - dstOffset);
        return [
          this.#bytesOf(src, srcOffset, srcOffset + bytes, false),
          this.#bytesOf(dst, dstOffset, dstOffset + bytes, true),
        ];
      }
      case 'kernel': {
        const spans = operation.kernel.kind === 'stream';
        const common = Math.min(...[...operation.reads, ...operation.writes].map((id) => this.#size(id)));
        const touched = (id: string, writes: boolean): Bytes =>
          this.#bytesOf(id, 0, spans ? common : this.#size(id), writes);
        return [...operation.reads.map((id) => touched(id, false)), ...operation.writes.map((id) => touched(id, true))];
      }
      case 'memset': {
        const to = operation.bytes === undefined ? this.#size(operation.buffer) : operation.offset + operation.bytes;
        return [this.#bytesOf(operation.buffer, operation.offset, to, true)];
      }
      default:
        return [];
    }
  }

  /** Captures a graph, whose order follows from the captured streams and events; host work between is done at once. */
  #capture({ graph, operations }: OperationOf<'graphCapture'>, first: number, thread: string, acts: Act[]): void {
    const [streams, events] = [new Map<string, number[]>(), new Map<string, number[]>()];
    const nodes: Capture['nodes'][number][] = [];
    for (const [index, operation] of operations.entries()) {
      const op = first + 1 + index;
      const stream = 'stream' in operation ? this.#streamOf(operation.stream, thread) : '';
      const before = streams.get(stream) ?? [];
      if (stream === '') this.#act(operation, op, thread, acts);
      else if (operation.op === 'recordEvent') events.set(operation.event, before);
      else if (operation.op === 'waitEvent') streams.set(stream, [...before, ...(events.get(operation.event) ?? [])]);
      else {
        streams.set(stream, [nodes.length]);
        nodes.push({ operation, op, touched: this.#work(operation), parents: before });
      }
    }
    this.#captureCount += 1;
    this.#graphs.set(graph, { number: this.#captureCount, nodes });
  }

  #act(operation: Operation, op: number, thread: string, acts: Act[]): void {
    const make = (part: Partial<Act>): Act => {
      const act: Act = {
        bit: this.#acts.length,
        op,
        operation,
        host: [],
        queued: null,
        stream: '',
        holds: false,
        synchronizes: 'nothing',
        begins: 0,
        ends: 0,
        alsoAfter: [],
        isApart: false,
        device: null,
        alone: [],
        nodes: [],
        launched: 0,
        ...part,
      };
      this.#acts.push(act);
      return act;
    };
    const add = (part: Partial<Act>): void => void acts.push(make(part));
    const streamOf = (id: string): string => this.#streamOf(id, thread);
    const whole = (buffer: string, writes: boolean): Bytes => this.#bytesOf(buffer, 0, this.#size(buffer), writes);
    const begin = (buffer: string, stream: string): number => {
      this.#lifeCount += 1;
      this.#lives.set(buffer, { life: this.#lifeCount, stream, recorded: [] });
      return this.#lifeCount;
    };
    switch (operation.op) {
      case 'write':
      case 'read': {
        const to = operation.bytes === undefined ? this.#size(operation.buffer) : operation.offset + operation.bytes;
        add({ host: [this.#bytesOf(operation.buffer, operation.offset, to, operation.op === 'write')] });
        return;
      }
      case 'pin': {
        const { src, dst } = operation;
        const isMade = this.#experiment.buffers.find(({ id }) => id === dst)?.allocated === 'by-operation';
        // pin_memory() allocates before it copies.
        if (isMade) add({ begins: begin(dst, '') });
        add({ host: [whole(src, false), { ...whole(dst, true), to: this.#size(src) }] });
        return;
      }
      case 'copy': {
        const { src, dst, mode: how } = operation;
        const queued = this.#work(operation);
        const isCudaMemcpy = how === 'blocking-memcpy';
        const stream = streamOf(isCudaMemcpy ? 'default' : operation.stream);
        const [from, to] = [this.#memory(src), this.#memory(dst)];
        // cudaMemcpy synchronises the stream before it stages.
        if (from === 'pageable' && to === 'device' && isCudaMemcpy) add({ synchronizes: 'stream', stream });
        if (from === 'pageable' && to === 'device') add({ host: queued.slice(0, 1), queued: queued.slice(1), stream });
        else if (from !== 'device' && to !== 'device') add({ queued, stream, holds: true });
        else if (from === 'device' && to === 'device') {
          const [near, far] = [this.#deviceOfBuffer(src), this.#deviceOfBuffer(dst)];
          add({ queued, stream, alone: isCudaMemcpy && isLegacyStream(stream) && near !== far ? [near, far] : [] });
        } else add({ queued, stream, holds: isCudaMemcpy });
        // The caching host allocator records copies.
        for (const id of [src, dst]) if (this.#memory(id) !== 'device') this.#lives.get(id)?.recorded.push(stream);
        if (how === 'blocking-to') add({ synchronizes: 'stream', stream });
        return;
      }
      case 'kernel': {
        const holds = this.#experiment.environment.launchBlocking;
        add({ queued: this.#work(operation), stream: streamOf(operation.stream), holds });
        return;
      }
      case 'memset':
        add({ queued: this.#work(operation), stream: streamOf(operation.stream) });
        return;
      case 'multiCopy':
        // Touches none of the program's buffers. Ends with a synchronise if anything crosses a stream.
        add({ queued: [], stream: streamOf(operation.stream), holds: operation.direction !== 'h2h' });
        return;
      case 'graphLaunch': {
        const stream = streamOf(operation.stream);
        const { number, nodes } = this.#graphs.get(operation.graph) ?? { number: 0, nodes: [] };
        // A graph keeps the addresses of its capture: a buffer freed and allocated since then is other memory.
        const meant = (bytes: Bytes): Bytes =>
          bytes.life === (this.#lives.get(bytes.buffer)?.life ?? 0)
            ? bytes
            : { ...bytes, buffer: `${bytes.buffer}${asCaptured}` };
        const bits = nodes.map(
          ({ operation: captured, op: number, touched }) =>
            make({ operation: captured, op: number, queued: touched.map(meant), isApart: true }).bit,
        );
        const run = nodes.map(({ parents }, index) => ({
          bit: bits[index] ?? 0,
          parents: parents.map((at) => bits[at] ?? 0),
        }));
        add({ queued: [], stream, nodes: run, launched: number });
        return;
      }
      case 'item': {
        const bytes = [this.#bytesOf(operation.buffer, 0, Math.min(4, this.#size(operation.buffer)), false)];
        add({ queued: bytes, stream: streamOf(operation.stream), holds: true });
        return;
      }
      case 'allocate': {
        const stream = streamOf(operation.stream);
        const isInStream = operation.allocator === 'pool';
        add({ queued: isInStream ? [] : null, stream, begins: begin(operation.buffer, stream) });
        return;
      }
      case 'recordStream':
        this.#lives.get(operation.buffer)?.recorded.push(streamOf(operation.stream));
        add({});
        return;
      case 'free':
        add(this.#free(operation.buffer, streamOf(operation.stream)));
        return;
      case 'hostFunction':
      case 'recordEvent':
      case 'waitEvent':
        add({ queued: [], stream: streamOf(operation.stream) });
        return;
      case 'synchronizeStream':
        add({ synchronizes: 'stream', stream: streamOf(operation.stream) });
        return;
      case 'synchronizeEvent':
        add({ synchronizes: 'event' });
        return;
      case 'synchronizeDevice':
        add({ synchronizes: 'device', device: operation.device ?? this.#deviceOf(thread) });
        return;
      default:
        add({});
    }
  }

  #free(buffer: string, inStream: string): Partial<Act> {
    const { life, stream, recorded } = this.#lives.get(buffer) ?? { life: 0, stream: '', recorded: [] };
    const declared = this.#experiment.buffers.find(({ id }) => id === buffer);
    const allocator = this.#allocatorOf(buffer);
    if (allocator === 'pool') return { queued: [], stream: inStream, ends: life };
    if (allocator === 'cuda-malloc') {
      // free() of the host's own memory waits for nothing; cudaFreeHost does for every device.
      if (declared?.memory === 'pageable') return { ends: life };
      const device = declared?.memory === 'device' ? this.#deviceOfBuffer(buffer) : null;
      return { synchronizes: 'device', ends: life, device };
    }
    // The block can be reused in the stream it was allocated for, or on the host: it is gone from that moment.
    const isDevice = declared?.memory === 'device';
    if (declared?.memory === 'pageable') return { ends: life };
    return { queued: [], stream: isDevice ? stream : '', isApart: true, ends: life, alsoAfter: recorded };
  }

  #allocatorOf(buffer: string): string {
    const last = this.#acts.findLast(({ operation }) => operation.op === 'allocate' && operation.buffer === buffer);
    return last?.operation.op === 'allocate' ? last.operation.allocator : 'caching';
  }

  #touched(part: number): readonly Bytes[] {
    const act = this.#acts[part >> 1];
    return (part % 2 === 1 ? act?.host : act?.queued) ?? [];
  }

  #common(a: number, b: number): string[] {
    return this.#touched(a).flatMap((one) =>
      this.#touched(b).flatMap((other) =>
        one.buffer === other.buffer &&
        one.life === other.life &&
        (one.writes || other.writes) &&
        one.from < other.to &&
        other.from < one.to
          ? one.buffer
          : [],
      ),
    );
  }

  #findMeetings(): void {
    for (let a = 0; a < 2 * this.#acts.length; a += 1) {
      const others: number[] = [];
      for (let b = 0; b < 2 * this.#acts.length; b += 1) {
        if (a >> 1 !== b >> 1 && this.#common(a, b).length > 0) others.push(b);
      }
      this.#meets.push(others);
    }
  }

  /** Adds the next states of a thread: it begins its call, or returns from it. */
  #step(state: State, thread: number, out: State[]): void {
    const act = this.#threads[thread]?.[state.next[thread] ?? 0];
    if (act === undefined) return;
    if (state.inside[thread] === 1) {
      const awaited = state.awaited[thread] ?? 0;
      if (!isOver(state, awaited)) return;
      const done = returned(state, thread);
      out.push(act.queued === null ? this.#changeLives(done, act) : done);
      return;
    }
    const called = this.#call(state, thread, act);
    if (called !== null) out.push(called);
  }

  #call(state: State, thread: number, act: Act): State | null {
    const { operation } = act;
    let { pending, recorded } = state;
    let awaited = 0;
    switch (operation.op) {
      case 'signal':
      case 'waitSignal': {
        const at = this.#signals.findIndex((signal) => signal.id === operation.signal);
        const count = pending[at] ?? 0;
        const isSignal = operation.op === 'signal';
        if (isSignal ? count >= (this.#signals[at]?.capacity ?? 0) : count === 0) return null;
        pending = pending.with(at, count + (isSignal ? 1 : -1));
        break;
      }
      case 'recordEvent':
        recorded = recorded.with(this.#events.indexOf(operation.event), act.bit);
        break;
      case 'elapsedTime':
        for (const event of [operation.start, operation.end]) {
          const record = state.recorded[this.#events.indexOf(event)] ?? -1;
          if (record < 0 || state.status[record] !== over) this.early.add(act.op);
        }
        break;
      case 'synchronizeEvent': {
        const record = state.recorded[this.#events.indexOf(operation.event)] ?? -1;
        if (record >= 0) awaited |= 1 << record;
        break;
      }
      default:
    }
    if (act.synchronizes === 'stream') {
      const isLegacy = isLegacyStream(act.stream);
      awaited |= this.#issuedMask(
        state,
        (stream) => stream === act.stream || (isLegacy && this.#isTied(stream, act.stream)),
      );
    }
    if (act.synchronizes === 'device') {
      awaited |= this.#issuedMask(state, (stream) => act.device === null || this.#home(stream) === act.device);
    }
    let { status, after, issued } = state;
    if (act.queued !== null) {
      let mask = this.#comesAfter(state, act);
      for (const { bit, parents } of act.nodes) {
        status = status.with(bit, queued);
        after = after.with(
          bit,
          parents.reduce((all, parent) => all | (1 << parent), mask),
        );
      }
      for (const { bit } of act.nodes) mask |= 1 << bit;
      status = status.with(act.bit, queued);
      after = after.with(act.bit, mask);
      if (!act.isApart) issued = [...issued, act.bit];
      if (act.holds) awaited |= 1 << act.bit;
    }
    this.#begin(state, 2 * act.bit + 1);
    const inCall = {
      next: state.next,
      inside: state.inside.with(thread, 1),
      awaited: state.awaited.with(thread, awaited),
      status,
      after,
      issued,
      recorded,
      pending,
      alive: state.alive,
    };
    // A call that touches nothing and waits for nothing ends at once, since no execution can show a difference.
    if (awaited !== 0 || !this.#isPlain(2 * act.bit + 1)) return inCall;
    const done = returned(inCall, thread);
    return act.queued === null ? this.#changeLives(done, act) : done;
  }

  #issuedMask(state: State, isMeant: (stream: string) => boolean): number {
    return state.issued.reduce((mask, bit) => (isMeant(this.#acts[bit]?.stream ?? '') ? mask | (1 << bit) : mask), 0);
  }

  /** Returns true if one is the legacy default stream of the other's device, and the other synchronises with it. */
  #isTied(one: string, other: string): boolean {
    const takesPart = (stream: string): boolean =>
      stream.startsWith('per-thread ') ||
      this.#experiment.streams.find(({ id }) => id === stream)?.flags === 'blocking';
    if (this.#home(one) !== this.#home(other)) return false;
    return (isLegacyStream(one) && takesPart(other)) || (isLegacyStream(other) && takesPart(one));
  }

  /** Returns all issued work that must end before this act begins. */
  #comesAfter(state: State, act: Act): number {
    let mask = this.#issuedMask(state, (stream) => stream === act.stream || this.#isTied(stream, act.stream));
    mask |= this.#issuedMask(state, (stream) =>
      act.alsoAfter.some((other) => other === stream || this.#isTied(stream, other)),
    );
    if (act.operation.op === 'waitEvent') {
      const record = state.recorded[this.#events.indexOf(act.operation.event)] ?? -1;
      if (record >= 0) mask |= 1 << record;
    }
    // cudaMemcpy between two devices comes after all earlier work of either, and before all later work.
    mask |= this.#issuedMask(state, (stream) => act.alone.includes(this.#home(stream)));
    const homes = [act.stream, ...act.alsoAfter].flatMap((stream) => (stream === '' ? [] : this.#home(stream)));
    for (const { bit, alone } of this.#acts) {
      if (homes.some((home) => alone.includes(home)) && state.issued.includes(bit)) mask |= 1 << bit;
    }
    // Launches of the same capture run one after another.
    for (const { bit, launched } of this.#acts) {
      if (launched !== 0 && launched === act.launched && state.issued.includes(bit)) mask |= 1 << bit;
    }
    return mask;
  }

  /** Adds the next states of a stream: an act begins at its turn, or ends. */
  #turn(state: State, act: Act, out: State[]): void {
    const status = state.status[act.bit] ?? notQueued;
    if (status === notQueued || status === over) return;
    if (status === running) {
      out.push({ ...state, status: state.status.with(act.bit, over) });
      return;
    }
    const mask = state.after[act.bit] ?? 0;
    if (!isOver(state, mask)) return;
    this.#begin(state, 2 * act.bit);
    const now = state.status.with(act.bit, this.#isPlain(2 * act.bit) ? over : running);
    out.push(this.#changeLives({ ...state, status: now }, act));
  }

  /** Returns true if its time can't matter: it touches no bytes of other parts, and no allocated or freed memory. */
  #isPlain(part: number): boolean {
    this.#plain[part] ??= this.#meets[part]?.length === 0 && this.#touched(part).every(({ life }) => life === 0);
    return this.#plain[part] ?? false;
  }

  /** Allocates and frees the act's memory. Freed memory must exist, and not be in use. */
  #changeLives(state: State, { begins, ends, op }: Act): State {
    if (begins === 0 && ends === 0) return state;
    if (ends !== 0) {
      if (((state.alive >> ends) & 1) === 0) this.strays.add(op);
      for (let part = 0; part < 2 * this.#acts.length; part += 1) {
        const isUser = this.#touched(part).some(({ life }) => life === ends);
        if (isUser && this.#statusOf(state, part) === running) this.strays.add(this.#acts[part >> 1]?.op ?? -1);
      }
    }
    const begun = begins === 0 ? state.alive : state.alive | (1 << begins);
    return { ...state, alive: ends === 0 ? begun : begun & ~(1 << ends) };
  }

  /** Notes the order of a beginning part and all parts that it could meet. */
  #begin(state: State, part: number): void {
    const parts = 2 * this.#acts.length;
    for (const { life } of this.#touched(part)) {
      if (life !== 0 && ((state.alive >> life) & 1) === 0) this.strays.add(this.#acts[part >> 1]?.op ?? -1);
    }
    for (const other of this.#meets[part] ?? []) {
      const now = this.#statusOf(state, other);
      if (now === over) this.#ordered.add(other * parts + part);
      else if (now === running) this.#together.add(other * parts + part);
    }
  }

  #statusOf(state: State, part: number): number {
    const bit = part >> 1;
    if (part % 2 === 0) return state.status[bit] ?? notQueued;
    const place = this.#placeOf[bit];
    if (place === undefined) return notQueued;
    const next = state.next[place.thread] ?? 0;
    if (place.at < next) return over;
    return place.at === next && state.inside[place.thread] === 1 ? running : notQueued;
  }
}

const asCaptured = ' as captured';
const isLegacyStream = (stream: string): boolean => stream.startsWith('legacy ');

/** Returns true if all acts of the mask are over. */
function isOver({ status }: State, mask: number): boolean {
  for (let rest = mask; rest !== 0; rest &= rest - 1) if (status[31 - Math.clz32(rest & -rest)] !== over) return false;
  return true;
}

const returned = (state: State, thread: number): State => ({
  ...state,
  next: state.next.with(thread, (state.next[thread] ?? 0) + 1),
  inside: state.inside.with(thread, 0),
  awaited: state.awaited.with(thread, 0),
});
