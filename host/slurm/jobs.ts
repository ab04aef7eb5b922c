/** Slurm's states of jobs by name: from squeue for waiting, running and just ended jobs, from sacct for others. */

import { type JobCounts, jobName } from '../../core/apps/slurm/submission.ts';
import { mostPoints } from '../../core/apps/sweep/document.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import { printable, type SlurmPrograms } from './programs.ts';

/** One job of an array. */
export interface JobState {
  /** Number of its array within the work, from 0. */
  readonly submission: number;
  readonly task: number;
  /** Job number such as '4711_12'. */
  readonly job: string;
  /** Slurm's own word, such as 'PENDING' or 'TIMEOUT'. */
  readonly state: string;
  readonly node: string;
  /** Reason why it waits or ended, in Slurm's word; empty if Slurm gives none. */
  readonly reason: string;
}

/** States of jobs that have ended. A job in any other state may go on. */
const endings = new Set([
  'BOOT_FAIL',
  'CANCELLED',
  'COMPLETED',
  'DEADLINE',
  'FAILED',
  'LAUNCH_FAILED',
  'NODE_FAIL',
  'OUT_OF_MEMORY',
  'PREEMPTED',
  'RECONFIG_FAIL',
  'REVOKED',
  'TIMEOUT',
]);

export const hasEnded = ({ state }: Pick<JobState, 'state'>): boolean => endings.has(state);

/** Returns the numbers of running and waiting jobs. */
export function jobCounts(jobs: readonly JobState[]): JobCounts {
  const active = jobs.filter((job) => !hasEnded(job));
  const waiting = active.filter(({ state }) => state === 'PENDING');
  const reason = waiting.find((job) => job.reason !== '')?.reason ?? '';
  return { running: active.length - waiting.length, waiting: waiting.length, reason };
}

/** Error code of a point whose job ended without a result. The next command submits it again. */
export const lostCode = 'slurm.ended';

/** Returns the reason for a missing result, in Slurm's own word. `said` is the end of the job's output. */
export function lostPoint(job: JobState | null, said: string): ErrorInfo {
  const remedy = job?.state === 'TIMEOUT' ? 'Give its jobs more time: copyscope slurm set --time' : 'Go on with it.';
  if (job === null) return { code: lostCode, message: 'Slurm does not know its job any more.', remedy };
  const { state, node, reason } = job;
  const where = node === '' ? '' : ` on ${node}`;
  const why = reason === '' || reason === state ? '' : ` (${reason})`;
  const words = printable(said);
  const output = words === '' ? '' : ` Its output ends: ${words}`;
  return { code: lostCode, message: `Slurm ended job ${job.job}${where}: ${state}${why}.${output}`, remedy };
}

/** Returns jobs that wait, run, or ended a few minutes ago. */
export async function queuedJobs(programs: SlurmPrograms, id: string, submissions: number): Promise<JobState[]> {
  if (submissions === 0) return [];
  const printed = await programs.run('squeue', [
    '--noheader',
    '--array',
    '--states=all',
    `--name=${names(id, submissions).join(',')}`,
    '--format=%j|%F|%K|%T|%N|%r',
  ]);
  return jobsIn(printed, id, ([array = '', task = '', state = '', node = '', ...reason]) => ({
    job: `${array}_${task}`,
    state,
    node,
    reason: reason.join('|'),
  }));
}

/** Returns jobs that ended longer ago, if the cluster keeps accounts. */
export async function accountedJobs(
  programs: SlurmPrograms,
  id: string,
  submissions: number,
  since: Date,
): Promise<JobState[]> {
  // The cluster may have another clock and time zone.
  const day = new Date(since.getTime() - 2 * 86_400_000).toISOString().slice(0, 10);
  const words = ['--noheader', '--parsable2', '--allocations', `--starttime=${day}`];
  const printed = await programs
    .run('sacct', [
      ...words,
      `--name=${names(id, submissions).join(',')}`,
      '--format=JobName,JobID,State,NodeList,ExitCode',
    ])
    .catch(() => '');
  const found = jobsIn(printed, id, ([job = '', state = '', node = '', exitCode = '']) => ({
    job,
    // Such as 'CANCELLED by 1000'.
    state: state.split(' ')[0] ?? '',
    node,
    reason: /^0:0$|^$/.test(exitCode) ? '' : `exit code ${exitCode}`,
  }));
  return found.filter(hasEnded);
}

const names = (id: string, submissions: number): string[] =>
  Array.from({ length: submissions }, (_, number) => jobName(id, number));

/** Ignores other lines. The last line of a job counts, since Slurm may have started it again. */
function jobsIn(
  printed: string,
  id: string,
  read: (fields: readonly string[]) => Pick<JobState, 'job' | 'state' | 'node' | 'reason'>,
): JobState[] {
  const jobs = new Map<string, JobState>();
  for (const line of printed.split('\n')) {
    const [name = '', ...fields] = line.split('|');
    const submission = /^copyscope-([0-9a-f]{16})-(\d{1,4})$/.exec(name);
    if (submission?.[1] !== id) continue;
    const { job, state, node, reason } = read(fields);
    const [, array = '', tasks = ''] = /^(\d{1,12})_(.+)$/.exec(job) ?? [];
    if (!/^[A-Z_]{1,40}$/.test(state)) continue;
    const why = printable(reason);
    for (const task of tasksIn(tasks)) {
      jobs.set(`${submission[2]} ${array}_${task}`, {
        submission: Number(submission[2]),
        task,
        job: `${array}_${task}`,
        state,
        node: printable(node).slice(0, 100),
        reason: why === 'None' ? '' : why.slice(0, 200),
      });
    }
  }
  return [...jobs.values()];
}

/** Jobs that never started may share a line: '3', '4-5,8' or '[4-9%2]'. */
function tasksIn(text: string): number[] {
  const parts = text.replace(/^\[(.*?)(%\d+)?\]$/, '$1').split(',');
  const tasks = new Set<number>();
  // Each job is named once, so that there are no more parts than jobs.
  for (const part of parts.slice(0, mostPoints)) {
    const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? [];
    for (let task = Number(from); task <= Number(to) && task < mostPoints; task += 1) tasks.add(task);
  }
  return [...tasks];
}

/** Returns the maximum size of an array on this cluster, or null if unknown. */
export async function mostJobs(programs: SlurmPrograms): Promise<number | null> {
  const printed = await programs.run('scontrol', ['show', 'config']).catch(() => '');
  const most = /^MaxArraySize\s*=\s*(\d+)\s*$/m.exec(printed)?.[1];
  return most === undefined ? null : Number(most);
}
