/** What Slurm knows of jobs of ours, by their names: squeue of those that wait, run or ended lately, sacct of the others. */

import { jobName } from '../../core/slurm/submission.ts';
import { mostPoints } from '../../core/sweep/document.ts';
import { printable, type SlurmPrograms } from './programs.ts';
import type { JobState } from './protocol.ts';

/** Those in which nothing comes any more. All others, also words that no Slurm has today, are of a job that may go on. */
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

/** Jobs that wait, run, or ended a few minutes ago. */
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

/** Jobs that ended longer ago, where the cluster keeps accounts; none where it doesn't. */
export async function accountedJobs(
  programs: SlurmPrograms,
  id: string,
  submissions: number,
  since: Date,
): Promise<JobState[]> {
  // In the time of that machine, whose clock and zone may be others.
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
    // As 'CANCELLED by 1000'.
    state: state.split(' ')[0] ?? '',
    node,
    reason: /^0:0$|^$/.test(exitCode) ? '' : `exit code ${exitCode}`,
  }));
  return found.filter(hasEnded);
}

const names = (id: string, submissions: number): string[] =>
  Array.from({ length: submissions }, (_, number) => jobName(id, number));

/** A line that is none of a job of ours is passed over. The last word on a job counts, as where it was started again. */
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

/** Those that were never started may share a line: '3', '4-5,8' or '[4-9%2]'. None where it is something else. */
function tasksIn(text: string): number[] {
  const parts = text.replace(/^\[(.*?)(%\d+)?\]$/, '$1').split(',');
  const tasks = new Set<number>();
  // Each job is named once, so there are no more parts than jobs.
  for (const part of parts.slice(0, mostPoints)) {
    const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? [];
    for (let task = Number(from); task <= Number(to) && task < mostPoints; task += 1) tasks.add(task);
  }
  return [...tasks];
}

/** How many jobs an array of this cluster may have; null where it isn't told. */
export async function mostJobs(programs: SlurmPrograms): Promise<number | null> {
  const printed = await programs.run('scontrol', ['show', 'config']).catch(() => '');
  const most = /^MaxArraySize\s*=\s*(\d+)\s*$/m.exec(printed)?.[1];
  return most === undefined ? null : Number(most);
}
