/** What a hazard says. How one is found stands in the other files of this folder. */
import type { Change } from '../experiment/change.ts';
import type { RuleId } from '../rules/rules.ts';

/** What `copyscope check --json` prints: HazardReport with these and the experiment's name. See docs/hazards.md. */
export const hazardsFormat = 'copyscope/hazards';
export const hazardsVersion = 1;

/** Written to JSON output, so names are stable. */
export const hazardKinds = [
  /** The host reads what a copy has not surely brought yet. */
  'read-before-arrival',
  /** The host writes what a copy or kernel may still have to read. */
  'source-changed-in-flight',
  /** The host writes where a copy or kernel may still write. */
  'destination-changed-in-flight',
  /** Two streams touch the same bytes, one of them writing, in no order. */
  'unordered-streams',
  /** Two host threads do, or their calls decide the order of what they issue to one stream, or make a buffer come and go. */
  'unordered-threads',
  /** Use of memory that no operation has surely allocated by then. */
  'used-before-allocated',
  'used-after-free',
  /** Freed while something may still use it. */
  'freed-in-use',
  /** Given back to the caching allocator while another stream may still use it, without record_stream. */
  'reused-in-use',
  /** The time between two events is asked for before both have surely completed. */
  'timing-unsynchronised',
  /** A host thread waits for a signal, or for room for one, that never comes. */
  'endless-wait',
] as const;
export type HazardKind = (typeof hazardKinds)[number];

export interface HazardOperation {
  /** Operation number, its id, and where it is in the document, as 'threads[0].operations[2]'. */
  readonly op: number;
  readonly id: string;
  readonly path: string;
  readonly label: string;
  /** Id of the host thread that calls it. */
  readonly thread: string;
  /** Id of the stream; null for what the host does itself. */
  readonly stream: string | null;
}

/** What a run's data check says of the buffers that a hazard can spoil. */
export interface HazardEvidence {
  readonly bytesChecked: number;
  readonly bytesWrong: number;
  /** Where wrong bytes were found: buffer, and the read that found them or -1 for the end of the run. */
  readonly wrong: readonly { readonly buffer: string; readonly op: number; readonly bytesWrong: number }[];
}

export interface Hazard {
  readonly kind: HazardKind;
  readonly rule: RuleId;
  /** The one that comes first in the document of the two, and the other; the same where it meets itself. */
  readonly first: HazardOperation;
  readonly second: HazardOperation;
  /** Id of the buffer; null for timing and waits. */
  readonly buffer: string | null;
  /** The bytes in question: from the first to behind the last of them. 0 and 0 where there is no buffer. */
  readonly fromByte: number;
  readonly toByte: number;
  /** A few words. */
  readonly title: string;
  /** What can happen. */
  readonly explanation: string;
  /** The order that nothing guarantees. */
  readonly missing: string;
  readonly remedy: string;
  /** The remedy as a change to the experiment, tried: with it the hazard is gone. Null where none is simple. */
  readonly change: Change | null;
  /** Null before a run whose data was checked. */
  readonly evidence: HazardEvidence | null;
}

export interface HazardReport {
  /** In document order of their later operations. */
  readonly hazards: readonly Hazard[];
  /** What was not followed to its end, in sentences; empty where everything was. */
  readonly limits: readonly string[];
}
