/** Data of versions with remote machines. */
import { expect, it } from 'vitest';
import { readKept, sweepSummary } from '../../../host/library/keptSweep.ts';
import { readers } from '../support/readers.ts';

it('opens a sweep that another machine or its Slurm ran', () => {
  const document = readers['kept sweep']?.document as object;
  const earlier = { ...document, host: 'gpu-box', slurm: { host: 'login', work: '0123456789abcdef' } };
  const summary = sweepSummary(readKept('a', JSON.stringify(earlier), ''), false);
  expect(summary).toMatchObject({ status: 'stopped', host: 'gpu-box', slurm: { jobs: null } });
});
