/**
 * One event of a PyTorch profiler trace (see Kineto's libkineto/src/output_json.cpp), read into a reused record without
 * making an object. Unused members are checked to be JSON and skipped.
 */
import type { ByteWindow } from '../byteWindow.ts';
import {
  closeBrace,
  comma,
  type Decimal,
  expectByte,
  expectColon,
  nextByte,
  openBrace,
  quote,
  readDecimal,
  skipString,
  skipValue,
  unexpected,
} from '../jsonScanner.ts';
import type { TextTable } from '../textTable.ts';

/** Value of a missing integer member. */
export const absent = Number.NaN;

/** Text members are text-table ids, or -1 if missing. */
export class KinetoEvent {
  /** First byte of the phase: 'X' complete, 'M' metadata, 'i' instant, 's' and 'f' flow. */
  phase = 0;
  category = -1;
  name = -1;
  /** Ids of the members' texts as in the file: a number or a string. */
  pid = -1;
  tid = -1;
  /** Microseconds; `thousandths` are nanoseconds. NaN if missing. */
  readonly ts: Decimal = { whole: absent, thousandths: 0 };
  readonly dur: Decimal = { whole: absent, thousandths: 0 };
  /** Members of args. */
  device = absent;
  stream = absent;
  correlation = absent;
  bytes = absent;
  /** Args of a stream's wait: the stream, the recording call's correlation and the event's number; -1 if unknown. */
  waitOnStream = absent;
  waitOnRecord = absent;
  waitOnEvent = absent;
  /** Args of a collective's kernel: text ids of its process group's name and ranks. */
  group = -1;
  groupRanks = -1;
  /** Args of a memory event: bytes (negative for a free), total allocated bytes afterwards; 0 for host memory. */
  memoryBytes = absent;
  allocatedBytes = absent;
  deviceType = absent;
  deviceId = absent;
  /** Args of a metadata event: the name of a process or thread. */
  label = -1;

  clear(): void {
    this.phase = 0;
    this.category = -1;
    this.name = -1;
    this.pid = -1;
    this.tid = -1;
    this.ts.whole = absent;
    this.dur.whole = absent;
    this.device = absent;
    this.stream = absent;
    this.correlation = absent;
    this.bytes = absent;
    this.waitOnStream = absent;
    this.waitOnRecord = absent;
    this.waitOnEvent = absent;
    this.group = -1;
    this.groupRanks = -1;
    this.memoryBytes = absent;
    this.allocatedBytes = absent;
    this.deviceType = absent;
    this.deviceId = absent;
    this.label = -1;
  }
}

const key = (name: string): Uint8Array => Uint8Array.from(name, (letter) => letter.charCodeAt(0));
const keys = {
  ph: key('ph'),
  ts: key('ts'),
  cat: key('cat'),
  pid: key('pid'),
  tid: key('tid'),
  dur: key('dur'),
  name: key('name'),
  args: key('args'),
  bytes: key('bytes'),
  stream: key('stream'),
  device: key('device'),
  correlation: key('correlation'),
  memoryBytes: key('Bytes'),
  allocatedBytes: key('Total Allocated'),
  deviceType: key('Device Type'),
  deviceId: key('Device Id'),
  group: key('Process Group Name'),
  groupRanks: key('Process Group Ranks'),
  waitOnStream: key('wait_on_stream'),
  waitOnEvent: key('wait_on_cuda_event_id'),
  waitOnRecord: key('wait_on_cuda_event_record_corr_id'),
} as const;

/** Reads the event at `window.at`. Throws like jsonScanner.ts. */
export function readEvent(window: ByteWindow, texts: TextTable, event: KinetoEvent): void {
  event.clear();
  readMembers(window, texts, event, readMember);
}

type MemberReader = (window: ByteWindow, texts: TextTable, event: KinetoEvent, from: number, length: number) => void;

function readMembers(window: ByteWindow, texts: TextTable, event: KinetoEvent, read: MemberReader): void {
  expectByte(window, openBrace);
  if (nextByte(window) === closeBrace) {
    window.at += 1;
    return;
  }
  for (;;) {
    nextByte(window);
    const from = window.at + 1;
    skipString(window);
    const length = window.at - 1 - from;
    expectColon(window);
    nextByte(window);
    read(window, texts, event, from, length);
    const byte = nextByte(window);
    if (byte !== comma && byte !== closeBrace) unexpected(window, window.at, '"," or "}"');
    window.at += 1;
    if (byte === closeBrace) return;
  }
}

