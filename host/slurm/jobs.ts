/** Slurm's states of jobs by name: from squeue for waiting, running and just ended jobs, from sacct for others. */

import { type JobCounts, jobName } from '../../core/apps/slurm/submission.ts';
import { mostPoints } from '../../core/apps/sweep/document.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import { printable, runSlurm } from './programs.ts';

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
const endings =
  'BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED LAUNCH_FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED RECONFIG_FAIL REVOKED TIMEOUT'.split(
    ' ',
  );
const hasEnded = ({ state }: JobState): boolean => endings.includes(state);
export const isActive = (job: JobState | null): boolean => job !== null && !hasEnded(job);

/** Returns the numbers of running and waiting jobs. */
export function jobCounts(jobs: readonly JobState[]): JobCounts {
  const active = jobs.filter(isActive);
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

/** Asks squeue, and sacct for jobs that squeue has forgotten, if the cluster keeps accounts. `tasks` is the number of jobs. */
export async function jobsOf(
  environment: NodeJS.ProcessEnv,
  id: string,
  { submissions, tasks, since }: { readonly submissions: number; readonly tasks: number; readonly since: Date },
): Promise<JobState[]> {
  if (submissions === 0) return [];
  const names = `--name=${Array.from({ length: submissions }, (_, number) => jobName(id, number)).join(',')}`;
  const queue = ['--noheader', '--array', '--states=all', names, '--format=%j|%F_%K|%T|%N|%r'];
  const listed = jobsIn(await runSlurm(environment, 'squeue', queue), id);
  if (listed.length === tasks) return listed;
  // The cluster may have another clock and time zone.
  const day = new Date(since.getTime() - 2 * 86_400_000).toISOString().slice(0, 10);
  const account = ['--noheader', '--parsable2', '--allocations', `--starttime=${day}`, names];
  const fields = '--format=JobName,JobID,State,NodeList,ExitCode';
  const accounted = jobsIn(await runSlurm(environment, 'sacct', [...account, fields]).catch(() => ''), id);
  const known = new Set(listed.map(({ job }) => job));
  return [...listed, ...accounted.filter((job) => hasEnded(job) && !known.has(job.job))];
}

/** Ignores other lines. The last line of a job counts, since Slurm may have started it again. */
function jobsIn(printed: string, id: string): JobState[] {
  const jobs = new Map<string, JobState>();
  for (const line of printed.split('\n')) {
    const [name = '', numbers = '', states = '', node = '', ...reasons] = line.split('|');
    const submission = /^copyscope-([0-9a-f]{16})-(\d{1,4})$/.exec(name);
    const [, array = '', tasks = ''] = /^(\d{1,12})_(.+)$/.exec(numbers) ?? [];
    // Such as 'CANCELLED by 1000'.
    const state = states.split(' ')[0] ?? '';
    if (submission?.[1] !== id || !/^[A-Z_]{1,40}$/.test(state)) continue;
    for (const task of tasksIn(tasks)) {
      const job = `${array}_${task}`;
      const reason = reasonIn(printable(reasons.join('|')));
      jobs.set(job, {
        submission: Number(submission[2]),
        task,
        job,
        state,
        node: printable(node).slice(0, 100),
        reason,
      });
    }
  }
  return [...jobs.values()];
}

/** Reads squeue's reason or sacct's exit code. */
function reasonIn(text: string): string {
  if (text === 'None' || text === '0:0') return '';
  return /^\d+:\d+$/.test(text) ? `exit code ${text}` : text.slice(0, 200);
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
