/** The forms of other viewers and data tools in which a run can leave, and what their files are called. */
import { type RunInfo, runName } from '../trace/run.ts';

export const exportFormats = ['perfetto', 'pytorch', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface FormatWords {
  /** As in 'Export for Perfetto'. */
  readonly purpose: string;
  /** Of the file's name. */
  readonly ending: string;
  readonly mediaType: string;
}

export const exportWords: Readonly<Record<ExportFormat, FormatWords>> = {
  perfetto: { purpose: 'for Perfetto', ending: '.perfetto-trace', mediaType: 'application/x-protobuf' },
  pytorch: { purpose: 'as a PyTorch profiler trace', ending: '.pt.trace.json', mediaType: 'application/json' },
  csv: { purpose: 'as a table (CSV)', ending: '.csv', mediaType: 'text/csv' },
};

/** A name that every file system takes: a run may be called anything. */
export const exportFileName = (info: Pick<RunInfo, 'experiment' | 'imported'>, format: ExportFormat): string =>
  fileNameOf(runName(info), exportWords[format].ending);

/** Anything's name as that of a file. */
export function fileNameOf(title: string, ending: string): string {
  const name = title
    .replace(/[^\p{L}\p{N}._-]+/gu, ' ')
    .replace(/^[. ]+/, '')
    .slice(0, 80)
    .trim();
  return `${name || 'run'}${ending}`;
}
