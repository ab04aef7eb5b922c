/** What has been recorded so far, by the heads of the chunks that are written: their content isn't read. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chunkCounts, firstChunk, type RecordingCounts } from '../../core/import/recorded/recordingFile.ts';

export const recordingEnding = '.cprec';

const headBytes = 4096;
const chunkHeadBytes = 32;

interface Followed {
  next: number | null;
}

export class LiveCounts {
  readonly #folder: string;
  readonly #files = new Map<string, Followed>();
  #counts: RecordingCounts = { records: 0, copies: 0, kernels: 0, waits: 0 };

  constructor(folder: string) {
    this.#folder = folder;
  }

  get processes(): number {
    return this.#files.size;
  }

  /** Reads what is new. Files that come, and chunks that are half written, are for the next time. */
  async read(): Promise<RecordingCounts> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith(recordingEnding))) {
      const followed = this.#files.get(name) ?? { next: null };
      this.#files.set(name, followed);
      await this.#follow(join(this.#folder, name), followed).catch(() => {});
    }
    return this.#counts;
  }

  async #follow(path: string, followed: Followed): Promise<void> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      if (followed.next === null) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
        followed.next = firstChunk(buffer.subarray(0, bytesRead));
      }
      while (followed.next !== null && followed.next + chunkHeadBytes <= size) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkHeadBytes), 0, chunkHeadBytes, followed.next);
        const counts = chunkCounts(buffer.subarray(0, bytesRead), followed.next);
        if (counts === null || counts.next > size) return;
        followed.next = counts.next;
        this.#counts = {
          records: this.#counts.records + counts.records,
          copies: this.#counts.copies + counts.copies,
          kernels: this.#counts.kernels + counts.kernels,
          waits: this.#counts.waits + counts.waits,
        };
      }
    } finally {
      await file.close();
    }
  }
}
