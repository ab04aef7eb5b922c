/** What a gate says. `copyscope gate --format json` prints it; docs/gate.md describes it for people. */
import type { RunOrigin } from '../trace/run.ts';
import type { GateFigure } from './figures.ts';
import type { GatePlace } from './places.ts';

export const gateFormat = 'copyscope/gate';
export const gateVersion = 1;

/** One place in the program that adds to a figure that is too large. */
export interface GateFinding {
  readonly place: GatePlace;
  /** How often, in the step that was judged. */
  readonly times: number;
  /** What it adds to the figure, in the figure's unit; of a regression what it adds beyond the baseline. */
  readonly amount: number;
  readonly message: string;
  /** Why a copy had no kernel beside it, or what can happen; null where nothing more is known. */
  readonly because: string | null;
  readonly remedy: string;
}

/** kept: within the limit. broken: beyond it. untold: steps are too few to tell a difference from noise. */
export type GateStatus = 'kept' | 'broken' | 'untold';

export interface GateResult {
  readonly figure: GateFigure;
  /** limit: a number in the rules. baseline: what the baseline trace has. */
  readonly against: 'limit' | 'baseline';
  readonly status: GateStatus;
  readonly value: number;
  /** The limit, or the baseline's value. */
  readonly most: number;
  /** The step that was judged. Empty for hazards, which are of the whole experiment. */
  readonly step: string;
  readonly message: string;
  /** The largest first; empty where the figure is kept, or is made of no rows. */
  readonly findings: readonly GateFinding[];
}

export interface GateReport {
  readonly format: typeof gateFormat;
  readonly version: typeof gateVersion;
  readonly name: string;
  readonly origin: RunOrigin;
  /** No result is broken. */
  readonly passed: boolean;
  readonly steps: { readonly count: number; readonly rule: string };
  readonly baseline: { readonly name: string; readonly origin: RunOrigin; readonly steps: number } | null;
  readonly results: readonly GateResult[];
  /** Allowances that were used, with their reasons and how many rows they let pass in all steps. */
  readonly allowed: readonly { readonly what: string; readonly reason: string; readonly times: number }[];
  /** What a reader should know. */
  readonly notes: readonly string[];
}
