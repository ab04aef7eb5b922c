/** What a report holds beside the rows of its runs: plain JSON, which its page reads. docs/report.md describes it. */
import type { RunComparison } from '../compare/comparison.ts';
import type { ErrorInfo } from '../errors.ts';
import type { TraceAnswers } from '../lift/answers.ts';
import type { WindowSummary } from '../summary/windowSummary.ts';
import type { SweepDocument } from '../sweep/document.ts';
import type { Figures } from '../sweep/metrics.ts';
import type { RunOrigin } from '../trace/run.ts';

export const reportFormat = 'copyscope/report';
export const reportVersion = 1;

export interface ReportRun {
  readonly title: string;
  readonly origin: RunOrigin;
  readonly summary: WindowSummary;
  /** What the link of its machine gives one way at best, in bytes per second; null where no profile tells. */
  readonly linkLimits: Readonly<Record<'h2d' | 'd2h', number | null>>;
  /** Of a real program's trace: its steps, what holds them, and the plan. Null of others, and where a replay lacks something. */
  readonly answers: TraceAnswers | null;
}

export interface ReportComparison extends RunComparison {
  /** Operations that differ less than those that are held. */
  readonly leftOut: number;
}

export type ReportPoint =
  | {
      readonly point: number;
      readonly status: 'done';
      readonly createdAt: string;
      /** Device or profile of this point. */
      readonly device: string;
      readonly figures: Figures;
      readonly linkBytesPerSecond: number | null;
    }
  | { readonly point: number; readonly status: 'failed'; readonly error: ErrorInfo };

export interface ReportSweep {
  readonly document: SweepDocument;
  readonly createdAt: string;
  readonly origin: RunOrigin;
  /** Device or profile; of several the points' own say which. */
  readonly device: string;
  readonly points: readonly ReportPoint[];
}

export interface ReportDocument {
  readonly format: typeof reportFormat;
  readonly version: typeof reportVersion;
  readonly title: string;
  /** When the report was made. */
  readonly createdAt: string;
  /** Version of Copyscope. */
  readonly copyscope: string;
  /** Whether names and paths were left as they are. */
  readonly withPaths: boolean;
  /** Their rows stand in the file beside this document, in the same order. */
  readonly runs: readonly ReportRun[];
  readonly comparison: ReportComparison | null;
  readonly sweep: ReportSweep | null;
}
