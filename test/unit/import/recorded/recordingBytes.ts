/** Writes recordings like native/record/chunk_writer.cpp, for tests that need no program. */
import { crc32 } from 'node:zlib';
import { recordKinds } from '../../../../core/import/recorded/records.ts';

type Field = readonly ['u8' | 'u32' | 'u64' | 'i32', number] | string;

function bytesOf(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map((field) => {
      if (typeof field === 'string') return Buffer.from(field);
      const [type, value] = field;
      const bytes = Buffer.alloc({ u8: 1, u32: 4, i32: 4, u64: 8 }[type]);
      if (type === 'u8') bytes.writeUInt8(value);
      else if (type === 'u32') bytes.writeUInt32LE(value);
      else if (type === 'i32') bytes.writeInt32LE(value);
      else bytes.writeBigUInt64LE(BigInt(value));
      return bytes;
    }),
  );
}

export const start = 5_000_000_000;

export class RecordingBytes {
  readonly #header: Record<string, unknown>;
  readonly #chunks: Buffer[] = [];
  #records: Buffer[] = [];
  readonly #texts = new Map<string, number>();

  constructor(header: Record<string, unknown> = {}) {
    this.#header = {
      format: 'copyscope/recording',
      version: 1,
      pid: 100,
      parent: 1,
      startNs: start,
      wallClockNs: '1790000000000000000',
      cupti: 130001,
      light: false,
      lines: true,
      ...header,
    };
  }

  record(kind: number, ...fields: Field[]): this {
    const payload = bytesOf(fields);
    const head = Buffer.from([kind, 0, 0, 0]);
    head.writeUInt16LE(payload.length, 2);
    this.#records.push(Buffer.concat([head, payload]));
    return this;
  }

  text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.size + 1;
    this.#texts.set(text, number);
    this.record(recordKinds.text, ['u32', number], text);
    return number;
  }

  call(
    name: string,
    startNs: number,
    endNs: number,
    options: {
      correlation?: number;
      role?: number;
      stack?: number;
      bytes?: number;
      address?: number;
      source?: number;
      thread?: number;
    },
  ): this {
    const { correlation = 0, role = 0, stack = 0, bytes = 0, address = 0, source, thread = 100 } = options;
    const text = this.text(name);
    return this.record(
      recordKinds.call,
      ['u64', start + startNs],
      ['u64', start + endNs],
      ['u32', thread],
      ['u32', correlation],
      ['u32', text],
      ['u32', stack],
      ['u32', 0],
      ['u8', role],
      ['u64', bytes],
      ['u64', address],
      ['u32', stack === 0 ? 0 : 100],
      ...(source === undefined ? [] : [['u64', source] as const]),
    );
  }

  copy(startNs: number, endNs: number, correlation: number, bytes: number, { src = 1, stream = 7 } = {}): this {
    return this.record(
      recordKinds.copy,
      ['u64', start + startNs],
      ['u64', start + endNs],
      ['u64', bytes],
      ['u32', 0],
      ['u32', stream],
      ['u32', correlation],
      ['u32', 1],
      ['i32', 3],
      ['u8', 2],
      ['u8', 1],
      ['u8', src],
      ['u8', 3],
      ['u32', 0],
      ['u32', 0],
      ['u32', 0],
    );
  }

  kernel(startNs: number, endNs: number, correlation: number, name: string, stream = 7): this {
    const text = this.text(name);
    return this.record(
      recordKinds.kernel,
      ['u64', start + startNs],
      ['u64', start + endNs],
      ['u32', text],
      ['u32', 0],
      ['u32', stream],
      ['u32', correlation],
      ['u32', 1],
      ['u32', 0],
    );
  }

  /** Writes two frames: a line of the framework's, called by a line of the program's. */
  stack(number: number, line: number): this {
    const [library, program, name] = [this.text('/x/torch/nn/f.py'), this.text('train.py'), this.text('step')];
    this.record(recordKinds.frame, ['u32', 2 * number], ['u32', library], ['u32', 9], ['u32', name]);
    this.record(recordKinds.frame, ['u32', 2 * number + 1], ['u32', program], ['u32', line], ['u32', name]);
    return this.record(recordKinds.stack, ['u32', number], ['u32', 2 * number], ['u32', 2 * number + 1]);
  }

  range(startNs: number, endNs: number, name: string): this {
    const text = this.text(name);
    return this.record(
      recordKinds.range,
      ['u64', start + startNs],
      ['u64', start + endNs],
      ['u32', 100],
      ['u32', text],
    );
  }

  /** Writes the begin or the end of recording. */
  window(atNs: number, begins: boolean): this {
    return this.record(recordKinds.window, ['u64', start + atNs], ['u8', begins ? 1 : 0]);
  }

  /** Ends the chunk, whose header has the given counts. */
  flush({ copies = 0, kernels = 0, waits = 0, dropped = 0 } = {}): this {
    const payload = Buffer.concat(this.#records);
    this.#records = [];
    const head = Buffer.alloc(32);
    head.write('CPSC');
    head.writeUInt32LE(payload.length, 4);
    head.writeUInt32LE(crc32(payload), 8);
    for (const [place, count] of [0, copies, kernels, waits, dropped].entries())
      head.writeUInt32LE(count, 12 + 4 * place);
    this.#chunks.push(head, payload);
    return this;
  }

  bytes(): Uint8Array {
    if (this.#records.length > 0) this.flush();
    const header = Buffer.from(JSON.stringify(this.#header));
    return new Uint8Array(
      Buffer.concat([Buffer.from('CPSREC01'), bytesOf([['u32', header.length]]), header, ...this.#chunks]),
    );
  }
}

/** Returns a program of `count` steps: in a range a pageable copy, optionally with its source, a kernel, a wait. */
export function steps(
  count: number,
  header: Record<string, unknown> = {},
  sourceOf?: (step: number) => number,
): RecordingBytes {
  const bytes = new RecordingBytes(header);
  bytes.record(
    recordKinds.device,
    ['u32', 0],
    ['u32', bytes.text('Test GPU')],
    ['u32', 9],
    ['u32', 0],
    ['u32', 132],
    ['u32', 3],
    ['u64', 2 ** 37],
  );
  bytes.stack(1, 12).stack(2, 14);
  for (let step = 0; step < count; step += 1) {
    const [at, id] = [step * 100_000, step * 3 + 1];
    const addresses = sourceOf === undefined ? {} : { address: 2 ** 46, source: sourceOf(step) };
    bytes.call('cudaMemcpyAsync', at + 1000, at + 30_000, { correlation: id, role: 1, stack: 1, ...addresses });
    bytes.copy(at + 5000, at + 29_000, id, 1 << 20);
    bytes.call('cudaLaunchKernel', at + 31_000, at + 34_000, { correlation: id + 1 });
    bytes.kernel(at + 35_000, at + 80_000, id + 1, 'gemm');
    bytes.call('cudaStreamSynchronize', at + 36_000, at + 81_000, { correlation: id + 2, role: 3, stack: 2 });
    bytes.range(at, at + 90_000, 'step').flush();
  }
  return bytes.record(recordKinds.end, ['u64', start + count * 100_000]);
}
