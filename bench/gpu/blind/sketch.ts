/** An experiment while a shape is drawn: what it declares gets its name here, and sizes are drawn as people choose them. */
import type { ExperimentInput } from '../../../core/experiment/experiment.ts';
import type { OperationName } from '../../../core/experiment/operations.ts';
import { KiB, MiB } from '../../../core/units.ts';
import type { Random } from '../../../test/unit/support/random.ts';
import { arithmetic, device, type HostMemory, host, made, spin, streaming } from '../corpus/parts.ts';

/** An operation as a person writes it, with defaults left out. */
export type Operation = Readonly<Record<string, unknown>> & { readonly op: OperationName };
type Environment = NonNullable<ExperimentInput['environment']>;

/** Buffers of a kernel. */
interface Data {
  readonly reads: string;
  readonly writes: string;
  /** Size of the smaller buffer. */
  readonly bytes: number;
}

export class Sketch {
  readonly random: Random;
  /** Empty if the experiment has one device, which needs no declaration. */
  readonly devices: { readonly id: string; readonly index: number }[] = [];
  readonly buffers: unknown[] = [];
  readonly streams: { readonly id: string }[] = [];
  readonly events: { readonly id: string }[] = [];
  readonly signals: { readonly id: string; readonly capacity: number }[] = [];
  readonly threads: Operation[][] = [];
  environment: Environment = {};

  constructor(random: Random) {
    this.random = random;
  }

  host(memory: HostMemory, bytes: number): string {
    const id = `h${this.buffers.length}`;
    this.buffers.push(host(id, memory, bytes, this.buffers.length + 1));
    return id;
  }

  /** On the device `on`; on the first one by default. */
  device(bytes: number, on?: string): string {
    const id = `d${this.buffers.length}`;
    const place = on === undefined ? {} : { device: on };
    this.buffers.push({ ...device(id, bytes, this.buffers.length + 1), ...place });
    return id;
  }

  /** Device memory that an operation allocates. */
  made(bytes: number): string {
    const id = `m${this.buffers.length}`;
    this.buffers.push(made(id, bytes));
    return id;
  }

  stream(more: object = {}): string {
    const id = `s${this.streams.length}`;
    this.streams.push({ id, ...more });
    return id;
  }

  event(): string {
    const id = `e${this.events.length}`;
    this.events.push({ id });
    return id;
  }

  signal(capacity = 1000): string {
    const id = `g${this.signals.length}`;
    this.signals.push({ id, capacity });
    return id;
  }

  /** `count` of something. */
  each<Item>(count: number, make: (index: number) => Item): Item[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  whole(least: number, most: number): number {
    return least + this.random.below(most - least + 1);
  }

  /** From `least` to `most`, each doubling as likely as the next. */
  between(least: number, most: number): number {
    return least * (most / least) ** this.random.next();
  }

  /** Bytes: mostly a power of two or a round number of elements, sometimes any number; always whole 32-bit words. */
  bytes(least: number, most: number): number {
    const any = this.between(least, most);
    const rounded = this.random.chance(0.5)
      ? 2 ** Math.round(Math.log2(any))
      : Math.round(any / 10 ** Math.floor(Math.log10(any))) * 10 ** Math.floor(Math.log10(any));
    const chosen = this.random.chance(0.25) ? any : rounded;
    return Math.max(4, Math.min(Math.floor(most / 4), Math.ceil(chosen / 4)) * 4);
  }

  /** Host memory as programs have it: mostly pinned. */
  memory(): HostMemory {
    return this.random.pick(['pinned', 'pinned', 'pinned', 'pageable', 'pageable', 'registered']);
  }

  /** A kernel of some 3 to `mostUs` microseconds: a wait, a walk over its data, or arithmetic. */
  kernel(stream: string, { reads, writes, bytes }: Data, mostUs = 600): Operation {
    const share = this.random.pick([1, 1, 1, 0.5, 0.25, 0.125]);
    const touched = { reads: [reads], writes: [writes] };
    switch (this.random.below(3)) {
      case 0:
        return spin(Math.round(this.between(3, mostUs)), stream, touched);
      case 1: {
        // At 2 TB/s and more, with a share of at least an eighth.
        const passes = Math.max(1, Math.floor((mostUs * share * 1e6) / Math.max(bytes, 256 * KiB)));
        return streaming(this.whole(1, Math.min(16, passes)), reads, writes, stream, share);
      }
      default:
        return { ...arithmetic(Math.round(this.between(1e8, 2e7 * mostUs * share)), stream, share), ...touched };
    }
  }

  /** Makes host work between calls. */
  work(leastUs: number, mostUs: number): Operation {
    return { op: 'work', durationNs: Math.round(this.between(leastUs, mostUs)) * 1000 };
  }
}

/** Limit of the sum of some buffers, so that a run takes only some milliseconds. */
export const most = { pinned: 256 * MiB, pageable: 48 * MiB } as const;
export const mostOf = (memory: HostMemory): number => (memory === 'pageable' ? most.pageable : most.pinned);
