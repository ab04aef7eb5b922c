/**
 * Reads a trace of PyTorch's profiler (Kineto's JSON in Chrome format) as a stream. Memory holds the trace's columns
 * and one chunk, never the file. https://github.com/pytorch/kineto, output_json.cpp.
 */
import { CopyscopeError, type ErrorInfo } from '../../errors.ts';
import type { Run } from '../../trace/run.ts';
import { ByteWindow } from '../byteWindow.ts';
import type { ByteStream, ImportOptions } from '../importedRun.ts';

import {
  closeBrace,
  closeBracket,
  comma,
  expectColon,
  MalformedJson,
  nextByte,
  openBrace,
  openBracket,
  outOfBytes,
  skipString,
  skipValue,
  unexpected,
} from '../jsonScanner.ts';
import { newTextDecoder } from '../platform.ts';
import { traceFileError } from '../problems.ts';
import { TextTable, unescaped } from '../textTable.ts';
import { KinetoEvent, readEvent } from './kinetoEvent.ts';
import { isHeaderMember, readHeader } from './kinetoHeader.ts';
import { KinetoRows } from './kinetoRows.ts';
import { kinetoRun, type ReadFile } from './kinetoRun.ts';

/**
 * Returns the trace as a run without an experiment. A truncated or malformed file gives a run with status 'failed' and
 * everything that could be read; its error is `trace-file.truncated` or `trace-file.malformed` and names byte and line.
 * The same happens if the stream rejects with `trace-file.truncated`, or with `trace-file.followed` before the trace is
 * complete; after a complete trace that becomes a note. Rejects with `trace-file.not-a-trace` if nothing of a trace is
 * in it, and with any other error of `chunks`. Whatever follows a complete trace, such as a second document, is
 * skipped, with a note about where it is.
 */
export async function readPyTorchTrace(chunks: ByteStream, options: ImportOptions): Promise<Run> {
  const reader = new TraceReader();
  try {
    for await (const chunk of chunks) {
      if (!reader.push(chunk)) break;
      options.onProgress?.(reader.events);
    }
    reader.close();
  } catch (thrown) {
    if (!(thrown instanceof CopyscopeError)) throw thrown;
    if (thrown.code === 'trace-file.followed') reader.closeBefore(thrown);
    else if (thrown.code === 'trace-file.truncated') reader.breakOff(thrown);
    else throw thrown;
  }
  return kinetoRun(reader.finish(), options);
}

/** Limit of a value's bytes: no trace has longer ones. */
const longestValue = 1 << 28;

type Step = (window: ByteWindow) => void;

/** The file's grammar as steps. A step that runs out of bytes is repeated when more have come. */
class TraceReader {
  readonly #window = new ByteWindow();
  readonly #texts = new TextTable();
  readonly #rows = new KinetoRows(this.#texts);
  readonly #event = new KinetoEvent();
  readonly #header: Record<string, string> = {};
  #events = 0;
  #seenEvents = false;
  /** Byte of the member "traceEvents" in the outermost object, of any type; -1 if not seen. */
  #eventsAt = -1;
  #inObject = false;
  /** Bytes in the window that aren't the file's. */
  #padding = 0;
  /** Number of waiting bytes needed for the next try: a value that ran out is read again once twice as many wait. */
  #enough = 0;
  #problem: ErrorInfo | null = null;
  #behind: string | null = null;
  /** Whether the trace has ended properly. Later bytes aren't part of it. */
  #ended = false;
  /** Null when no more is read. */
  #step: Step | null = (window) => this.#begin(window);

  get bytes(): number {
    return this.#window.offsetOf(this.#window.at);
  }

  get events(): number {
    return this.#events;
  }

