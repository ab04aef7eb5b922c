/** Why a point has no result, in Slurm's own word. */
import type { ErrorInfo } from '../../core/errors.ts';
import { printable } from './programs.ts';
import type { JobState } from './protocol.ts';

/** Of a point that Slurm, and not the point's own run, brought to an end: it is submitted again with the next command. */
export const lostCode = 'slurm.ended';

const remedies: Readonly<Record<string, string>> = {
  TIMEOUT: 'Give its jobs more time: copyscope slurm set --time. The same command then submits this point again.',
  DEADLINE: 'Give its jobs more time: copyscope slurm set --time. The same command then submits this point again.',
  OUT_OF_MEMORY:
    'Ask for more memory: copyscope slurm set --option=--mem=16G. The same command then submits this point again.',
};
const standardRemedy = 'The same command submits this point again.';

export function lostPoint({ job, state, node, reason }: JobState, said: string): ErrorInfo {
  const where = node === '' ? '' : ` on ${node}`;
  const why = reason === '' || reason === state ? '' : ` (${reason})`;
  const left = state === 'COMPLETED' ? ', and left no result' : '';
  const words = printable(said);
  return {
    code: lostCode,
    message: `Slurm: job ${job}${where} ended with ${state}${why}${left}.${words === '' ? '' : ` It said: ${words}`}`,
    remedy: remedies[state] ?? standardRemedy,
  };
}

export const forgottenPoint = (): ErrorInfo => ({
  code: lostCode,
  message: 'Slurm does not say any more what became of the job of this point, and it left no result.',
  remedy: standardRemedy,
});
