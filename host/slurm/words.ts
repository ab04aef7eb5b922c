/** Why a point has no result, in Slurm's own word. */
import type { ErrorInfo } from '../../core/errors.ts';
import { printable } from './programs.ts';
import type { JobState } from './protocol.ts';

/** Of a point that Slurm, and not the point's own run, brought to an end: it is submitted again with the next command. */
export const lostCode = 'slurm.ended';

const remedies: Readonly<Record<string, string>> = {
  TIMEOUT: 'Give its jobs more time (copyscope slurm set --time, or Slurm settings in the window), and go on with it.',
  DEADLINE: 'Give its jobs more time (copyscope slurm set --time, or Slurm settings in the window), and go on with it.',
  OUT_OF_MEMORY: 'Ask for more memory (--mem=16G as a further option of sbatch), and go on with it.',
};
const standardRemedy = 'Go on with it, or give the same command: then it is submitted again.';

/** How Slurm tells of a job that has ended. */
export function endedWords({ job, state, node, reason }: JobState): string {
  const where = node === '' ? '' : ` on ${node}`;
  const why = reason === '' || reason === state ? '' : ` (${reason})`;
  return `job ${job}${where} ended with ${state}${why}`;
}

export function lostPoint(job: JobState, said: string): ErrorInfo {
  const left = job.state === 'COMPLETED' ? ', and left no result' : '';
  const words = printable(said);
  return {
    code: lostCode,
    message: `Slurm: ${endedWords(job)}${left}.${words === '' ? '' : ` It said: ${words}`}`,
    remedy: remedies[job.state] ?? standardRemedy,
  };
}

export const forgottenPoint = (): ErrorInfo => ({
  code: lostCode,
  message: 'Slurm does not say any more what became of the job, which left no result.',
  remedy: standardRemedy,
});
