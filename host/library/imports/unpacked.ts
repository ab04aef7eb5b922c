/**
 * The bytes of a trace file, unpacked if the first two bytes say gzip. Members are unpacked one by one (RFC 1952), so
 * that their ends are known: several members are one file, and other data after the last is no damage.
 */
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import type { CopyscopeError } from '../../../core/errors.ts';
import type { ByteStream } from '../../../core/import/importedRun.ts';
import { traceFileError } from '../../../core/import/problems.ts';
import { GivenBytes } from './givenBytes.ts';

const magic = [0x1f, 0x8b] as const;

/**
 * Rejects, after the bytes that could be unpacked, with `trace-file.truncated` if the packed data is truncated or
 * damaged, and with `trace-file.followed` if other data follows its end. `chunkSize` limits the bytes of a part.
 */
export async function* unpacked(source: ByteStream, chunkSize = 1 << 16): ByteStream {
  const given = new GivenBytes(source);
  if (!(await given.beginsWith(magic))) {
    yield* given.rest();
    return;
  }
  let end: number;
  do {
    yield* member(given, chunkSize);
    end = given.at;
    // Skips padding, as on tapes.
    await given.skipWhile((byte) => byte === 0);
  } while (await given.beginsWith(magic));
  if (await given.has(1)) {
    const message = `the gzip data ends at byte ${end} of the file, but other data follows.`;
    throw traceFileError('trace-file.followed', message);
  }
}

async function* member(given: GivenBytes, chunkSize: number): ByteStream {
  await skipHeader(given);
  const engine = createInflateRaw({ chunkSize });
  const feeding = feed(given, engine);
  // An error of the input becomes an error of the engine.
  feeding.catch((reason: Error) => engine.destroy(reason));
  let [sum, length] = [0, 0];
  try {
    for await (const part of engine as AsyncIterable<Uint8Array>) {
      sum = crc32(part, sum);
      length += part.length;
      yield part;
    }
  } catch (cause) {
    const isZlib = String((cause as NodeJS.ErrnoException).code).startsWith('Z_');
    throw isZlib ? damaged(given, cause) : cause;
  }
  await feeding;
  const trailer = new DataView((await exactly(given, 8)).buffer);
  if (trailer.getUint32(0, true) !== sum || trailer.getUint32(4, true) !== length % 2 ** 32) throw damaged(given);
}

/** Damage loses the unpacked bytes of its piece, so pieces are small compared with the data before them. */
const pieceBytes = ({ at }: GivenBytes): number => Math.max(64, Math.floor(at / 64));

/** Feeds the engine exactly the bytes that it consumes. */
async function feed(given: GivenBytes, engine: InflateRaw): Promise<void> {
  for (let fed = 0; ; ) {
    const piece = await given.take(pieceBytes(given));
    if (piece === null) {
      engine.end();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      engine.write(piece, (error) => (error ? reject(error) : resolve()));
    });
    fed += piece.length;
    const left = fed - engine.bytesWritten;
    if (left > 0) {
      given.giveBack(left);
      return;
    }
  }
}

const deflate = 8;
const [headerCrc, extra, name, comment, reserved] = [0x02, 0x04, 0x08, 0x10, 0xe0];

async function skipHeader(given: GivenBytes): Promise<void> {
  const [, , method, flags = 0] = await exactly(given, 10);
  if (method !== deflate || (flags & reserved) !== 0) throw damaged(given);
  if ((flags & extra) !== 0) {
    const [low = 0, high = 0] = await exactly(given, 2);
    await exactly(given, low + 256 * high);
  }
  for (const text of [name, comment]) {
    if ((flags & text) === 0) continue;
    await given.skipWhile((byte) => byte !== 0);
    await exactly(given, 1);
  }
  if ((flags & headerCrc) !== 0) await exactly(given, 2);
}

async function exactly(given: GivenBytes, count: number): Promise<Uint8Array> {
  if (!(await given.has(count))) throw damaged(given);
  // A copy, whose memory begins at its first byte.
  return Uint8Array.from((await given.take(count)) ?? []);
}

const damaged = ({ at }: GivenBytes, cause?: unknown): CopyscopeError => {
  const message = `the gzip data breaks off or is damaged before byte ${at} of the file.`;
  return traceFileError('trace-file.truncated', message, { cause });
};
