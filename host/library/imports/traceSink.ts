/** Reads another tool's trace while it arrives: memory holds its rows and one part, never the file. */
import type { ByteStream } from '../../../core/import/importedRun.ts';
import { readPyTorchTrace } from '../../../core/import/kineto/pytorchTrace.ts';
import { traceName } from '../../../core/import/sniff.ts';
import type { Imported } from '../../../core/service/service.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { Sink } from './sink.ts';
import { unpacked } from './unpacked.ts';

export interface TraceFile {
  readonly name: string;
  readonly modifiedAt: Date;
  /** Version of this program. */
  readonly version: string;
}

export class TraceSink implements Sink {
  readonly #parts = new Handover();
  readonly #run: Promise<Run>;
  readonly #keep: (run: Run) => Promise<Imported>;

  constructor({ name, modifiedAt, version }: TraceFile, keep: (run: Run) => Promise<Imported>) {
    this.#keep = keep;
    this.#run = readPyTorchTrace(unpacked(this.#parts), { name: traceName(name), modifiedAt, version });
    // finish() reports the error; a reader that has enough takes no more.
    this.#run.catch(() => {}).finally(() => this.#parts.close());
  }

  push(part: Uint8Array): Promise<void> {
    return this.#parts.give(part);
  }

  async finish(): Promise<Imported> {
    this.#parts.end();
    return this.#keep(await this.#run);
  }

  async abandon(): Promise<void> {
    this.#parts.end();
    await this.#run.catch(() => {});
  }
}

/** Passes parts from the writer to the reader, one at a time. */
class Handover implements ByteStream {
  readonly #waiting: { part: Uint8Array; taken: () => void }[] = [];
  /** Resolves the current part. The reader may never return: then close() ends the wait. */
  #taken: (() => void) | null = null;
  #wake: (() => void) | null = null;
  #ended = false;
  #closed = false;

  /** Resolves when the reader has taken the part and asks for more, or wants no more at all. */
  give(part: Uint8Array): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((taken) => {
      this.#waiting.push({ part, taken });
      this.#wake?.();
    });
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Called when the reader has ended. */
  close(): void {
    this.#closed = true;
    this.#taken?.();
    for (const { taken } of this.#waiting.splice(0)) taken();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#taken = next.taken;
        try {
          yield next.part;
        } finally {
          next.taken();
        }
      } else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
