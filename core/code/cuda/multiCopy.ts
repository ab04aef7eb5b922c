/** Writes multi-tensor copies as loops. */
import type { MultiCopyPlan } from '../../program/program.ts';
import type { Listing } from '../listing.ts';
import type { Writes } from '../scope.ts';
import { required, sizesOf } from '../subject.ts';
import type { CudaScope } from './scope.ts';

const MiB = 2 ** 20;

export function writeMultiCopy(scope: CudaScope, listing: Listing, { plan, stream, op }: Writes<'multiCopy'>): void {
  scope.use('tensors');
  const copy = required(scope.subject.program.multiCopies, plan);
  const writer = new MultiCopyWriter(scope, listing, copy, required(scope.tensors, plan), scope.stream(stream), op);
  writer.write();
}

/** Returns for example 'makeTensors({4 * KiB}, 64, Memory::pageable, Memory::device)'. */
export function tensorsExpression(scope: CudaScope, copy: MultiCopyPlan): string {
  const { each, count } = sizesOf(copy);
  const memory = (side: string): string => `Memory::${side === 'd' ? 'device' : copy.memory}`;
  const [from, to] = copy.direction.split('2');
  const sizes = `{${each.map((bytes) => scope.bytes(bytes)).join(', ')}}`;
  return `makeTensors(${sizes}, ${count}, ${memory(from ?? 'h')}, ${memory(to ?? 'd')})`;
}

class MultiCopyWriter {
  readonly #scope: CudaScope;
  readonly #listing: Listing;
  readonly #copy: MultiCopyPlan;
  readonly #tensors: string;
  readonly #stream: string;
  readonly #op: number;

  constructor(scope: CudaScope, listing: Listing, copy: MultiCopyPlan, tensors: string, stream: string, op: number) {
    this.#scope = scope;
    this.#listing = listing;
    this.#copy = copy;
    this.#tensors = tensors;
    this.#stream = stream;
    this.#op = op;
  }

  write(): void {
    const { strategy, direction } = this.#copy;
    const isOneSided = direction === 'd2d' || direction === 'h2h';
    if (isOneSided && strategy !== 'blocking-loop' && strategy !== 'non-blocking-loop') {
      this.#note(
        `A copy from ${direction.replace('2', ' to ')} has nothing to pin: one tensor after another is copied.`,
      );
      this.#loop(false, 'from', 'to');
      return;
    }
    switch (strategy) {
      case 'blocking-loop':
        this.#loop(true, 'from', 'to');
        return;
      case 'non-blocking-loop':
        this.#loop(false, 'from', 'to');
        return;
      case 'pin-then-copy':
        this.#pinned(true);
        return;
      case 'pin-then-copy-non-blocking':
        this.#pinned(false);
        return;
      case 'threaded-pinning':
        this.#threaded();
        return;
      default:
        this.#chunked();
        return;
    }
  }

  #add(text: string): void {
    this.#listing.add(text, this.#op);
  }

  #note(text: string): void {
    this.#listing.note(text, this.#op);
  }

  #synchronize(): void {
    this.#add(`CHECK(cudaStreamSynchronize(${this.#stream}));`);
  }

  #each(write: () => void): void {
    this.#add(`for (const auto &tensor : ${this.#tensors}.all) {`);
    this.#listing.inside(write);
    this.#add('}');
  }

  #copyOne(from: string, to: string): void {
    this.#add(
      `CHECK(cudaMemcpyAsync(tensor.${to}, tensor.${from}, tensor.bytes, cudaMemcpyDefault, ${this.#stream}));`,
    );
  }

  #loop(waitEach: boolean, from: string, to: string): void {
    this.#each(() => {
      this.#copyOne(from, to);
      if (waitEach) this.#synchronize();
    });
    if (!waitEach) this.#synchronize();
  }

  #pinned(waitEach: boolean): void {
    this.#note('The page-locked memory is there already, as it is from the second iteration of a caching allocator.');
    const isUp = this.#copy.direction === 'h2d';
    const stage = (): void => this.#add('std::memcpy(tensor.stage, tensor.from, tensor.bytes);');
    const unstage = (): void => this.#add('std::memcpy(tensor.to, tensor.stage, tensor.bytes);');
    this.#each(() => {
      if (isUp) stage();
      this.#copyOne(isUp ? 'stage' : 'from', isUp ? 'to' : 'stage');
      if (waitEach) this.#synchronize();
      if (waitEach && !isUp) unstage();
    });
    if (waitEach) return;
    this.#synchronize();
    if (!isUp) this.#each(unstage);
  }

  #threaded(): void {
    this.#scope.use('inThreads');
    const { options, direction } = this.#copy;
    const threads = typeof options['threads'] === 'number' ? options['threads'] : 4;
    const isUp = direction === 'h2d';
    this.#add(`inThreads(${threads}, ${this.#tensors}, [&](const Tensors::Tensor &tensor) {`);
    this.#listing.inside(() => {
      if (isUp) this.#add('std::memcpy(tensor.stage, tensor.from, tensor.bytes);');
      this.#copyOne(isUp ? 'stage' : 'from', isUp ? 'to' : 'stage');
    });
    this.#add('});');
    this.#synchronize();
    if (!isUp) this.#each(() => this.#add('std::memcpy(tensor.to, tensor.stage, tensor.bytes);'));
  }

  #chunked(): void {
    const { strategy, direction, options } = this.#copy;
    this.#note(
      `Copyscope's ${strategy} copier works with several threads and with buffers that it fills again; here one thread does it.`,
    );
    if (direction === 'd2h') {
      this.#pinned(false);
      return;
    }
    this.#scope.use('chunks');
    const [name, standard] = strategy === 'packed' ? ['max_packed_chunk_bytes', 32 * MiB] : ['chunk_bytes', 4 * MiB];
    const bytes = typeof options[name] === 'number' ? options[name] : standard;
    this.#add(`copyInChunks(${this.#tensors}, ${this.#scope.bytes(bytes)}, ${this.#stream});`);
  }
}
