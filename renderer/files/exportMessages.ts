/** What the window asks of the worker that exports runs. One worker makes one file. */
import type { ExportFormat } from '../../core/export/formats.ts';
import type { Run } from '../../core/trace/run.ts';

export interface ExportCalls {
  /** `source` is the address of the run's file, or the run itself where it has none: a prediction. */
  make(source: string | Run, format: ExportFormat): Promise<{ readonly file: Blob; readonly name: string }>;
}

export interface ExportEvents {
  progress(bytes: number, share: number): void;
}
