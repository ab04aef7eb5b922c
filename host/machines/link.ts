/**
 * Messages between two processes over a line that may drop. Each side keeps what the other has not confirmed, and sends
 * it again over the next line, from the byte on that the other side still lacks. Knows neither ssh nor sockets.
 *
 * A message is its length (4 bytes, big-endian) and MessagePack. Those bytes, of all messages one behind the other, cross
 * a line in frames: kind (1 byte), length (4 bytes), content.
 */
import type { Readable, Writable } from 'node:stream';
import { decodeLinkMessage, encodeLinkMessage } from './linkCodec.ts';

export interface Line {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends it at once. */
  close(): void;
}

const kinds = { hello: 0, data: 1, received: 2, bye: 3, leave: 4 } as const;
const headerBytes = 5;
const mostFrameBytes = 64 * 1024;
const countBytes = 8;

export interface LinkEvents {
  onMessage(message: unknown): void;
  /** Both sides have found each other over a line, and what was missing is on its way. */
  onUp?(): void;
  /** The line has ended, whoever ended it. */
  onDown?(): void;
  /** The other side has said that it needs nothing more. */
  onBye?(): void;
  /** The other side does not come back, and what it has asked for is to be kept. */
  onLeave?(): void;
  /** Of a large message so much has come. */
  onProgress?(received: number, total: number): void;
}

export class Link {
  readonly #events: LinkEvents;
  readonly #incoming: Incoming;
  #line: Line | null = null;
  #isUp = false;
  /** Bytes given to send() so far, those that the other side has confirmed, and what lies between. */
  #sent = 0;
  #confirmed = 0;
  readonly #kept: Buffer[] = [];
  #waiting: { readonly until: number; readonly done: () => void }[] = [];

