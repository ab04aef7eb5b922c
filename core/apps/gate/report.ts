/** Result of a gate. `copyscope gate --format json` prints it; docs/guide/gate.md describes it for people. */
import type { RunOrigin } from '../../trace/run.ts';
import type { GateFigure } from './figures.ts';
import type { GatePlace } from './places.ts';

export const gateFormat = 'copyscope/gate';
export const gateVersion = 2;

/** A place in the program that adds to a figure above its limit. */
export interface GateFinding {
  readonly place: GatePlace;
  /** Number of rows in the checked step. */
  readonly times: number;
  /** Share in the figure, in the figure's unit; for a regression, the amount beyond the baseline. */
  readonly amount: number;
  readonly message: string;
  /** Why a copy ran without a kernel, or what can happen; null if that is unknown. */
  readonly because: string | null;
  readonly remedy: string;
}

/** kept: within the limit. broken: beyond it. `undecided`: too few steps to tell a difference from noise. */
export type GateStatus = 'kept' | 'broken' | 'undecided';

export interface GateResult {
  readonly figure: GateFigure;
  /** limit: a number in the rules. baseline: the value in the baseline trace. */
  readonly against: 'limit' | 'baseline';
  readonly status: GateStatus;
  readonly value: number;
  /** The limit, or the baseline's value. */
  readonly most: number;
  /** Name of the checked step. Empty for hazards, which belong to the whole experiment. */
  readonly step: string;
  readonly message: string;
  /** Largest first. Empty if the figure is kept or has no rows. */
  readonly findings: readonly GateFinding[];
}

export interface GateReport {
  readonly format: typeof gateFormat;
  readonly version: typeof gateVersion;
  readonly name: string;
  readonly origin: RunOrigin;
  /** Whether no result is broken. */
  readonly passed: boolean;
  readonly steps: { readonly count: number; readonly rule: string };
  readonly baseline: { readonly name: string; readonly origin: RunOrigin; readonly steps: number } | null;
  readonly results: readonly GateResult[];
  /** Used allowances with their reasons and the number of rows excluded in all steps. */
  readonly allowed: readonly { readonly what: string; readonly reason: string; readonly times: number }[];
  /** Notes for the reader. */
  readonly notes: readonly string[];
}
