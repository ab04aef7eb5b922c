/** Data of a hazard. The other files of this folder find hazards. */
import type { Change } from '../../experiment/change.ts';
import type { RuleId } from '../../rules/rules.ts';

/** Format of `copyscope check --json`: a HazardReport plus the experiment's name. See docs/guide/experiments.md. */
export const hazardsFormat = 'copyscope/hazards';
export const hazardsVersion = 1;

/** Written to JSON output, so names are stable. */
export const hazardKinds = [
  /** The host reads data that a copy may not have delivered yet. */
  'read-before-arrival',
  /** The host writes memory that a copy or kernel may still read. */
  'source-changed-in-flight',
  /** The host writes memory that a copy or kernel may still write. */
  'destination-changed-in-flight',
  /** Two streams touch the same bytes in no fixed order, and one of them writes. */
  'unordered-streams',
  /** Two host threads do so, issue to one stream in no fixed order, or allocate and free a buffer in no fixed order. */
  'unordered-threads',
  /** Memory is used that may not be allocated yet. */
  'used-before-allocated',
  'used-after-free',
  /** Memory is freed while something may still use it. */
  'freed-in-use',
  /** Memory returns to the caching allocator while another stream may still use it, without record_stream. */
  'reused-in-use',
  /** A stream uses memory from the caching allocator while work of an earlier buffer in it may still run. */
  'reused-unordered',
  /** The time between two events is read before both have certainly completed. */
  'timing-unsynchronised',
  /** A host thread waits forever for a signal, or for room for one. */
  'endless-wait',
] as const;
export type HazardKind = (typeof hazardKinds)[number];

export interface HazardOperation {
  /** Number of the operation, its id, and its path in the document, for example 'threads[0].operations[2]'. */
  readonly op: number;
  readonly id: string;
  readonly path: string;
  readonly label: string;
  /** Id of the host thread that calls it. */
  readonly thread: string;
  /** Id of the stream; null for the host's own work. */
  readonly stream: string | null;
}

/** Result of a run's data check for the buffers that a hazard can spoil. */
export interface HazardEvidence {
  readonly bytesChecked: number;
  readonly bytesWrong: number;
  /** Buffers with wrong bytes, and the read that found them; -1 for the check at the end of the run. */
  readonly wrong: readonly { readonly buffer: string; readonly op: number; readonly bytesWrong: number }[];
}

export interface Hazard {
  readonly kind: HazardKind;
  readonly rule: RuleId;
  /** Operations in document order; both are the same if an operation conflicts with itself. */
  readonly first: HazardOperation;
  readonly second: HazardOperation;
  /** Id of the buffer; null for timing and waits. */
  readonly buffer: string | null;
  /** Affected bytes, [from, to). Both are 0 if there is no buffer. */
  readonly fromByte: number;
  readonly toByte: number;
  /** A few words. */
  readonly title: string;
  /** Possible consequence. */
  readonly explanation: string;
  /** The order that nothing guarantees. */
  readonly missing: string;
  readonly remedy: string;
  /** A tested change to the experiment that removes the hazard; null if no simple one is known. */
  readonly change: Change | null;
  /** Null before a run with a data check. */
  readonly evidence: HazardEvidence | null;
}

export interface HazardReport {
  /** In document order of their second operations. */
  readonly hazards: readonly Hazard[];
  /** Parts of the program that the check left out, in sentences; empty if it covered everything. */
  readonly limits: readonly string[];
}
