/** Which points nobody submits any more. */
import { expect, it } from 'vitest';
import { Awaited } from '../../../host/slurm/awaited.ts';
import type { Submission } from '../../../host/slurm/protocol.ts';

const submission = (number: number, points: readonly number[], job: string | null): Submission => ({
  ...{ number, job },
  tasks: points.map((point) => [point]),
});

it('those whose submission has gone are left, once', () => {
  const awaited = new Awaited();
  const before = submission(0, [0, 1, 2], '7');
  expect(awaited.takeLeft({ submissions: [before, submission(1, [1, 2], null)] })).toEqual([]);
  expect(awaited.takeLeft({ submissions: [before] })).toEqual([1, 2]);
  expect(awaited.takeLeft({ submissions: [before] })).toEqual([]);
});

it('those that Slurm has got are not, also where their folder goes afterwards', () => {
  const awaited = new Awaited();
  awaited.add([0, 1], 1);
  const submissions = [submission(0, [0, 1], '7'), submission(1, [0], '8')];
  // The other one took the same number for fewer points.
  expect(awaited.takeLeft({ submissions })).toEqual([1]);
  expect(awaited.takeLeft({ submissions: [] })).toEqual([]);
});
