/**
 * Executes a small experiment in every order that CUDA allows, and says which operations really meet: touch the same
 * bytes, one of them writing, at one time or in either order. Written from the documentation alone; it shares nothing
 * with the detector it judges (not even lowering), and is only fit for programs of a dozen operations.
 */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Operation, OperationOf } from '../../../core/experiment/operations.ts';
import { bufferBytes } from '../../../core/experiment/resources.ts';

export interface OracleAnswer {
  /** `lower op`, `higher op` and buffer of every pair that really meets. */
  readonly races: ReadonlySet<string>;
  /** Numbers of elapsedTime operations that can come too early. */
  readonly earlyTimings: ReadonlySet<number>;
  /** Numbers of operations that can use memory which is not there: not allocated yet, or handed on. */
  readonly strayUses: ReadonlySet<number>;
  /** Some execution never ends: a signal that nobody gives. */
  readonly canHang: boolean;
  /** Pairs that touch common bytes, ordered or not. */
  readonly meetings: number;
  readonly states: number;
}

interface Bytes {
  readonly buffer: string;
  readonly from: number;
  readonly to: number;
  readonly writes: boolean;
  /** Number of the allocation it belongs to, from 1; 0 for memory that is always there. */
  readonly life: number;
}

/** One call of a host thread. Its place in `calls` is its bit in every mask. */
interface Act {
  readonly bit: number;
  readonly op: number;
  readonly operation: Operation;
  /** What the calling thread touches between call and return. */
  readonly host: readonly Bytes[];
  /** What is touched when its turn comes in its stream; null where nothing is put into a stream. */
  readonly queued: readonly Bytes[] | null;
  readonly stream: string;
  /** The call returns only when its own work is done. */
  readonly holds: boolean;
  readonly synchronizes: 'nothing' | 'stream' | 'event' | 'device';
  /** Allocations that begin or end with it: when its turn in its stream comes, or else with the call. */
  readonly begins: number;
  readonly ends: number;
  /** Streams whose work must be over before its turn comes, as of the call. */
  readonly alsoAfter: readonly string[];
  /** It comes after what its stream holds, and nothing in the stream waits for it. */
  readonly isApart: boolean;
  /** Device that it synchronises with; null for all of them. */
  readonly device: string | null;
  /** Devices on which nothing runs beside it. */
  readonly alone: readonly string[];
  /** What a graph's launch runs. */
  readonly nodes: readonly Node[];
  /** Number of the capture that made the graph, from 1; 0 where it launches none. */
  readonly launched: number;
}

/** Work of a graph in one launch: its bit, and those of the work that it comes after. */
interface Node {
  readonly bit: number;
  readonly parents: readonly number[];
}

