/** Converts a script to an ordinary experiment with the operations' times from the trace. */
import { type Experiment, experimentFormat, experimentVersion } from '../experiment/experiment.ts';
import { OperationIds } from '../experiment/operationIds.ts';
import type { Operation } from '../experiment/operations.ts';
import { type BufferDeclaration, type BufferMemory, environmentSchema } from '../experiment/resources.ts';
import { shortKernelName } from '../explain/figures/kernelName.ts';
import { DeviceNames, deviceOf } from './devices.ts';
import type { CopyItem, Item, LaunchItem, RecordItem, Script, ScriptStep, WaitItem } from './script.ts';
import { UnreadBuffers } from './unreadBuffers.ts';

export interface LiftedExperiment {
  readonly experiment: Experiment;
  /** Step of each operation by number, in document order; -1 before all steps. */
  readonly steps: Int32Array;
}

/** Operations get their ids at the end. */
const id = '';
const pattern = { kind: 'random' as const, seed: 1 };

/** Limit of buffers that one kernel reads. */
const mostRead = 16;

/** Number of kernels in a row from which they become one block of the score. */
const blockOf = 4;

/** Without a description it is only simulated. Then operations need no ids, which take time and memory. */
export function experimentOf(script: Script, description: string | null): LiftedExperiment {
  const devices = new DeviceNames(script);
  const writer = new Writer(devices);
  const main = [...writer.captures(script), ...script.steps.map((step, index) => writer.step(step, index))];
  const helper = script.helper?.map((step, index) => writer.step(step, index));
  const threads = [
    { id: 'main', operations: main },
    ...(helper === undefined ? [] : [{ id: 'helper', operations: helper }]),
  ];
  const experiment: Experiment = {
    format: experimentFormat,
    version: experimentVersion,
    name: script.name.slice(0, 200) || 'trace',
    description: description ?? '',
    environment: environmentSchema.parse({ iterations: 3, warmups: 1 }),
    devices: devices.ids.map((id, index) => ({ id, index })),
    ...writer.declarations(),
    threads,
  };
  return { experiment, steps: numbered(threads, writer.stepOf, description === null ? null : new OperationIds([])) };
}

/** Gives each operation its id in document order, groups before their content. Returns the operations' steps. */
function numbered(
  threads: readonly { operations: readonly Operation[] }[],
  stepOf: ReadonlyMap<Operation, number>,
  ids: OperationIds | null,
): Int32Array {
  const steps: number[] = [];
  const visit = (operation: Operation, step: number): void => {
    const own = stepOf.get(operation) ?? step;
    steps.push(own);
    if (ids !== null) operation.id = ids.next(operation.op);
    if ('operations' in operation) for (const inner of operation.operations) visit(inner, own);
  };
  for (const { operations } of threads) for (const operation of operations) visit(operation, -1);
  return Int32Array.from(steps);
}

class Writer {
  readonly #devices: DeviceNames;
  readonly stepOf = new Map<Operation, number>();
  readonly #buffers = new Map<string, BufferDeclaration & { readonly bytes: number }>();
  readonly #streams = new Map<string, string>();
  readonly #events = new Map<string, string>();
  readonly #signals = new Set<string>();
  readonly #unread = new UnreadBuffers();
  /** Stream in which each event was last recorded, and which of its unread buffers had arrived. */
  readonly #recorded = new Map<string, { readonly lane: string; readonly stream: string; readonly place: number }>();
  /** Stream of the kernel that reads each device buffer. */
  readonly #readIn = new Map<string, string>();

  constructor(devices: DeviceNames) {
    this.#devices = devices;
  }

