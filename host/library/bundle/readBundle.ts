/**
 * Unpacks a bundle into a folder of numbered files, so that no name in it becomes a path. Files that are missing,
 * unnamed in the manifest, or larger than their kind allows refuse the whole bundle; a missing file of a sweep refuses
 * only that sweep (bundledSweep.ts).
 */
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, gunzipSync } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { CopyscopeError } from '../../../core/errors.ts';
import { maxExperimentCharacters } from '../../../core/experiment/parse.ts';
import { maxRunFileBytes } from '../../../core/trace/arrow.ts';
import { maxNotesBytes } from '../../../core/trace/notes.ts';
import { storageError } from '../../files/files.ts';
import { unpacked } from '../imports/unpacked.ts';
import { maxSweepBytes } from '../sweepStore.ts';
import {
  bundleError,
  type Entry,
  type EntryKind,
  entriesOf,
  type Manifest,
  manifestName,
  mostManifestBytes,
  parseManifest,
} from './manifest.ts';

/** Limit of the archive itself. */
export const mostBundleBytes = 8 * 2 ** 30;
/** Limit of the unpacked content. */
const mostUnpackedBytes = 16 * 2 ** 30;
/** Files being written while the archive is read; the last piece may add a few. */
const mostOpen = 8;
const mostAtOnce = 1 << 14;
const mostBytesOf: Readonly<Record<EntryKind, number>> = {
  experiment: maxExperimentCharacters,
  run: maxRunFileBytes,
  notes: maxNotesBytes,
  sweep: maxSweepBytes,
  points: maxSweepBytes,
};

export interface UnpackedFile extends Entry {
  readonly path: string;
}

export interface UnpackedBundle {
  readonly manifest: Manifest;
  readonly files: readonly UnpackedFile[];
}

/** Returns true if a file begins like a bundle; `head` is its first bytes. Other tools' traces may be gzipped too. */
export function looksLikeBundle(head: Uint8Array): boolean {
  if (head[0] !== 0x1f || head[1] !== 0x8b) return false;
  try {
    // Few enough to unpack to half a megabyte at most, and enough for the first name.
    const start = gunzipSync(head.subarray(0, 512), { finishFlush: constants.Z_SYNC_FLUSH });
    return start.toString('latin1', 0, manifestName.length + 1) === `${manifestName}\0`;
  } catch {
    return false;
  }
}

/** `folder` exists and is empty. Rejects with `bundle.*` or a file error, and writes nothing more there. */
export async function readBundle(archive: string, folder: string): Promise<UnpackedBundle> {
  const manifest = await readManifest(archive);
  const unpacking = new Unpacking(folder, entriesOf(manifest));
  try {
    await walk(
      archive,
      (entry) => unpacking.take(entry),
      () => unpacking.room(),
      unpacking.failed.signal,
    );
    return { manifest, files: await unpacking.finish() };
  } catch (error) {
    await unpacking.stop();
    throw error;
  }
}

/** Reads the manifest. It comes first, so this reads little, however large the archive is. */
async function readManifest(archive: string): Promise<Manifest> {
  let text: Promise<string> | null = null;
  await walk(archive, (entry) => {
    if (text !== null) return 'stop';
    if (entry.path !== manifestName || entry.type !== 'File' || entry.size > mostManifestBytes) {
      throw bundleError('damaged', `it does not begin with ${manifestName}.`);
    }
    text = textOf(entry);
    text.catch(() => {});
    return 'go on';
  });
  if (text === null) throw bundleError('damaged', `it has no ${manifestName}.`);
  return parseManifest(await text);
}

type OnEntry = (entry: ReadEntry) => 'go on' | 'stop';

/** Passes each entry to `onEntry` until that throws or has seen enough. Reads on when `room` resolves. */
async function walk(
  archive: string,
  onEntry: OnEntry,
  room = () => Promise.resolve(),
  failed?: AbortSignal,
): Promise<void> {
  const stopped = new AbortController();
  let refusal: unknown = null;
  const parser = new OneArchive({
    strict: true,
    onReadEntry: (entry) => {
      try {
        if (refusal === null && onEntry(entry) === 'stop') stopped.abort();
      } catch (thrown) {
        refusal ??= thrown;
        stopped.abort();
      }
      // A wanted entry is being read already.
      if (!entry.flowing) entry.resume();
    },
  });
  try {
    const signal = failed === undefined ? stopped.signal : AbortSignal.any([stopped.signal, failed]);
    await pipeline(
      unpacked(createReadStream(archive), mostAtOnce),
      bounded(mostUnpackedBytes, room),
      parser as unknown as Writable,
      { signal },
    );
  } catch (thrown) {
    if (refusal !== null) throw refusal;
    if (failed?.aborted === true) throw failed.reason;
    if (!stopped.signal.aborted) throw refusalOf(thrown);
  }
}

function refusalOf(thrown: unknown): CopyscopeError {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code === 'trace-file.truncated') return bundleError('truncated', message, { cause: thrown });
  if (code === 'trace-file.followed') return bundleError('damaged', message, { cause: thrown });
  if (thrown instanceof CopyscopeError) return thrown;
  return bundleError('damaged', `${message}.`, { cause: thrown });
}

