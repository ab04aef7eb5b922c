/** Counts the recorded activities so far from the heads of written chunks, without reading their content. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chunkCounts, firstChunk, type RecordingCounts } from '../../core/import/recorded/recordingFile.ts';
import type { RecordedSoFar } from '../../core/service/recording.ts';
import { openPlain, serial } from '../files/files.ts';

export const recordingEnding = '.cprec';

const headBytes = 4096;
const chunkHeadBytes = 32;

interface Followed {
  next: number | null;
  bytes: number;
  counts: RecordingCounts;
}

const nothing: RecordingCounts = { records: 0, copies: 0, kernels: 0, waits: 0, dropped: 0 };

export class LiveCounts {
  readonly #folder: string;
  readonly #files = new Map<string, Followed>();
  readonly #inTurn = serial();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Reads new chunks, one request after another. Half-written chunks and later files are read the next time. */
  read(): Promise<RecordedSoFar> {
    return this.#inTurn(() => this.#readNew());
  }

  async #readNew(): Promise<RecordedSoFar> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith(recordingEnding))) {
      const followed = this.#files.get(name) ?? { next: null, bytes: 0, counts: nothing };
      this.#files.set(name, followed);
      await follow(join(this.#folder, name), followed).catch(() => {});
    }
    const files = [...this.#files.values()];
    const sum = (of: (file: Followed) => number): number => files.reduce((total, file) => total + of(file), 0);
    return {
      processes: files.length,
      bytes: sum(({ bytes }) => bytes),
      copies: sum(({ counts }) => counts.copies),
      kernels: sum(({ counts }) => counts.kernels),
      waits: sum(({ counts }) => counts.waits),
      dropped: sum(({ counts }) => counts.dropped),
    };
  }
}

async function follow(path: string, followed: Followed): Promise<void> {
  const file = await openPlain(path);
  try {
    const { size } = await file.stat();
    followed.bytes = size;
    if (followed.next === null) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      followed.next = firstChunk(buffer.subarray(0, bytesRead));
    }
    while (followed.next !== null && followed.next + chunkHeadBytes <= size) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkHeadBytes), 0, chunkHeadBytes, followed.next);
      const head = chunkCounts(buffer.subarray(0, bytesRead), followed.next);
      if (head === null || head.next > size) return;
      followed.next = head.next;
      const { counts } = followed;
      followed.counts = {
        records: counts.records + head.records,
        copies: counts.copies + head.copies,
        kernels: counts.kernels + head.kernels,
        waits: counts.waits + head.waits,
        dropped: head.dropped,
      };
    }
  } finally {
    await file.close();
  }
}
