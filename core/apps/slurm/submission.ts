/** Submission of an array to Slurm: sbatch's arguments, which no shell reads, and the script of each job. */
import { shellWord } from '../../media.ts';
import type { EngineKind } from '../../program/engineKind.ts';
import type { SlurmSettings } from './settings.ts';

export interface ArrayPlan {
  readonly id: string;
  /** Number of the array within the sweep, calibration or recording, from 0. */
  readonly number: number;
  readonly jobs: number;
  readonly engine: EngineKind;
  readonly settings: SlurmSettings;
  /** Folder of the work, and the arguments that start the program, both as the nodes see them. */
  readonly folder: string;
  readonly start: readonly string[];
  /** Words after `copyscope`, and the folder in which they run. Left out, each job runs points of a sweep. */
  readonly command?: { readonly words: readonly string[]; readonly folder: string } | undefined;
}

/** Returns the name by which a job is found. */
export const jobName = (id: string, number: number): string => `copyscope-${id}-${number}`;
/** File with the exit code of a command. */
export const exitName = 'exit';
export const scriptName = (number: number): string => `script-${number}.sh`;

export function sbatchWords({ id, number, jobs, engine, settings, folder }: ArrayPlan): string[] {
  const { partition, account, gpus, time, atOnce, options } = settings;
  const given = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name}=${value}`];
  return [
    `--job-name=${jobName(id, number)}`,
    `--array=0-${jobs - 1}${atOnce === undefined ? '' : `%${atOnce}`}`,
    '--nodes=1',
    '--ntasks=1',
    `--chdir=${folder}`,
    `--output=output/${number}_%a.txt`,
    ...given('partition', partition),
    ...given('account', account),
    ...given('time', time),
    // Other engines need no GPU. Some clusters don't count GPUs, which the setting 0 expresses.
    ...(engine === 'cuda' && gpus !== '0' ? [`--gres=gpu:${gpus ?? '1'}`] : []),
    ...options,
    scriptName(number),
  ];
}

/** Uses a login shell, since clusters define `module` only for those. Its noise stays out of the program's stdout (.out). */
export function scriptText({ number, settings, folder, start, command }: ArrayPlan): string {
  const line = (words: readonly string[]): string => [...start, ...words].map(shellWord).join(' ');
  const lines =
    command === undefined
      ? [`exec ${line(['slurm-task', folder, String(number)])} "$SLURM_ARRAY_TASK_ID"`]
      : [
          'export COPYSCOPE_NODE="$SLURMD_NODENAME"',
          '# scancel ends the command, whose exit code this shell then keeps.',
          'trap : TERM',
          `cd ${shellWord(command.folder)}`,
          line(command.words),
          `code=$?; echo $code > ${shellWord(`${folder}/${exitName}`)}; exit $code`,
        ];
  return [
    '#!/bin/bash -l',
    '# Written by Copyscope. Each job of the array does its part of the work.',
    ...settings.lines,
    `exec > ${shellWord(`${folder}/output/${number}_`)}"$SLURM_ARRAY_TASK_ID.out"`,
    ...lines,
    '',
  ].join('\n');
}

/** Returns lines that show how jobs will be submitted, with an array of two as the example. */
export function describedSubmission(settings: SlurmSettings): string[] {
  const of = { id: 'ID', number: 0, jobs: 2, folder: 'FOLDER', start: ['PROGRAM'] };
  const array: ArrayPlan = { ...of, engine: 'cuda', settings };
  return [`sbatch ${sbatchWords(array).map(shellWord).join(' ')}`, '', ...scriptText(array).trimEnd().split('\n')];
}

/** Numbers of running and waiting jobs. */
export interface JobCounts {
  readonly running: number;
  readonly waiting: number;
  /** Slurm's reason why the jobs wait; empty if there is none. */
  readonly reason: string;
}

/** Returns for example '2 jobs run, 1 waits (Priority)'. */
export function jobsWords(jobs: JobCounts | null): string {
  if (jobs === null) return 'asking Slurm';
  const { running, waiting, reason } = jobs;
  const why = reason === '' ? '' : ` (${reason})`;
  const waits = waiting === 0 ? '' : `, ${waiting} ${waiting === 1 ? 'waits' : 'wait'}${why}`;
  return `${running} ${running === 1 ? 'job runs' : 'jobs run'}${waits}`;
}
