/** How jobs stand, in numbers and in words. */

/** How many jobs run and wait. */
export interface JobCounts {
  readonly running: number;
  readonly waiting: number;
  /** Why those that wait do so, in Slurm's word; empty where it has none. */
  readonly reason: string;
}

const because = ({ reason }: Pick<JobCounts, 'reason'>): string => (reason === '' ? '' : ` (${reason})`);

/** '1 waiting (Priority)'. */
export const waitingWords = ({ waiting, reason }: Pick<JobCounts, 'waiting' | 'reason'>): string =>
  `${waiting} waiting${because({ reason })}`;

/** Of many: '2 jobs run, 1 waiting (Priority)'. */
export function jobsWords(jobs: JobCounts | null): string {
  if (jobs === null) return 'asking Slurm';
  const { running, waiting } = jobs;
  return `${running === 1 ? '1 job runs' : `${running} jobs run`}${waiting === 0 ? '' : `, ${waitingWords(jobs)}`}`;
}

/** Of one: 'Its job waits (Priority)'. */
export function jobWords(jobs: JobCounts | null): string {
  if (jobs === null) return 'Slurm is asked';
  if (jobs.waiting > 0) return `Its job waits${because(jobs)}`;
  return jobs.running > 0 ? 'Its job runs' : 'Its job has ended';
}
