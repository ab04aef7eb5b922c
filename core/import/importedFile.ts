/** What a reader of another tool's trace file is told. */

export type ByteStream = AsyncIterable<Uint8Array>;

export interface ImportOptions {
  /** What the trace is called: the file's name. */
  readonly name: string;
  /** Of this program. */
  readonly version: string;
  /** The file's date, for traces whose clock doesn't count from 1970. */
  readonly modifiedAt: Date;
  /** Told now and then, with the events read so far. */
  readonly onProgress?: ((events: number) => void) | undefined;
}