/** A graph as it was captured. */
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
  /** Bit by allocation: the memory is there. */
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
    meetings: machine.meetings,
    states: seen.size,
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
    // What an act that has begun came after no longer matters, nor does the order in which acts that are over were issued.
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
  /** The last allocation of each buffer so far, where it was made, and the streams it was recorded for. */
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
  /** `a * parts + b`: part a was over when b began; and: one began while the other was going on. */
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

  get meetings(): number {
    return this.#meets.reduce((sum, others) => sum + others.length, 0) / 2;
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

  /** Of a thread: where it names no device, the first one. */
  #deviceOf(thread: string): string {
    return this.#experiment.threads.find(({ id }) => id === thread)?.device ?? this.#experiment.devices[0]?.id ?? '';
  }

  #streamOf(id: string, thread: string): string {
    const meant = id === 'default' ? this.#experiment.environment.defaultStream : id;
    if (meant === 'per-thread') return `per-thread ${thread}`;
    return meant === 'legacy' ? `legacy ${this.#deviceOf(thread)}` : meant;
  }

  /** The device that a stream belongs to. */
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

  /** What an operation touches when its turn in a stream comes: the source first of a copy. */
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

  /** What follows what inside of a graph is fixed by the captured streams and events; host work between is done at once. */
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
        // pin_memory() allocates, and copies then.
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
        else if (to === 'pageable' && from === 'device') add({ queued, stream, holds: true });
        else if (from !== 'device' && to !== 'device') add({ queued, stream, holds: true });
        else if (from === 'device' && to === 'device') {
          const [near, far] = [this.#deviceOfBuffer(src), this.#deviceOfBuffer(dst)];
          add({ queued, stream, alone: isCudaMemcpy && isLegacyStream(stream) && near !== far ? [near, far] : [] });
        } else add({ queued, stream, holds: isCudaMemcpy });
        // The caching host allocator is told of copies.
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
        // Of the program's buffers it touches none. It ends with a synchronise where anything crosses a stream.
        add({ queued: [], stream: streamOf(operation.stream), holds: operation.direction !== 'h2h' });
        return;
      case 'graphLaunch': {
        const stream = streamOf(operation.stream);
        const { number, nodes } = this.#graphs.get(operation.graph) ?? { number: 0, nodes: [] };
        // A graph has the addresses of when it was captured: since then freed and allocated again, it is other memory.
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
      // free() of the host's own memory waits for nobody; cudaFreeHost does for every device.
      if (declared?.memory === 'pageable') return { ends: life };
      const device = declared?.memory === 'device' ? this.#deviceOfBuffer(buffer) : null;
      return { synchronizes: 'device', ends: life, device };
    }
    // The block can be handed on from the stream it was allocated for, or on the host: that is the moment it is gone.
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

  /** What a thread can do next: begin its call, or return from it. */
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
    // A call that touches nothing and waits for nothing is over at once: nobody can tell the difference.
    if (awaited !== 0 || !this.#isPlain(2 * act.bit + 1)) return inCall;
    const done = returned(inCall, thread);
    return act.queued === null ? this.#changeLives(done, act) : done;
  }

  #issuedMask(state: State, isMeant: (stream: string) => boolean): number {
    return state.issued.reduce((mask, bit) => (isMeant(this.#acts[bit]?.stream ?? '') ? mask | (1 << bit) : mask), 0);
  }

  /** Whether one is the legacy default stream of the other's device, and the other takes part in that. */
  #isTied(one: string, other: string): boolean {
    const takesPart = (stream: string): boolean =>
      stream.startsWith('per-thread ') ||
      this.#experiment.streams.find(({ id }) => id === stream)?.flags === 'blocking';
    if (this.#home(one) !== this.#home(other)) return false;
    return (isLegacyStream(one) && takesPart(other)) || (isLegacyStream(other) && takesPart(one));
  }

  /** Everything issued so far that must be over before this act begins. */
  #comesAfter(state: State, act: Act): number {
    let mask = this.#issuedMask(state, (stream) => stream === act.stream || this.#isTied(stream, act.stream));
    mask |= this.#issuedMask(state, (stream) =>
      act.alsoAfter.some((other) => other === stream || this.#isTied(stream, other)),
    );
    if (act.operation.op === 'waitEvent') {
      const record = state.recorded[this.#events.indexOf(act.operation.event)] ?? -1;
      if (record >= 0) mask |= 1 << record;
    }
    // cudaMemcpy between two devices comes after all that either was given, and all later work of either after it.
    mask |= this.#issuedMask(state, (stream) => act.alone.includes(this.#home(stream)));
    const homes = [act.stream, ...act.alsoAfter].flatMap((stream) => (stream === '' ? [] : this.#home(stream)));
    for (const { bit, alone } of this.#acts) {
      if (homes.some((home) => alone.includes(home)) && state.issued.includes(bit)) mask |= 1 << bit;
    }
    // Launches of what was captured once run one after another.
    for (const { bit, launched } of this.#acts) {
      if (launched !== 0 && launched === act.launched && state.issued.includes(bit)) mask |= 1 << bit;
    }
    return mask;
  }

  /** What a stream can do next: begin an act whose turn has come, or end it. */
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

  /** Nobody can tell whether it takes time: it touches nothing that another does, and no memory that comes and goes. */
  #isPlain(part: number): boolean {
    this.#plain[part] ??= this.#meets[part]?.length === 0 && this.#touched(part).every(({ life }) => life === 0);
    return this.#plain[part] ?? false;
  }

  /** The memory that comes or goes with the act. What goes must be there, and not in use. */
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

  /** Notes how what begins now stands to everything it could meet. */
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

/** Whether all acts of the mask are over. */
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
