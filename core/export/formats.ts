/** Export formats for other viewers and data tools, and the names of their files. */
import { type RunInfo, runName } from '../trace/run.ts';

export const exportFormats = ['perfetto', 'pytorch', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface FormatWords {
  /** For texts such as 'Export for Perfetto'. */
  readonly purpose: string;
  /** File extension. */
  readonly ending: string;
  readonly mediaType: string;
}

export const exportWords: Readonly<Record<ExportFormat, FormatWords>> = {
  perfetto: { purpose: 'for Perfetto', ending: '.perfetto-trace', mediaType: 'application/x-protobuf' },
  pytorch: { purpose: 'as a PyTorch profiler trace', ending: '.pt.trace.json', mediaType: 'application/json' },
  csv: { purpose: 'as a table (CSV)', ending: '.csv', mediaType: 'text/csv' },
};

/** Returns a name that every file system accepts, whatever the run's name. */
export const exportFileName = (info: Pick<RunInfo, 'experiment' | 'imported'>, format: ExportFormat): string =>
  fileNameOf(runName(info), exportWords[format].ending);

/** Returns a valid file name for any title. */
export function fileNameOf(title: string, ending: string): string {
  const name = title
    .replace(/[^\p{L}\p{N}._-]+/gu, ' ')
    .replace(/^[. ]+/, '')
    .slice(0, 80)
    .trim();
  return `${name || 'run'}${ending}`;
}
