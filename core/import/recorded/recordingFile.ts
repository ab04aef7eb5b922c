/**
 * Reads the file of a recorded process, described in native/record/format.h. It may break off anywhere, and may be
 * damaged: whole chunks are read, and every whole record of the last one.
 */
import { z } from 'zod';
import { CopyscopeError } from '../../errors.ts';
import { checkShape } from '../../shape/checkShape.ts';
import { parseJson } from '../../shape/parseJson.ts';
import { newTextDecoder } from '../platform.ts';

const fileMagic = 'CPSREC01';
const chunkMagic = 0x43535043;
const chunkHeaderBytes = 32;
const recordHeaderBytes = 4;

const headerSchema = z.object({
  format: z.literal('copyscope/recording'),
  version: z.literal(1),
  pid: z.number().int().min(0),
  parent: z.number().int().min(0),
  /** Time of the monotonic clock, like all times in the file. */
  startNs: z.number().min(0),
  /** Nanoseconds since 1970 at that time, as text: more digits than a double has. */
  wallClockNs: z.string().regex(/^\d{1,20}$/),
  cupti: z.number().int().min(0),
  light: z.boolean(),
  lines: z.boolean(),
  /** Whether some steps were requested. Missing in older recordings. */
  steps: z.boolean().optional(),
  /** Number of the process in its job (the variable RANK); -1 without one. Missing in older recordings. */
  rank: z.number().int().min(-1).optional(),
});
export type RecordingHeader = z.infer<typeof headerSchema>;

/** Called with a record: its fields start at `at`, and have `length` bytes. */
export type RecordVisitor = (kind: number, view: DataView, at: number, length: number) => void;

export interface RecordingFile {
  readonly header: RecordingHeader;
  /** Calls `visit` for each record, in order. */
  visit(visit: RecordVisitor): void;
  /** Bytes at the end that aren't a whole record: the process was killed while they were written. */
  readonly cutBytes: number;
  /** Number of chunks whose checksum is wrong. */
  readonly damagedChunks: number;
}

/** Counts from the chunks' headers, without their content. */
export interface RecordingCounts {
  readonly records: number;
  readonly copies: number;
  readonly kernels: number;
  readonly waits: number;
  /** Total records so far that CUPTI dropped or that found no room. */
  readonly dropped: number;
}

export const looksLikeRecording = (file: Uint8Array): boolean =>
  file.length >= fileMagic.length && [...fileMagic].every((letter, index) => file[index] === letter.charCodeAt(0));

/** Throws a CopyscopeError `trace-file.not-a-trace` if the file doesn't begin like a recording. */
export function readRecordingFile(file: Uint8Array): RecordingFile {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerEnd = endOfHeader(file, view);
  const header = readHeader(file.subarray(fileMagic.length + 4, headerEnd));
  const { chunks, cutBytes, damagedChunks } = findChunks(file, view, headerEnd);
  return {
    header,
    cutBytes,
    damagedChunks,
    visit: (visit) => {
      for (const { from, to } of chunks) visitRecords(view, from, to, visit);
    },
  };
}

function endOfHeader(file: Uint8Array, view: DataView): number {
  if (!looksLikeRecording(file)) throw notARecording(`it does not start with "${fileMagic}"`);
  if (file.length < fileMagic.length + 4) throw notARecording('it breaks off in its head');
  const end = fileMagic.length + 4 + view.getUint32(fileMagic.length, true);
  if (end > file.length) throw notARecording('it breaks off in its head');
  return end;
}

function readHeader(bytes: Uint8Array): RecordingHeader {
  const parsed = parseJson(newTextDecoder().decode(bytes));
  if (!parsed.ok) throw notARecording('its head is not JSON');
  const shape = checkShape(headerSchema, parsed.json);
  if (shape.ok) return shape.value;
  const [{ field, message }] = shape.problems;
  throw notARecording(`its head is wrong at ${field}: ${message.replace(/\.$/, '')}`);
}

