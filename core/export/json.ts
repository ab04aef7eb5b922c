/** Trace events as JSON text, concatenated by hand, since an object for each of millions of events takes too long. */
import type { FieldValue } from './rowFields.ts';

interface Platform {
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
}

/** Core includes neither Node's nor the browser's type library, so this declares the global that it uses. */
const platform = globalThis as unknown as Platform;

const digits = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));

/** Formats whole nanoseconds as microseconds, the unit of trace events, without losing a digit. */
export const microseconds = (ns: number): string => `${Math.floor(ns / 1000)}.${digits[ns % 1000]}`;

export const fieldText = (name: string, value: FieldValue): string =>
  `"${name}":${typeof value === 'number' ? value : JSON.stringify(value)}`;

/** Returns a number if the text is one in JSON's notation, or else the text. */
export const numberOrText = (text: string): string =>
  /^(0|-?[1-9]\d{0,14})$/.test(text) ? text : JSON.stringify(text);

/** Collects events, separated by commas, until they are yielded. */
export class EventText {
  #text = '';
  #isFirst = true;
  readonly #encoder = new platform.TextEncoder();

  /** `head` is the text before the first event. */
  constructor(head: string) {
    this.#text = head;
  }

  get length(): number {
    return this.#text.length;
  }

  add(event: string): void {
    this.#text += this.#isFirst ? event : `,\n${event}`;
    this.#isFirst = false;
  }

  take(foot = ''): Uint8Array {
    const bytes = this.#encoder.encode(this.#text + foot);
    this.#text = '';
    return bytes;
  }
}