  declarations() {
    return {
      buffers: [...this.#buffers.values()],
      streams: [...this.#streams].map(([lane, id]) => ({
        id,
        ...this.#deviceOf(lane),
        flags: 'non-blocking' as const,
        priority: 0,
      })),
      events: [...this.#events.values()].map((id) => ({ id, timing: false })),
      signals: [...this.#signals].map((id) => ({ id, capacity: 4 })),
    };
  }

  /** Captures graphs once, before the steps. */
  captures({ steps }: Script): Operation[] {
    const seen = new Set<string>();
    const made: Operation[] = [];
    for (const item of steps.flatMap(({ items }) => items)) {
      if (item.kind !== 'graph' || seen.has(item.graph)) continue;
      seen.add(item.graph);
      const operations = item.launches.map((launch) => this.#kernel(launch));
      made.push({ op: 'graphCapture', id, graph: item.graph, stream: this.#stream(item.stream), operations });
    }
    if (made.length > 0) made.push({ op: 'synchronizeDevice', id });
    return made;
  }

  step({ name, items }: ScriptStep, index: number): Operation {
    const range: Operation = {
      op: 'range',
      id,
      name: name.slice(0, 120) || `step ${index + 1}`,
      // Steps are similar: the first one is shown in full, the others as one block each.
      ...(index > 0 ? { folded: true } : {}),
      operations: this.#operations(items),
    };
    this.stepOf.set(range, index);
    return range;
  }

  #operations(items: readonly Item[]): Operation[] {
    const operations: Operation[] = [];
    let block: Operation[] = [];
    let kernels = 0;
    const close = (): void => {
      if (kernels >= blockOf)
        operations.push({ op: 'range', id, name: `${kernels} kernels`, folded: true, operations: block });
      else operations.push(...block);
      block = [];
      kernels = 0;
    };
    for (const item of items) {
      if (item.kind === 'launch' || (item.kind === 'work' && kernels > 0 && item.copy < 0 && !item.isOwn)) {
        block.push(...this.#item(item));
        if (item.kind === 'launch') kernels += 1;
        continue;
      }
      close();
      operations.push(...this.#item(item));
    }
    close();
    return operations;
  }

  #item(item: Item): Operation[] {
    switch (item.kind) {
      case 'work':
        return item.ns >= 1 ? [{ op: 'work', id, durationNs: Math.round(item.ns) }] : [];
      case 'launch':
        return [this.#kernel(item)];
      case 'copy':
        return [this.#copy(item)];
      case 'record':
        this.#noteRecord(item);
        return [{ op: 'recordEvent', id, ...this.#eventCall(item) }];
      case 'wait':
        this.#handOver(item);
        return [{ op: 'waitEvent', id, ...this.#eventCall(item) }];
      case 'sync':
        if (item.event !== undefined) return [{ op: 'synchronizeEvent', id, event: this.#event(item.event) }];
        if (item.stream === null) return [{ op: 'synchronizeDevice', id, ...this.#devices.named(item.device) }];
        return [{ op: 'synchronizeStream', id, stream: this.#stream(item.stream) }];
      case 'graph':
        return [{ op: 'graphLaunch', id, graph: item.graph, stream: this.#stream(item.stream) }];
      default:
        this.#signals.add(item.signal);
        return [{ op: item.kind === 'signal' ? 'signal' : 'waitSignal', id, signal: item.signal }];
    }
  }

  #eventCall({ event, stream, callNs }: RecordItem | WaitItem) {
    return { event: this.#event(event), stream: this.#stream(stream), recorded: { callNs } };
  }

  #noteRecord({ event, stream }: RecordItem): void {
    const from = this.#stream(stream);
    this.#recorded.set(event, { lane: stream, stream: from, place: this.#unread.place(from) });
  }

  /** Data copied before the event is available to the waiting stream; a device reads only its own memory. */
  #handOver({ event, stream }: WaitItem): void {
    const recorded = this.#recorded.get(event);
    const to = this.#stream(stream);
    if (recorded === undefined || recorded.stream === to) return;
    if (this.#deviceOf(recorded.lane).device !== this.#deviceOf(stream).device) return;
    this.#unread.handOver(recorded.stream, recorded.place, to);
  }

  #kernel({ name, stream: lane, callNs, deviceNs, shares }: LaunchItem): Operation {
    const stream = this.#stream(lane);
    const reads = this.#unread.read(stream, mostRead);
    for (const buffer of reads) this.#readIn.set(buffer, stream);
    return {
      op: 'kernel',
      id,
      label: shortKernelName(name).slice(0, 120) || 'kernel',
      kernel: { kind: 'spin', durationNs: Math.round(deviceNs) },
      reads,
      writes: [],
      smShare: shares ? 0.5 : 1,
      stream,
      recorded: { callNs },
    };
  }

  #copy(item: CopyItem): Operation {
    const { direction, bytes, deviceNs } = item;
    const memory = item.host === 'unknown' || item.host === 'none' || item.host === 'device' ? 'pageable' : item.host;
    // Steps use two sets in turn, like programs that get new tensors from an allocator.
    const name = `${direction}_${item.id}_${item.step % 2 === 0 ? 'even' : 'odd'}`;
    const stream = this.#stream(item.stream);
    const host = this.#buffer(`host_${name}`, memory, bytes);
    const device = this.#buffer(
      this.#isReadElsewhere(name, stream) ? `gpu_${name}_${item.step}` : `gpu_${name}`,
      'device',
      bytes,
      this.#deviceOf(item.stream),
    );
    const [src, dst] = direction === 'h2d' ? [host, device] : [device, host];
    if (direction === 'h2d') this.#unread.add(stream, device);
    const callNs = memory === 'pageable' ? item.heldNs : item.callNs;
    const recorded = { callNs, deviceNs, bytes, memory };
    return { op: 'copy', id, src, srcOffset: 0, dst, dstOffset: 0, bytes, stream, mode: 'async', recorded };
  }

  /** A trace doesn't show which memory a copy fills. A buffer that another stream reads isn't filled again. */
  #isReadElsewhere(name: string, stream: string): boolean {
    const buffer = `gpu_${name}`;
    const reader = this.#readIn.get(buffer);
    return reader === undefined ? this.#unread.isUnreadIn(buffer, (other) => other !== stream) : reader !== stream;
  }

  #buffer(base: string, memory: BufferMemory, bytes: number, on: { readonly device?: string } = {}): string {
    for (let number = 1; ; number += 1) {
      const id = number === 1 ? base : `${base}_${number}`;
      const known = this.#buffers.get(id);
      if (known === undefined) this.#buffers.set(id, { id, memory, ...on, bytes, pattern, allocated: 'before-run' });
      if (known === undefined || (known.memory === memory && known.device === on.device && known.bytes >= bytes))
        return id;
    }
  }

  #deviceOf(lane: string): { readonly device?: string } {
    return this.#devices.named(deviceOf(lane));
  }

  #stream(lane: string): string {
    const known = this.#streams.get(lane);
    if (known !== undefined) return known;
    const id = streamName(lane);
    this.#streams.set(lane, id);
    return id;
  }

  #event(name: string): string {
    const known = this.#events.get(name);
    if (known !== undefined) return known;
    const id = `event_${this.#events.size + 1}`;
    this.#events.set(name, id);
    return id;
  }
}

/** Returns a lane's stream id: "stream7" on the first device, "gpu1_7" on another, "copy-in" if a change adds it. */
function streamName(lane: string): string {
  const name = lane.replace(/^stream:/, '').replace(/^gpu0[/_:]/, '');
  const id = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 58);
  return /^[A-Za-z]/.test(id) ? id : `stream${id}`;
}
