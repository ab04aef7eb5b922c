/** Input of readers of other tools' trace files. */

export type ByteStream = AsyncIterable<Uint8Array>;

export interface ImportOptions {
  /** Name of the trace: the file's name. */
  readonly name: string;
  /** Version of this program. */
  readonly version: string;
  /** The file's date, for traces whose clock doesn't count from 1970. */
  readonly modifiedAt: Date;
  /** Called at intervals with the number of events read so far. */
  readonly onProgress?: ((events: number) => void) | undefined;
}
