/** Incoming files: part by part from a window, or from the disk. The library decides what is stored. */
import { randomUUID } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { CopyscopeError, toErrorInfo } from '../../../core/errors.ts';
import type { Imported } from '../../../core/service/service.ts';
import { statFile, storageError } from '../../files/files.ts';
import type { Sink } from './sink.ts';

export interface IncomingFile {
  readonly name: string;
  readonly modifiedAt: Date;
}

interface Incoming {
  readonly sink: Sink;
  /** End of the last part; parts are handled one after another in order of arrival. */
  last: Promise<unknown>;
  timer: NodeJS.Timeout;
}

const mostAtOnce = 16;
/** A window that sends nothing for this time counts as gone. */
const patienceMs = 5 * 60_000;
const partBytes = 1 << 20;

export class Imports {
  readonly #folder: string;
  readonly #sinkFor: (file: IncomingFile) => Sink;
  readonly #incoming = new Map<string, Incoming>();

  /** `folder` holds incomplete files of sinks. */
  constructor(folder: string, sinkFor: (file: IncomingFile) => Sink) {
    this.#folder = folder;
    this.#sinkFor = sinkFor;
  }

  /** Returns the ticket for its parts. */
  begin(file: IncomingFile): string {
    if (this.#incoming.size >= mostAtOnce) throw tooMany();
    const ticket = randomUUID();
    this.#incoming.set(ticket, { sink: this.#sinkFor(file), last: Promise.resolve(), timer: this.#timer(ticket) });
    return ticket;
  }

  /** Resolves when the next part may be sent. A refusal ends the import. */
  async part(ticket: string, part: Uint8Array): Promise<void> {
    const incoming = this.#find(ticket);
    clearTimeout(incoming.timer);
    incoming.timer = this.#timer(ticket);
    const taken = incoming.last.then(() => incoming.sink.push(part));
    incoming.last = taken;
    await taken.catch(async (thrown: unknown) => {
      await this.cancel(ticket);
      throw thrown;
    });
  }

  async finish(ticket: string): Promise<Imported> {
    const incoming = this.#find(ticket);
    this.#drop(ticket);
    try {
      await incoming.last;
      return await incoming.sink.finish();
    } catch (thrown) {
      await incoming.sink.abandon();
      throw thrown;
    }
  }

  /** Drops the received parts. Does nothing if the import has ended. */
  async cancel(ticket: string): Promise<void> {
    const incoming = this.#incoming.get(ticket);
    this.#drop(ticket);
    await incoming?.sink.abandon();
  }

  /** Reads a file from the disk. Rejects with a file error, or with the error of its content. */
  async file(path: string): Promise<Imported> {
    const { mtime } = await statFile(path);
    const sink = this.#sinkFor({ name: basename(path), modifiedAt: mtime });
    try {
      for await (const part of partsOf(path)) await sink.push(part);
      return await sink.finish();
    } catch (thrown) {
      await sink.abandon();
      throw named(basename(path), thrown);
    }
  }

  /** Drops all imports under way. */
  close(): void {
    for (const ticket of this.#incoming.keys()) void this.cancel(ticket);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #find(ticket: string): Incoming {
    const incoming = this.#incoming.get(ticket);
    if (incoming !== undefined) return incoming;
    throw new CopyscopeError({
      code: 'import.gone',
      message: 'This file is no longer being read: it was cancelled, or nothing came of it for minutes.',
      remedy: 'Open it again.',
    });
  }

  #drop(ticket: string): void {
    clearTimeout(this.#incoming.get(ticket)?.timer);
    this.#incoming.delete(ticket);
  }

  #timer(ticket: string): NodeJS.Timeout {
    return setTimeout(() => void this.cancel(ticket), patienceMs).unref();
  }
}

async function* partsOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: partBytes });
  } catch (error) {
    throw storageError(`${path} could not be read`, error as NodeJS.ErrnoException);
  }
}

/** Adds the file's name to the error, since several files may be opened at once. */
function named(name: string, thrown: unknown): CopyscopeError {
  const { code, message, remedy, field } = toErrorInfo(thrown);
  const text = message.includes(name) ? message : `${name}: ${message}`;
  return new CopyscopeError({ code, message: text, remedy, field }, { cause: thrown });
}

const tooMany = (): CopyscopeError =>
  new CopyscopeError({
    code: 'import.too-many',
    message: `${mostAtOnce} files are being read already.`,
    remedy: 'Wait until one is done.',
  });
