/** Collects a file of limited size on the disk, and then passes the whole file on. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CopyscopeError } from '../../../core/errors.ts';
import type { Imported } from '../../../core/service/service.ts';
import { makeFolder, privately, storageError } from '../../files/files.ts';
import type { Sink } from './sink.ts';

export class FileSink implements Sink {
  readonly #folder: string;
  readonly #path: string;
  readonly #mostBytes: number;
  readonly #keep: (path: string) => Promise<Imported>;
  #file: FileHandle | null = null;
  #bytes = 0;

  /** `keep` receives the file's path; it may move the file away. */
  constructor(folder: string, mostBytes: number, keep: (path: string) => Promise<Imported>) {
    this.#folder = folder;
    this.#path = join(folder, randomUUID());
    this.#mostBytes = mostBytes;
    this.#keep = keep;
  }

  async push(part: Uint8Array): Promise<void> {
    this.#bytes += part.length;
    if (this.#bytes > this.#mostBytes) throw tooLarge(this.#mostBytes);
    const file = await this.#opened();
    await file.appendFile(part).catch((error: NodeJS.ErrnoException) => {
      throw storageError(`${this.#path} could not be written`, error);
    });
  }

  async finish(): Promise<Imported> {
    try {
      await (await this.#opened()).close();
      return await this.#keep(this.#path);
    } finally {
      await this.#remove();
    }
  }

  async abandon(): Promise<void> {
    await this.#file?.close().catch(() => {});
    await this.#remove();
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file !== null) return this.#file;
    try {
      await makeFolder(this.#folder, privately.folder);
      this.#file = await open(this.#path, 'wx', privately.file);
      return this.#file;
    } catch (error) {
      throw storageError(`${this.#path} could not be written`, error as NodeJS.ErrnoException);
    }
  }

  #remove(): Promise<void> {
    return rm(this.#path, { force: true });
  }
}

const tooLarge = (most: number): CopyscopeError =>
  new CopyscopeError({
    code: 'file.too-large',
    message: `The file has more than ${most} bytes, the most that Copyscope reads of this kind.`,
    remedy: 'Check that it is the file you mean.',
  });
