/** Output of `copyscope compare --json`. docs/guide/compare-and-sweep.md describes it for people. */
import type { RunOrigin } from '../../trace/run.ts';
import type { ComparedRun, RunComparison } from './comparison.ts';

export const comparisonFormat = 'copyscope/comparison';
export const comparisonVersion = 2;

type ComparedFile = ComparedRun & {
  readonly origin: RunOrigin;
  /** Set if the simulation includes the cost of recording, because the other run is recorded. */
  readonly whileRecording?: true;
};

export interface ComparisonDocument extends Omit<RunComparison, 'a' | 'b'> {
  readonly format: typeof comparisonFormat;
  readonly version: typeof comparisonVersion;
  readonly a: ComparedFile;
  readonly b: ComparedFile;
}