const notARecording = (reason: string): CopyscopeError =>
  new CopyscopeError({
    code: 'trace-file.not-a-trace',
    message: `this is no recording of a program: ${reason}.`,
    remedy: 'Record the program again with copyscope record.',
  });

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Limit of checksums per chunk. One should do, but overlapping headers could request any number. */
const mostSummed = 4;

function findChunks(file: Uint8Array, view: DataView, start: number) {
  const chunks: Span[] = [];
  let [at, cutBytes, damagedChunks] = [start, 0, 0];
  let summable = mostSummed * file.length;
  while (at < file.length) {
    const isHead = at + chunkHeaderBytes <= file.length && view.getUint32(at, true) === chunkMagic;
    const from = at + chunkHeaderBytes;
    const to = isHead ? from + view.getUint32(at + 4, true) : from;
    const isWritten = isHead && to <= file.length;
    if (isWritten) summable -= to - from;
    if (summable < 0) return { chunks, cutBytes, damagedChunks: damagedChunks + 1 };
    if (isWritten && crcOf(file, from, to) === view.getUint32(at + 8, true)) {
      chunks.push({ from, to });
      at = to;
      continue;
    }
    const next = nextChunk(view, at + 1);
    if (next < 0 && !isWritten) {
      // No header follows, so the last chunk is incomplete.
      const whole = isHead ? wholeRecords(view, from, file.length) : from;
      if (isHead && whole > from) chunks.push({ from, to: whole });
      cutBytes = file.length - Math.min(whole, file.length);
      break;
    }
    damagedChunks += 1;
    if (next < 0) break;
    at = next;
  }
  return { chunks, cutBytes, damagedChunks };
}

/** Returns the position of the next chunk's header; -1 if there is none. */
function nextChunk(view: DataView, from: number): number {
  for (let at = from; at + chunkHeaderBytes <= view.byteLength; at += 1) {
    if (view.getUint32(at, true) === chunkMagic) return at;
  }
  return -1;
}

/** Returns the end of the last whole record. */
function wholeRecords(view: DataView, from: number, to: number): number {
  let at = from;
  while (at + recordHeaderBytes <= to) {
    const end = at + recordHeaderBytes + view.getUint16(at + 2, true);
    if (end > to || view.getUint8(at) === 0) break;
    at = end;
  }
  return at;
}

function visitRecords(view: DataView, from: number, to: number, visit: RecordVisitor): void {
  const end = wholeRecords(view, from, to);
  for (let at = from; at < end; ) {
    const length = view.getUint16(at + 2, true);
    visit(view.getUint8(at), view, at + recordHeaderBytes, length);
    at += recordHeaderBytes + length;
  }
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) !== 0 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 (IEEE 802.3). */
function crcOf(file: Uint8Array, from: number, to: number): number {
  let crc = 0xffffffff;
  for (let at = from; at < to; at += 1) crc = (crcTable[(crc ^ (file[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Returns the position of the first chunk; null if `head` is too short. */
export function firstChunk(head: Uint8Array): number | null {
  if (!looksLikeRecording(head) || head.length < fileMagic.length + 4) return null;
  return fileMagic.length + 4 + new DataView(head.buffer, head.byteOffset).getUint32(fileMagic.length, true);
}

/** Returns the counts in a chunk's header, and the next chunk's position; null if there is none at `at`. */
export function chunkCounts(head: Uint8Array, at: number): (RecordingCounts & { readonly next: number }) | null {
  if (head.length < chunkHeaderBytes) return null;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (view.getUint32(0, true) !== chunkMagic) return null;
  const number = (place: number): number => view.getUint32(place, true);
  return {
    records: number(12),
    copies: number(16),
    kernels: number(20),
    waits: number(24),
    dropped: number(28),
    next: at + chunkHeaderBytes + view.getUint32(4, true),
  };
}
