/** Bytes that an allocator holds and has held, with the counts that the native engines report (core/trace/run.ts). */
import type { AllocatorState } from '../trace/run.ts';

type Counts = Omit<AllocatorState, 'allocator' | 'device' | 'blocks' | 'reservedSteps'>;

export class AllocatorUsage implements Counts {
  allocatedBytes = 0;
  peakAllocatedBytes = 0;
  reservedBytes = 0;
  peakReservedBytes = 0;
  allocations = 0;
  segmentsAllocated = 0;
  segmentsFreed = 0;
  retries = 0;
  readonly failures = 0;
  #steps: AllocatorState['reservedSteps'] = [];
  #notedBytes = 0;

  /** Counts an allocation of a block. */
  protected use(bytes: number): void {
    this.allocations += 1;
    this.allocatedBytes += bytes;
    this.peakAllocatedBytes = Math.max(this.peakAllocatedBytes, this.allocatedBytes);
  }

  /** Counts memory from the system; a negative number gives it back. */
  protected reserve(bytes: number): void {
    this.reservedBytes += bytes;
    this.peakReservedBytes = Math.max(this.peakReservedBytes, this.reservedBytes);
  }

  /** Notes what is reserved from a time on, if that has changed. */
  note(timeNs: number): void {
    if (this.reservedBytes === this.#notedBytes) return;
    this.#notedBytes = this.reservedBytes;
    this.#steps.push({ iteration: 0, timeNs, bytes: this.reservedBytes });
  }

  /** Forgets the steps of an iteration that isn't shown. */
  forgetSteps(): void {
    this.#steps = [];
    this.#notedBytes = 0;
  }

  state(allocator: AllocatorState['allocator'], device: string, blocks: AllocatorState['blocks']): AllocatorState {
    const { allocatedBytes, peakAllocatedBytes, reservedBytes, peakReservedBytes } = this;
    const { allocations, segmentsAllocated, segmentsFreed, retries, failures } = this;
    const bytes = { allocatedBytes, peakAllocatedBytes, reservedBytes, peakReservedBytes };
    const counts = { allocations, segmentsAllocated, segmentsFreed, retries, failures };
    return { allocator, device, ...bytes, ...counts, blocks, reservedSteps: this.#steps };
  }
}