  /** Takes the next bytes. Returns false if reading has ended, with or without an error. */
  push(chunk: Uint8Array): boolean {
    this.#window.push(chunk);
    if (this.#window.waiting >= this.#enough) this.#run();
    return this.#problem === null;
  }

  /** Ends the input. */
  close(): void {
    if (this.#step === null || this.#ended) return;
    // Completes a number at the very end.
    this.#window.push(Uint8Array.of(0x20));
    this.#padding = 1;
    this.#run();
    // The Chrome format allows a list of events to end without its bracket.
    const openEnded = !this.#inObject && this.#step === this.#afterEvent;
    if (this.#step !== null && !this.#ended && !openEnded) this.breakOff(null);
  }

  /** Ends the input because the following bytes aren't part of the trace. */
  closeBefore(error: CopyscopeError): void {
    this.#run();
    if (this.#ended) this.#behind ??= error.message;
    else this.breakOff(error);
  }

  breakOff(error: CopyscopeError | null): void {
    this.#run();
    if (this.#problem !== null) return;
    const end = this.#window.end - this.#padding;
    const why = error === null ? '' : `: ${error.message.replace(/\.$/, '')}`;
    const where = this.#where(end);
    const message = `after ${this.#events} events the file breaks off${why}.`;
    this.#problem = traceFileError('trace-file.truncated', message, { field: where }).toInfo();
  }

  finish(): ReadFile {
    if (!this.#seenEvents) throw this.#notATrace();
    const header = readHeader(this.#header);
    return { header, rows: this.#rows, events: this.#events, problem: this.#problem, behind: this.#behind };
  }

  #run(): void {
    const window = this.#window;
    let mark = window.at;
    try {
      while (this.#step !== null) {
        // White space isn't read again.
        nextByte(window);
        mark = window.at;
        this.#step(window);
      }
    } catch (thrown) {
      if (thrown instanceof MalformedJson) {
        this.#stop(thrown.position, thrown.message);
        return;
      }
      if (thrown !== outOfBytes) throw thrown;
      window.at = mark;
      this.#enough = 2 * window.waiting;
      if (window.waiting > longestValue) this.#stop(mark, `a value has more than ${longestValue} bytes`);
    }
  }

  #stop(position: number, reason: string): void {
    const where = this.#where(position);
    const message = `after ${this.#events} events the file can't be read on: ${reason}.`;
    this.#problem = traceFileError('trace-file.malformed', message, { field: where }).toInfo();
    this.#step = null;
  }

  #where(position: number): string {
    return `byte ${this.#window.offsetOf(position)}, line ${this.#window.lineOf(position)}`;
  }

  #notATrace(): CopyscopeError {
    const { message, field } = this.#problem ?? { message: 'it has no "traceEvents".' };
    const where = field === undefined ? {} : { field };
    return traceFileError('trace-file.not-a-trace', `this is no PyTorch profiler trace: ${message}`, where);
  }

  /** Begins an object with traceEvents or, as the Chrome format allows, a bare list. */
  #begin(window: ByteWindow): void {
    const byte = nextByte(window);
    // A byte-order mark, which some editors write.
    if (byte === 0xef && this.bytes === 0) {
      if (window.waiting < 4) throw outOfBytes;
      window.at += 3;
      return;
    }
    if (byte !== openBrace && byte !== openBracket) unexpected(window, window.at, '"{" or "["');
    window.at += 1;
    if (byte === openBracket) this.#enterEvents(false);
    else this.#step = (next) => this.#firstMember(next);
  }

  #firstMember(window: ByteWindow): void {
    if (nextByte(window) !== closeBrace) {
      this.#member(window);
      return;
    }
    window.at += 1;
    this.#end();
  }

  /** After the trace, only white space may follow. */
  #end(): void {
    this.#ended = true;
    this.#step = (window) => {
      nextByte(window);
      if (window.at >= window.end) throw outOfBytes;
      this.#behind ??= `the trace ends before ${this.#where(window.at)}, and more follows.`;
      // Reads the rest of packed data to find damage.
      window.at = window.end;
    };
  }

  /** Reads a member of the outermost object. */
  #member(window: ByteWindow): void {
    nextByte(window);
    const from = window.at + 1;
    skipString(window);
    const name = unescaped(newTextDecoder().decode(window.bytes.subarray(from, window.at - 1)));
    expectColon(window);
    const first = nextByte(window);
    if (name === 'traceEvents') {
      const at = window.offsetOf(from);
      if (this.#eventsAt >= 0 && this.#eventsAt !== at)
        throw new MalformedJson(from - 1, 'a second "traceEvents" stands there');
      this.#eventsAt = at;
      if (window.at >= window.end) throw outOfBytes;
      if (first === openBracket) {
        window.at += 1;
        this.#enterEvents(true);
        return;
      }
    }
    const value = window.at;
    skipValue(window);
    const after = nextByte(window);
    if (isHeaderMember(name)) this.#header[name] = newTextDecoder().decode(window.bytes.subarray(value, window.at));
    this.#afterMember(window, after);
  }

  #afterMember(window: ByteWindow, byte: number): void {
    if (byte !== comma && byte !== closeBrace) unexpected(window, window.at, '"," or "}"');
    window.at += 1;
    if (byte === comma) this.#step = (next) => this.#member(next);
    else this.#end();
  }

  #enterEvents(inObject: boolean): void {
    this.#seenEvents = true;
    this.#inObject = inObject;
    this.#step = (window) => {
      const byte = nextByte(window);
      if (window.at >= window.end) throw outOfBytes;
      if (byte === closeBracket) this.#leaveEvents(window);
      else this.#step = this.#readEvent;
    };
  }

  readonly #readEvent: Step = (window) => {
    if (nextByte(window) !== openBrace) unexpected(window, window.at, 'an event');
    readEvent(window, this.#texts, this.#event);
    this.#rows.add(this.#event);
    this.#events += 1;
    this.#step = this.#afterEvent;
  };

  /** A separate step, so that an event counts even if the file breaks off after it. */
  readonly #afterEvent: Step = (window) => {
    const { full } = this.#rows;
    if (full !== null) return this.#stop(window.at, full);
    const byte = nextByte(window);
    if (byte === closeBracket) return this.#leaveEvents(window);
    if (byte !== comma) unexpected(window, window.at, '"," or "]"');
    window.at += 1;
    this.#step = this.#readEvent;
  };

  #leaveEvents(window: ByteWindow): void {
    window.at += 1;
    if (this.#inObject) this.#step = (next) => this.#afterMember(next, nextByte(next));
    else this.#end();
  }
}
