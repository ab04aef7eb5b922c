/** Names, expressions and helpers of a generated CUDA program. */
import type { ProgramBuffer, ProgramStream } from '../../program/program.ts';
import type { Listing } from '../listing.ts';
import { CodeScope, type Writes } from '../scope.ts';
import { bufferOf, isOnDevice, type Subject, streamOf } from '../subject.ts';
import type { CudaHelper } from './helpers.ts';

/** C++ keywords and names of the program's own lines. */
const reserved =
  `alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast constexpr
  continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if
  inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
  reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this thread_local
  throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq concept
  requires co_await co_return co_yield consteval constinit char8_t char16_t char32_t main std CHECK KiB MiB GiB
  Signal Tensors Memory errno stdin stdout stderr assert NULL EOF linux unix i j k l m n iteration begin took error ms
  scalar spin multiply arithmetic work readAll allocate exclusive
  Cublas Cufft CHECK_LIBRARY workOfStream roundsFor blocksOfDevice blocksFor endCapture isDone makeTensors
  inThreads copyInChunks Block blockTable copyBlocks copyBatch copyEach packBlocks prefetch advise Gate gate signal wait time
  clock rand read write free malloc index pipe link remove rename exit abort abs div log exp sin cos dim3 warpSize
  threadIdx blockIdx blockDim gridDim uint8_t uint32_t uint64_t int64_t size_t setenv min max round y0 y1 yn j0 j1 jn`.split(
    /\s+/,
  );

/** Number of blocks that fill a device, or shared memory that gives each block a multiprocessor alone. */
type Found = 'Blocks' | 'Alone';

/** A device property that the program queries once, since the query takes time. */
interface Shape {
  readonly name: string;
  readonly value: string;
  readonly device: number;
}

export class CudaScope extends CodeScope<CudaHelper> {
  readonly #shapes = new Map<string, Shape>();

  constructor(subject: Subject) {
    super(subject, reserved, "'");
  }

  protected override defaultStream({ kind }: ProgramStream): string {
    return kind === 'legacy-default' ? 'cudaStreamLegacy' : 'cudaStreamPerThread';
  }

  /** Returns 'source', or 'source + 4 * KiB'. */
  at(buffer: number, offset: number, stepBytes?: number): string {
    return [this.name(buffer), this.place(offset, stepBytes)].filter(Boolean).join(' + ');
  }

  /** Returns the arguments of a block copy: both buffers, its table and the number of blocks. */
  blocks({ src, dst, blocks }: Writes<'blockCopy' | 'packBlocks'>): string {
    return [this.name(dst), this.name(src), this.tables.get(blocks), blocks.sizes.length].join(', ');
  }

  /** Queried properties of all written launches. */
  get shapes(): Iterable<Shape> {
    return this.#shapes.values();
  }

  /** Returns the name of a queried property for a kernel on its stream's device. */
  found(what: Found, kernel: string, stream: number): string {
    const { device } = streamOf(this.subject, stream);
    const number = this.subject.program.devices.length > 1 ? this.ordinal(device) : '';
    const id = `${kernel}${what}${number}`;
    const known = this.#shapes.get(id);
    if (known !== undefined) return known.name;
    const name = this.names.make(id, 'shape');
    const find = what === 'Blocks' ? 'blocksOfDevice' : 'exclusive';
    this.#shapes.set(id, { name, value: `${find}(reinterpret_cast<const void *>(${kernel}))`, device });
    return name;
  }

  /** Returns the number of the device among those that the program sees. */
  ordinal(device: number): number {
    return this.subject.program.devices[device]?.index ?? 0;
  }

  /** Writes code that only works while the stream's device is the thread's current one. */
  onDeviceOf(stream: number, thread: number, listing: Listing, op: number, write: () => void): void {
    const { program } = this.subject;
    const [own, other] = [program.threads[thread]?.device ?? 0, streamOf(this.subject, stream).device];
    if (own !== other) listing.add(`CHECK(cudaSetDevice(${this.ordinal(other)}));`, op);
    write();
    if (own !== other) listing.add(`CHECK(cudaSetDevice(${this.ordinal(own)}));`, op);
  }

  copyKind(src: number, dst: number): string {
    const [from, to] = [bufferOf(this.subject, src), bufferOf(this.subject, dst)];
    if (isOnDevice(from) && isOnDevice(to) && from.device !== to.device) return 'cudaMemcpyDefault';
    const side = (buffer: ProgramBuffer): string => (isOnDevice(buffer) ? 'Device' : 'Host');
    return `cudaMemcpy${side(from)}To${side(to)}`;
  }
}
