/** What the window and the worker that compares runs say to each other. */
import type { RunComparison } from '../../core/compare/comparison.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import type { Run } from '../../core/trace/run.ts';

export interface CompareRequest {
  readonly ticket: number;
  readonly a: Run;
  readonly b: Run;
}

export interface Compared {
  readonly comparison: RunComparison;
  /** Operations that are not in the comparison, since it would be too long: those that differ least. */
  readonly leftOut: number;
}

export type CompareAnswer =
  | ({ readonly kind: 'compared'; readonly ticket: number } & Compared)
  | { readonly kind: 'failed'; readonly ticket: number; readonly error: ErrorInfo };
