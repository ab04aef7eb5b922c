/** What the window and the worker that checks lessons say to each other. */
import type { ErrorInfo } from '../../core/errors.ts';
import type { StepRequest, StepResult } from '../../core/lessons/evaluate.ts';

export interface CheckRequest {
  readonly ticket: number;
  readonly request: StepRequest;
}

export type CheckAnswer =
  | { readonly kind: 'checked'; readonly ticket: number; readonly result: StepResult }
  | { readonly kind: 'failed'; readonly ticket: number; readonly error: ErrorInfo };
