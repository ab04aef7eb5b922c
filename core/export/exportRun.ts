/** Exports a run in another viewer's format, in pieces: a large one is longer than any string and takes a while. */
import { CopyscopeError } from '../errors.ts';
import type { Run } from '../trace/run.ts';
import type { ExportFormat } from './formats.ts';
import { kinetoPieces } from './kineto/kineto.ts';
import { perfettoPieces } from './perfetto/perfetto.ts';
import { csvPieces } from './tables/rowTable.ts';
import { placeIterations } from './times.ts';

export interface ExportOptions {
  /** Only this iteration; if omitted, all of them one after another. */
  readonly iteration?: number | undefined;
  /** Called with each piece: number of rows so far, and of all rows. */
  readonly onProgress?: ((rows: number, of: number) => void) | undefined;
}

/** Decides when an exporter yields a piece. */
export interface ExportSteps {
  /** Returns whether to yield a piece of `length` bytes or characters that ends with row `row`. */
  isDue(length: number, row: number): boolean;
}

const pieceLength = 1 << 18;

/** Yields the file's bytes in pieces. Throws `export.no-iteration` if the requested iteration has no rows. */
export function* exportRun(run: Run, format: ExportFormat, options: ExportOptions = {}): Generator<Uint8Array> {
  const iterations = placeIterations(run.trace, options.iteration);
  if (options.iteration !== undefined && iterations.length === 0) throw noIteration(options.iteration, run);
  const first = iterations[0]?.rows.from ?? 0;
  const count = (iterations.at(-1)?.rows.to ?? 0) - first;
  const steps: ExportSteps = {
    isDue: (length, row) => {
      if (length < pieceLength) return false;
      options.onProgress?.(row + 1 - first, count);
      return true;
    },
  };
  yield* formats[format](run, iterations, steps);
  options.onProgress?.(count, count);
}

const formats = {
  perfetto: perfettoPieces,
  pytorch: kinetoPieces,
  csv: csvPieces,
} as const;

function noIteration(number: number, { trace }: Run): CopyscopeError {
  const found = placeIterations(trace).map((one) => one.number);
  const words = found.length > 8 ? `${found[0]} to ${found.at(-1)}` : found.join(', ') || 'none';
  return new CopyscopeError({
    code: 'export.no-iteration',
    field: '--iteration',
    message: `the run has no row of iteration ${number}.`,
    remedy: `Its iterations are ${words}; leave --iteration out to have all of them.`,
  });
}