  constructor(events: LinkEvents) {
    this.#events = events;
    this.#incoming = new Incoming(events);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Whether the other side has all that was sent. */
  get isDelivered(): boolean {
    return this.#confirmed === this.#sent;
  }

  send(message: unknown): void {
    const bytes = encodeLinkMessage(message);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.byteLength);
    for (const piece of [length, ...frames(bytes)]) {
      this.#kept.push(piece);
      this.#sent += piece.byteLength;
      if (this.#isUp) this.#write(kinds.data, piece);
    }
  }

  /** Resolves when the other side has all that was sent until now. */
  delivered(): Promise<void> {
    if (this.isDelivered) return Promise.resolve();
    return new Promise((done) => void this.#waiting.push({ until: this.#sent, done }));
  }

  /** Goes on over this line; the one before it ends. */
  attach(line: Line): void {
    this.#line?.close();
    this.#down();
    this.#line = line;
    const end = (): void => {
      if (this.#line !== line) return;
      this.#line = null;
      line.close();
      this.#down();
      this.#events.onDown?.();
    };
    const reader = new FrameReader((kind, content) => this.#line === line && this.#take(kind, content));
    line.input.on('data', (bytes: Buffer) => {
      if (!reader.read(bytes)) end();
    });
    for (const ending of ['end', 'close', 'error'] as const) line.input.on(ending, end);
    for (const ending of ['close', 'error'] as const) line.output.on(ending, end);
    this.#write(kinds.hello, count(this.#incoming.received));
  }

  /** Tells the other side that nothing more is needed, and lets the line end once that is out. False where there is none. */
  bye(): boolean {
    return this.#last(kinds.bye);
  }

  /** Likewise, that this side does not come back for what it has asked for. */
  leave(): boolean {
    return this.#last(kinds.leave);
  }

  #last(kind: number): boolean {
    const [line, isUp] = [this.#line, this.#isUp];
    if (line === null || !isUp) return false;
    this.#write(kind, Buffer.alloc(0));
    line.output.end();
    this.#line = null;
    this.#down();
    return true;
  }

  /** Ends the line; what it has not delivered is kept for the next. */
  detach(): void {
    this.#line?.close();
  }

  #write(kind: number, content: Buffer): void {
    const header = Buffer.alloc(headerBytes);
    header.writeUInt8(kind);
    header.writeUInt32BE(content.byteLength, 1);
    this.#line?.output.write(header);
    this.#line?.output.write(content);
  }

  #take(kind: number, content: Buffer): void {
    if (kind === kinds.hello) this.#resume(Number(content.readBigUInt64BE()));
    else if (kind === kinds.received) this.#confirm(Number(content.readBigUInt64BE()));
    else if (kind === kinds.bye) this.#events.onBye?.();
    else if (kind === kinds.leave) this.#events.onLeave?.();
    else {
      this.#incoming.add(content);
      this.#write(kinds.received, count(this.#incoming.received));
    }
  }

  #resume(from: number): void {
    if (from < this.#confirmed || from > this.#sent) throw new Error(`the other side asks for byte ${from}`);
    this.#confirm(from);
    this.#isUp = true;
    for (const piece of this.#kept) this.#write(kinds.data, piece);
    this.#events.onUp?.();
  }

  #confirm(until: number): void {
    if (until > this.#sent) throw new Error(`the other side confirms byte ${until}`);
    while (this.#confirmed < until) {
      const [first] = this.#kept;
      if (first === undefined) return;
      const taken = Math.min(first.byteLength, until - this.#confirmed);
      if (taken === first.byteLength) this.#kept.shift();
      else this.#kept[0] = first.subarray(taken);
      this.#confirmed += taken;
    }
    const isDone = ({ until: needed }: { readonly until: number }): boolean => needed <= this.#confirmed;
    const done = this.#waiting.filter(isDone);
    this.#waiting = this.#waiting.filter((one) => !isDone(one));
    for (const one of done) one.done();
  }

  #down(): void {
    this.#isUp = false;
  }
}

/** Cuts bytes into frames; false for what no Copyscope sent. */
class FrameReader {
  readonly #take: (kind: number, content: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(take: (kind: number, content: Buffer) => void) {
    this.#take = take;
  }

  read(bytes: Buffer): boolean {
    let rest = this.#rest.byteLength === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (rest.byteLength >= headerBytes) {
      const length = rest.readUInt32BE(1);
      const kind = rest.readUInt8();
      if (length > mostFrameBytes || kind > kinds.leave) return false;
      if (kind <= kinds.received && kind !== kinds.data && length !== countBytes) return false;
      if (rest.byteLength < headerBytes + length) break;
      try {
        this.#take(kind, rest.subarray(headerBytes, headerBytes + length));
      } catch {
        return false;
      }
      rest = rest.subarray(headerBytes + length);
    }
    this.#rest = Buffer.from(rest);
    return true;
  }
}

/** Puts messages together again. */
class Incoming {
  readonly #events: LinkEvents;
  received = 0;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(events: LinkEvents) {
    this.#events = events;
  }

  add(bytes: Buffer): void {
    this.received += bytes.byteLength;
    this.#pieces.push(Buffer.from(bytes));
    this.#bytes += bytes.byteLength;
    for (;;) {
      const length = this.#length();
      if (length === null) return;
      if (length > mostFrameBytes) this.#events.onProgress?.(Math.min(length, this.#bytes - 4), length);
      if (this.#bytes < 4 + length) return;
      const all = this.#joined();
      this.#pieces = [all.subarray(4 + length)];
      this.#bytes -= 4 + length;
      this.#events.onMessage(decodeLinkMessage(all.subarray(4, 4 + length)));
    }
  }

  #length(): number | null {
    if (this.#bytes < 4) return null;
    if ((this.#pieces[0]?.byteLength ?? 0) < 4) this.#joined();
    return this.#pieces[0]?.readUInt32BE() ?? null;
  }

  #joined(): Buffer {
    const [first] = this.#pieces;
    const all = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}

function* frames(bytes: Uint8Array): Generator<Buffer> {
  for (let from = 0; from < bytes.byteLength; from += mostFrameBytes) {
    yield Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(mostFrameBytes, bytes.byteLength - from));
  }
}

function count(bytes: number): Buffer {
  const content = Buffer.alloc(countBytes);
  content.writeBigUInt64BE(BigInt(bytes));
  return content;
}