function isKey(window: ByteWindow, from: number, wanted: Uint8Array): boolean {
  const { bytes } = window;
  for (let index = 0; index < wanted.length; index += 1) if (bytes[from + index] !== wanted[index]) return false;
  return true;
}

/** Compares lengths first, because they differ for most members, then letters. */
function readMember(window: ByteWindow, texts: TextTable, event: KinetoEvent, from: number, length: number): void {
  switch (length) {
    case 2:
      if (isKey(window, from, keys.ts)) readTime(window, event.ts);
      else if (isKey(window, from, keys.ph)) readPhase(window, event);
      else break;
      return;
    case 3:
      if (isKey(window, from, keys.dur)) readTime(window, event.dur);
      else if (isKey(window, from, keys.tid)) event.tid = readText(window, texts);
      else if (isKey(window, from, keys.pid)) event.pid = readText(window, texts);
      else if (isKey(window, from, keys.cat)) event.category = readText(window, texts);
      else break;
      return;
    case 4:
      if (isKey(window, from, keys.name)) event.name = readText(window, texts);
      else if (isKey(window, from, keys.args) && window.bytes[window.at] === openBrace) {
        readMembers(window, texts, event, readArgument);
      } else break;
      return;
    default:
      break;
  }
  skipValue(window);
}

function readArgument(window: ByteWindow, texts: TextTable, event: KinetoEvent, from: number, length: number): void {
  switch (length) {
    case 4:
      if (!isKey(window, from, keys.name)) break;
      event.label = readText(window, texts);
      return;
    case 5:
      if (isKey(window, from, keys.bytes)) event.bytes = readNumber(window);
      else if (isKey(window, from, keys.memoryBytes)) event.memoryBytes = readNumber(window);
      else break;
      return;
    case 6:
      if (isKey(window, from, keys.stream)) event.stream = readNumber(window);
      else if (isKey(window, from, keys.device)) event.device = readNumber(window);
      else break;
      return;
    case 9:
      if (!isKey(window, from, keys.deviceId)) break;
      event.deviceId = readNumber(window);
      return;
    case 11:
      if (isKey(window, from, keys.correlation)) event.correlation = readNumber(window);
      else if (isKey(window, from, keys.deviceType)) event.deviceType = readNumber(window);
      else break;
      return;
    case 15:
      if (!isKey(window, from, keys.allocatedBytes)) break;
      event.allocatedBytes = readNumber(window);
      return;
    case 14:
      if (!isKey(window, from, keys.waitOnStream)) break;
      event.waitOnStream = readNumber(window);
      return;
    case 18:
      if (!isKey(window, from, keys.group)) break;
      event.group = readText(window, texts);
      return;
    case 19:
      if (!isKey(window, from, keys.groupRanks)) break;
      event.groupRanks = readText(window, texts);
      return;
    case 21:
      if (!isKey(window, from, keys.waitOnEvent)) break;
      event.waitOnEvent = readNumber(window);
      return;
    case 33:
      if (!isKey(window, from, keys.waitOnRecord)) break;
      event.waitOnRecord = readNumber(window);
      return;
    default:
      break;
  }
  skipValue(window);
}

const isNumberStart = (byte: number): boolean => (byte >= 0x30 && byte <= 0x39) || byte === 0x2d;

function readTime(window: ByteWindow, into: Decimal): void {
  if (isNumberStart(window.bytes[window.at] ?? 0)) readDecimal(window, into);
  else skipValue(window);
}

function readPhase(window: ByteWindow, event: KinetoEvent): void {
  const from = window.at + 1;
  skipValue(window);
  if (window.bytes[from - 1] === quote && window.at > from + 1) event.phase = window.bytes[from] ?? 0;
}

const decimal: Decimal = { whole: 0, thousandths: 0 };

/** Reads a number; NaN for a value of another type. */
function readNumber(window: ByteWindow): number {
  if (!isNumberStart(window.bytes[window.at] ?? 0)) {
    skipValue(window);
    return absent;
  }
  readDecimal(window, decimal);
  return decimal.whole + decimal.thousandths / 1000;
}

/** Returns the id of a string's text, or of a number as written. */
function readText(window: ByteWindow, texts: TextTable): number {
  const from = window.at;
  const isString = window.bytes[from] === quote;
  skipValue(window);
  return isString ? texts.id(window.bytes, from + 1, window.at - 1) : texts.id(window.bytes, from, window.at);
}
