/** What the window and the worker that looks for hazards say to each other. */

import type { Change } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { HazardReport } from '../../../core/hazards/hazard.ts';
import type { Verification } from '../../../core/trace/run.ts';
import type { SentDocument, Stale } from '../../common/sentDocument.ts';

export interface HazardRequest {
  readonly ticket: number;
  readonly document: SentDocument;
  readonly question: FindHazards | RepairHazard;
}

export interface FindHazards {
  readonly kind: 'find';
  /** The run that is shown: evidence where it executed this very experiment. Null where its data was not checked. */
  readonly run: { readonly experiment: Experiment; readonly verification: Verification } | null;
}

export interface RepairHazard {
  readonly kind: 'repair';
  /** Its place among the hazards that were found. */
  readonly hazard: number;
}

export type HazardAnswer =
  | Stale
  /** Null where the experiment can't be lowered: the window says why elsewhere. */
  | { readonly kind: 'found'; readonly ticket: number; readonly report: HazardReport | null }
  | { readonly kind: 'repaired'; readonly ticket: number; readonly change: Change | null };