const blockBytes = 512;

/** Reads one archive, and refuses anything but padding after its end, where tar's parser stops reading. */
class OneArchive extends Parser {
  #at = 0;
  #hasEnded = false;

  constructor(options: ConstructorParameters<typeof Parser>[0]) {
    super(options);
    this.on('eof', () => {
      this.#hasEnded = true;
    });
  }

  /** Stops writing after each block of zeros, which may be the archive's end, to find out if something follows. */
  override write(chunk: string | Uint8Array): boolean {
    if (typeof chunk === 'string') return super.write(chunk);
    let isReady = true;
    for (let from = 0; from < chunk.length; ) {
      const to = this.#nextStop(chunk, from);
      const part = chunk.subarray(from, to);
      if (!this.#hasEnded) isReady = super.write(part);
      else if (part.some((byte) => byte !== 0)) {
        this.emit('error', bundleError('damaged', `it ends at byte ${this.#at} of its archive, and more follows.`));
        return false;
      }
      this.#at += part.length;
      from = to;
    }
    return isReady;
  }

  /** Returns the position of data after a block of zeros, or the end of the chunk. */
  #nextStop(chunk: Uint8Array, from: number): number {
    let wasZero = false;
    for (let start = from; start < chunk.length; ) {
      const end = start + blockBytes - ((this.#at + start - from) % blockBytes);
      const isZero = chunk.subarray(start, end).every((byte) => byte === 0);
      if (wasZero && !isZero) return start;
      [start, wasZero] = [end, isZero];
    }
    return chunk.length;
  }
}

/** Limits the size, since a few kilobytes can unpack to terabytes. Each piece waits for `room`. */
function bounded(most: number, room: () => Promise<void>): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) done(bundleError('too-large', `it unpacks to more than ${most} bytes.`));
      else void room().then(() => done(null, chunk));
    },
  });
}

class Unpacking {
  readonly #folder: string;
  readonly #expected: ReadonlyMap<string, Entry>;
  readonly #files = new Map<string, UnpackedFile>();
  readonly #writes: Promise<void>[] = [];
  /** Files being written, each with a promise of its closing. */
  readonly #open = new Map<WriteStream, Promise<void>>();
  /** Aborted by the first file that could not be written, with its error. */
  readonly failed = new AbortController();
  #first = true;

  constructor(folder: string, expected: ReadonlyMap<string, Entry>) {
    this.#folder = folder;
    this.#expected = expected;
  }

  take(entry: ReadEntry): 'go on' {
    // The manifest, which was read already.
    if (this.#first) this.#first = false;
    else this.#write(entry, this.#checked(entry));
    return 'go on';
  }

  /** Resolves when few files are open. The disk may be slower than the archive, and open files are limited. */
  async room(): Promise<void> {
    while (this.#open.size > mostOpen) await Promise.race(this.#open.values());
  }

  /** Rejects if a file could not be written, or is missing. */
  async finish(): Promise<readonly UnpackedFile[]> {
    for (const written of this.#writes) await written;
    for (const [path, { sweep }] of this.#expected) {
      if (sweep === undefined && !this.#files.has(path))
        throw bundleError('damaged', `${path} is missing.`, { field: path });
    }
    return [...this.#files.values()];
  }

  /** Closes open files of a refused archive, also one just being opened, since the caller removes the folder. */
  async stop(): Promise<void> {
    for (const file of this.#open.keys()) file.destroy();
    await Promise.all(this.#open.values());
  }

  #checked({ path, type, size }: ReadEntry): Entry {
    const shown = JSON.stringify(path.slice(0, 120));
    const expected = this.#expected.get(path);
    if (expected === undefined) throw bundleError('damaged', `${shown} is not in its manifest.`, { field: path });
    if (type !== 'File') throw bundleError('damaged', `${shown} is no plain file.`, { field: path });
    if (this.#files.has(path)) throw bundleError('damaged', `${shown} is in it twice.`, { field: path });
    if (size > mostBytesOf[expected.kind]) {
      throw bundleError('too-large', `${shown} has ${size} bytes.`, { field: path });
    }
    return expected;
  }

  #write(entry: ReadEntry, expected: Entry): void {
    const path = join(this.#folder, String(this.#writes.length));
    this.#files.set(entry.path, { ...expected, path });
    const file = createWriteStream(path, { flags: 'wx' });
    const closed = new Promise<void>((resolve) => file.once('close', resolve));
    this.#open.set(
      file,
      closed.then(() => void this.#open.delete(file)),
    );
    const written = pipeline(entry as unknown as AsyncIterable<Buffer>, file).catch((error: NodeJS.ErrnoException) => {
      const failure = storageError(`${path} could not be written`, error);
      // The archive waits for an entry that is no longer read.
      this.failed.abort(failure);
      throw failure;
    });
    // Awaited at the end; the archive may be refused before.
    written.catch(() => {});
    this.#writes.push(written);
  }
}

async function textOf(entry: ReadEntry): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of entry as unknown as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
