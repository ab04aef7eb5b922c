/** Content of a report besides the rows of its runs: plain JSON, which its page reads. docs/guide/share.md describes it. */

import type { SweepDocument } from '../apps/sweep/document.ts';
import type { Figures } from '../apps/sweep/metrics.ts';
import type { ErrorInfo } from '../errors.ts';
import type { RunComparison } from '../explain/compare/comparison.ts';
import type { WindowSummary } from '../explain/summary/windowSummary.ts';
import type { TraceAnswers } from '../lift/answers.ts';
import type { StepsCompared } from '../lift/settle.ts';
import type { RunOrigin } from '../trace/run.ts';

export const reportFormat = 'copyscope/report';
export const reportVersion = 2;

export interface ReportRun {
  readonly title: string;
  readonly origin: RunOrigin;
  readonly summary: WindowSummary;
  /** Highest rate of the machine's link in each direction, in bytes per second; null if no profile has it. */
  readonly linkLimits: Readonly<Record<'h2d' | 'd2h', number | null>>;
  /** Steps, causes and plan of a real program's trace. Null for other runs, and if a replay lacks data. */
  readonly answers: TraceAnswers | null;
  /** The lifted steps before and after the tried changes, both simulated; null if none were tried. */
  readonly tried: readonly [before: TriedRun, after: TriedRun] | null;
}

export interface TriedRun {
  readonly title: string;
  /** Index of its rows among all rows of the report. */
  readonly element: number;
}

export interface ReportComparison extends RunComparison {
  /** Number of omitted operations; they differ less than the listed ones. */
  readonly leftOut: number;
  /** Parts of a step in two traces, and the outcome of the prediction; null for other runs. */
  readonly stepParts: StepsCompared | null;
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
  /** Device or profile. If there are several, see `device` of the points. */
  readonly device: string;
  readonly points: readonly ReportPoint[];
}

export interface ReportDocument {
  readonly format: typeof reportFormat;
  readonly version: typeof reportVersion;
  readonly title: string;
  readonly createdAt: string;
  /** Version of Copyscope. */
  readonly copyscope: string;
  /** Whether names and paths are unredacted. */
  readonly withPaths: boolean;
  /** Their rows follow this document in the file, in the same order, and then those of tried changes. */
  readonly runs: readonly ReportRun[];
  readonly comparison: ReportComparison | null;
  readonly sweep: ReportSweep | null;
}
