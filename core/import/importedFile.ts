/** What is known of a trace file: what its reader is told, and what it found. */
import type { ErrorInfo } from '../errors.ts';
import type { Header } from './kinetoHeader.ts';
import type { KinetoRows } from './kinetoRows.ts';

export type ByteStream = AsyncIterable<Uint8Array>;

export interface ImportOptions {
  /** What the trace is called: the file's name. */
  readonly name: string;
  /** Of this program. */
  readonly version: string;
  /** The file's date, for traces whose clock doesn't count from 1970. */
  readonly modifiedAt: Date;
  /** Told after each chunk, with the bytes of JSON and the events read so far. */
  readonly onProgress?: ((bytes: number, events: number) => void) | undefined;
}

/** What the file was found to be. */
export interface ReadFile {
  readonly header: Header;
  readonly rows: KinetoRows;
  readonly events: number;
  readonly problem: ErrorInfo | null;
  /** What lies behind the trace, in words; null where nothing does. */
  readonly behind: string | null;
}
