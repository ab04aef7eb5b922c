/**
 * In which order vitest runs the files of tests. It knows the longest from the run before, and in a fresh clone it takes
 * those with the most text; what takes minutes there, and begins last, is what all else has to be waited for.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They compile, or start many processes. */
const long = ['test/native/sanitizers.test.ts', 'test/native/record.test.ts', 'test/electron/bundle.test.ts'];

const place = ({ moduleId }: TestSpecification): number => {
  const found = long.findIndex((path) => moduleId.endsWith(path));
  return found < 0 ? long.length : found;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
