/** Requests of the window to the worker that exports. One worker makes one file. */
import type { ExportFormat } from '../../core/export/formats.ts';
import type { ChangeWord } from '../../core/lift/changes/words.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import type { ReportSweep } from '../../core/present/document.ts';
import type { Run, RunOrigin } from '../../core/trace/run.ts';
import type { HostFile } from '../common/session.ts';

/** The run's file, or a prediction, which has no file. */
export type RunSource = HostFile | Run;

export interface ReportSource {
  readonly source: RunSource;
  readonly title: string;
  readonly origin: RunOrigin;
  /** Profile of the run's machine; null if the host has none. */
  readonly profile: DeviceProfile | null;
  /** Profile for the replay of a real program's trace; null if there is none. */
  readonly replayWith: DeviceProfile | null;
}

export interface ReportRequest {
  readonly kind: 'report';
  /** Address of the page without data. */
  readonly page: string;
  /** One run, two compared runs, or none for a report on a sweep. */
  readonly runs: readonly ReportSource[];
  readonly sweep: ReportSweep | null;
  /** Changes of the run's plan that were tried. */
  readonly tried?: readonly ChangeWord[] | undefined;
  readonly copyscope: string;
  readonly withPaths: boolean;
}

export type ExportRequest =
  | { readonly kind: 'run'; readonly source: RunSource; readonly format: ExportFormat }
  | ReportRequest;

export interface MadeFile {
  readonly file: Blob;
  readonly name: string;
}

export interface ExportCalls {
  make(request: ExportRequest): Promise<MadeFile>;
}

export interface ExportEvents {
  progress(bytes: number, share: number): void;
}
