/** What the window and the worker that exports runs say to one another. One worker makes one file. */
import type { ErrorInfo } from '../../core/errors.ts';
import type { ExportFormat } from '../../core/export/formats.ts';
import type { Run } from '../../core/trace/run.ts';

export interface ExportRequest {
  /** The address of its file, or the run itself where it has none: a prediction. */
  readonly source: string | Run;
  readonly format: ExportFormat;
}

export type ExportAnswer =
  | { readonly kind: 'progress'; readonly bytes: number; readonly share: number }
  | { readonly kind: 'done'; readonly file: Blob; readonly name: string }
  | { readonly kind: 'failed'; readonly error: ErrorInfo };
