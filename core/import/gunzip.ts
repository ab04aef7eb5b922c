/** Unpacks a stream of bytes where it is gzipped, and passes it on where it is not. Told by its first two bytes. */
import { newGunzip } from './platform.ts';
import { traceFileError } from './problems.ts';

export type ByteStream = AsyncIterable<Uint8Array>;

const magic = [0x1f, 0x8b] as const;

/** Rejects with `trace-file.truncated`, after what could be unpacked, where the packed data breaks off or is damaged. */
export async function* unpacked(source: ByteStream): ByteStream {
  const chunks = source[Symbol.asyncIterator]();
  const head = await firstBytes(chunks, magic.length);
  const all = followedBy(head, chunks);
  if (magic.every((byte, index) => head[index] === byte)) yield* gunzip(all);
  else yield* all;
}

async function firstBytes(chunks: AsyncIterator<Uint8Array>, count: number): Promise<Uint8Array> {
  let head = new Uint8Array(0);
  while (head.length < count) {
    const next = await chunks.next();
    if (next.done === true) break;
    const joined = new Uint8Array(head.length + next.value.length);
    joined.set(head);
    joined.set(next.value, head.length);
    head = joined;
  }
  return head;
}

async function* followedBy(head: Uint8Array, chunks: AsyncIterator<Uint8Array>): ByteStream {
  yield head;
  yield* { [Symbol.asyncIterator]: () => chunks };
}

async function* gunzip(source: ByteStream): ByteStream {
  const { readable, writable } = newGunzip();
  const reader = readable.getReader();
  const writing = feed(source, writable.getWriter());
  // A failure to write is also one to read, and is dealt with there; a failure of the source is not.
  writing.catch(() => {});
  try {
    for (;;) {
      const next = await read(reader, writing);
      if (next === null) return;
      yield next;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function read(
  reader: ReturnType<ReturnType<typeof newGunzip>['readable']['getReader']>,
  writing: Promise<SourceFailure | null>,
): Promise<Uint8Array | null> {
  try {
    const next = await reader.read();
    return next.done || next.value === undefined ? null : next.value;
  } catch (cause) {
    const failure = await writing.catch(() => null);
    if (failure !== null) throw failure.reason;
    throw traceFileError('trace-file.truncated', 'the gzip data breaks off or is damaged.', { cause });
  }
}

interface SourceFailure {
  readonly reason: unknown;
}

/** Writes everything; gives the failure of the source itself, so that it isn't taken for damaged data. */
async function feed(
  source: ByteStream,
  writer: ReturnType<ReturnType<typeof newGunzip>['writable']['getWriter']>,
): Promise<SourceFailure | null> {
  const chunks = source[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<Uint8Array>;
    try {
      next = await chunks.next();
    } catch (reason) {
      await writer.abort(reason).catch(() => {});
      return { reason };
    }
    if (next.done === true) break;
    await writer.write(next.value);
  }
  await writer.close();
  return null;
}
