/** Names and quantities of a generated program, in any language. */
import {
  type Blocks,
  type Instruction,
  isLibraryKernel,
  type LibraryKernel,
  type ProgramStream,
} from '../program/program.ts';
import { GiB, KiB, MiB } from '../units.ts';
import { isBlockCopy } from './blocks.ts';
import { required, type Subject } from './subject.ts';

const units = [
  ['GiB', GiB],
  ['MiB', MiB],
  ['KiB', KiB],
] as const;

/** Returns 20971520 as '20 * MiB', which both languages define; other numbers with their digits in groups. */
function bytesExpression(bytes: number, separator: "'" | '_'): string {
  const unit = units.find(([, factor]) => bytes >= factor && bytes % factor === 0);
  return unit === undefined ? grouped(bytes, separator) : `${bytes / unit[1]} * ${unit[0]}`;
}

/** Returns the unit in an expression; null if there is none. */
const unitIn = (expression: string): 'KiB' | 'MiB' | 'GiB' | null =>
  units.find(([name]) => expression.endsWith(name))?.[0] ?? null;

/** Returns a whole number with its digits in groups of three. */
export const grouped = (value: number, separator: "'" | '_'): string =>
  BigInt(Math.round(value))
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, separator);

/** Unique names for variables, made from the experiment's ids and valid in the language. */
class Names {
  readonly #taken: Set<string>;

  constructor(reserved: readonly string[]) {
    this.#taken = new Set(reserved);
  }

  /** `kind` distinguishes declarations with the same id, such as a buffer and a stream. */
  make(id: string, kind: string): string {
    const plain = id.replace(/[^A-Za-z0-9_]/g, '_');
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? plain : number === 2 ? `${plain}_${kind}` : `${plain}_${kind}${number - 1}`;
      if (this.#taken.has(name) || /^_|__/.test(name)) {
        if (/^_|__/.test(plain)) return this.make(`${kind}_${plain.replace(/_+/g, '_').replace(/^_|_$/g, '')}`, kind);
        continue;
      }
      this.#taken.add(name);
      return name;
    }
  }
}

/** Units that a helper of each language defines. */
type Unit = NonNullable<ReturnType<typeof unitIn>>;

export interface Library {
  readonly name: string;
  /** One of the kernels that it serves. */
  readonly kernel: LibraryKernel;
  readonly stream: number;
  readonly firstUse: boolean;
}

const libraryKey = (kernel: LibraryKernel, stream: number): string =>
  kernel.kind === 'matmul' ? `${stream}` : `${stream} ${kernel.size} ${kernel.batch}`;

export abstract class CodeScope<Helper extends string> {
  readonly subject: Subject;
  readonly used = new Set<Helper | Unit>();
  readonly buffers: readonly string[];
  readonly streams: readonly string[];
  readonly events: readonly string[];
  readonly signals: readonly string[];
  readonly graphs: readonly string[];
  readonly threads: readonly string[];
  readonly tensors: readonly string[];
  /** Names of the tables of block copies. */
  readonly tables: ReadonlyMap<Blocks, string>;
  /** Library handles and plans: for each stream one for all products, and one for each shape of transforms. */
  readonly libraries: ReadonlyMap<string, Library>;
  protected readonly names: Names;
  /** Counter of the innermost loop. */
  round = '';
  /** Separates groups of digits in large numbers. */
  readonly #separator: "'" | '_';

  constructor(subject: Subject, reserved: readonly string[], separator: "'" | '_') {
    this.subject = subject;
    this.#separator = separator;
    const { program, experiment } = subject;
    const names = new Names(reserved);
    this.names = names;
    this.buffers = program.buffers.map(({ id }) => names.make(id, 'buffer'));
    this.streams = program.streams.map((stream, index) =>
      index < experiment.streams.length ? names.make(stream.id, 'stream') : this.defaultStream(stream),
    );
    this.events = program.events.map(({ id }) => names.make(id, 'event'));
    this.signals = program.signals.map(({ id }) => names.make(id, 'signal'));
    this.graphs = program.graphs.map(({ id }) => names.make(id, 'graph'));
    this.threads = program.threads.map(({ id }) => names.make(id, 'thread'));
    this.libraries = this.#librariesOf(subject);
    const blocks = new Set(subject.instructions.filter(isBlockCopy).map((one) => one.blocks));
    this.tables = new Map([...blocks].map((table, index) => [table, names.make(`blocks${index + 1}`, 'table')]));
    this.tensors = program.multiCopies.map((_, index) => names.make(`tensors${index + 1}`, 'copy'));
  }

  library(kernel: LibraryKernel, stream: number): string {
    return this.libraries.get(libraryKey(kernel, stream))?.name ?? '';
  }

  /** Returns whether the first such kernel makes the library's handle or plan anew in each iteration. */
  isMadeInIteration(kernel: LibraryKernel, stream: number): boolean {
    return this.libraries.get(libraryKey(kernel, stream))?.firstUse === true;
  }

  #librariesOf({ instructions }: Subject): Map<string, Library> {
    const found = new Map<string, Library>();
    for (const one of instructions) {
      if (one.code !== 'kernel' || !isLibraryKernel(one.kernel)) continue;
      const { kernel, stream } = one;
      const key = libraryKey(kernel, stream);
      const known = found.get(key);
      const stem = kernel.kind === 'matmul' ? 'blas' : 'fft';
      const alike = [...found.values()].filter((other) => other.kernel.kind === kernel.kind).length;
      const name = known?.name ?? this.names.make(`${stem}${alike === 0 ? '' : alike + 1}`, 'library');
      found.set(key, { name, kernel, stream, firstUse: kernel.firstUse || known?.firstUse === true });
    }
    return found;
  }

  /** Returns the language's expression for an undeclared stream. */
  protected abstract defaultStream(stream: ProgramStream): string;

  use(...helpers: readonly (Helper | Unit)[]): void {
    for (const helper of helpers) this.used.add(helper);
  }

  bytes(bytes: number): string {
    const text = bytesExpression(bytes, this.#separator);
    const unit = unitIn(text);
    if (unit !== null) this.use(unit);
    return text;
  }

  /** Returns '4 * KiB + i * 2 * KiB' if the offset moves in the innermost loop; empty if it is zero. */
  place(offset: number, stepBytes = 0): string {
    const moved = stepBytes === 0 || this.round === '' ? [] : [`${this.round} * ${this.bytes(stepBytes)}`];
    return [...(offset === 0 ? [] : [this.bytes(offset)]), ...moved].join(' + ');
  }

  name(buffer: number): string {
    return required(this.buffers, buffer);
  }

  stream(stream: number): string {
    return required(this.streams, stream);
  }

  ns(durationNs: number): string {
    return grouped(durationNs, this.#separator);
  }
}

export type Writes<Code extends Instruction['code']> = Extract<Instruction, { code: Code }>;
