/** The works of one user on a cluster, seen from its login node. Nothing is remembered between two calls: Slurm and the disk know. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import { shellWord } from '../../core/media.ts';
import type { WorkSummary } from '../../core/service/machines.ts';
import { requireSettings, type SlurmSettings } from '../../core/slurm/settings.ts';
import { type ArrayPlan, jobName, sbatchWords, scriptName, scriptText } from '../../core/slurm/submission.ts';
import { accountedJobs, hasEnded, mostJobs, queuedJobs } from './jobs.ts';
import { slurmPrograms } from './programs.ts';
import type { JobState, SlurmFunctions, Submission, WorkState } from './protocol.ts';
import { type Work, workEngine, workIdPattern, workName, workPoints } from './work.ts';
import { unknown, WorkFolder } from './workFolder.ts';

export interface WorksOptions {
  /** A folder that the nodes see by the same path. */
  readonly folder: string;
  /** The words that start the program on a node. */
  readonly start: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** What one message holds of results, beyond its first. */
const messageBytes = 8 * 2 ** 20;

export function slurmWorks({ folder, start, environment }: WorksOptions): SlurmFunctions {
  const programs = slurmPrograms(environment);
  const at = (id: string): WorkFolder => {
    if (!workIdPattern.test(id)) throw unknown();
    return new WorkFolder(join(folder, id));
  };

  const plan = async (id: string, number: number, jobs: number, settings: SlurmSettings): Promise<ArrayPlan> => {
    const engine = workEngine(await at(id).work());
    return { id, number, jobs, engine, settings: requireSettings(settings), folder: at(id).path, start };
  };

  /** Slurm forgets of itself; where it keeps accounts they are asked for what it no longer lists. */
  const jobsOf = async (id: string, { submissions, reached }: Omit<WorkState, 'jobs'>): Promise<JobState[]> => {
    const { length } = submissions;
    const isOurs = ofArrays(submissions);
    const listed = (await queuedJobs(programs, id, length)).filter(isOurs);
    const has = new Set(listed.map(keyOf));
    const isThere = new Set(reached);
    const isUntold = submissions.some(({ number, tasks }) =>
      tasks.some(
        (points, task) => !has.has(keyOf({ submission: number, task })) && points.some((one) => !isThere.has(one)),
      ),
    );
    if (!isUntold) return listed;
    const work = await at(id).work().catch(nullIfUnknown);
    // Somebody else has dropped it while Slurm was asked.
    if (work === null) return listed;
    const accounted = await accountedJobs(programs, id, length, new Date(work.createdAt));
    return [...listed, ...accounted.filter((job) => isOurs(job) && !has.has(keyOf(job)))];
  };

  const look = async (id: string, withJobs: boolean): Promise<WorkState> => {
    const submissions = await at(id).submissions();
    const jobs = withJobs ? await jobsOf(id, { submissions, reached: await at(id).reached() }) : null;
    // After Slurm was asked: of a job that it says has ended, all that it left is there.
    return { submissions, jobs, reached: await at(id).reached() };
  };

  const summary = async (id: string): Promise<WorkSummary> => {
    const work = await at(id).work();
    const { reached, submissions } = await look(id, false);
    const active = (await queuedJobs(programs, id, submissions.length)).filter((job) => !hasEnded(job)).length;
    return { ...named(id, work), reached: reached.length, active };
  };

  return {
    slurmOpen: async (id, work) => {
      const { createdAt: begunAt } = await at(id).open(work);
      return { ...(await look(id, true)), begunAt };
    },
    slurmShow: async (id, number, jobs, settings) => {
      const array = await plan(id, number, jobs, settings);
      return `sbatch ${sbatchWords(array).map(shellWord).join(' ')}\n\n${scriptText(array)}`;
    },
    slurmSubmit: async (id, number, tasks, settings) => {
      const array = await plan(id, number, tasks.length, settings);
      const work = at(id);
      if (!(await work.claim({ number, tasks, job: null }))) return false;
      try {
        const most = await mostJobs(programs);
        if (most !== null && tasks.length > most) throw tooMany(tasks, most);
        // What is run again leaves no old result for new.
        for (const point of tasks.flat()) await work.forget(point);
        await work.writeScript(scriptName(number), scriptText(array));
        const printed = await programs.run('sbatch', sbatchWords(array), work.path);
        await work.submitted({ number, tasks, job: /^(\d{1,12})(;|\s*$)/.exec(printed.trim())?.[1] ?? '' });
        return true;
      } catch (error) {
        // A work that never came to anything leaves nothing. Until it is gone nobody else can submit in it.
        await (number === 0 ? work.drop() : work.unclaim(number));
        throw error;
      }
    },
    slurmLook: look,
    slurmTake: async (id, points) => {
      const taken = [];
      let bytes = 0;
      for (const point of points) {
        const files = await at(id).take(point);
        if (files === null) continue;
        taken.push(files);
        bytes += files.result.length + (files.run?.byteLength ?? 0);
        if (bytes >= messageBytes) break;
      }
      return taken;
    },
    slurmSaid: (id, job) => at(id).said(job),
    slurmPrinted: (id, job, from) => at(id).printed(job, from),
    slurmCancel: async (id) => {
      await at(id).work();
      for (const { number } of await at(id).submissions()) {
        await programs.run('scancel', ['--quiet', `--name=${jobName(id, number)}`]);
      }
    },
    slurmDrop: (id) => at(id).drop(),
    slurmList: async () => {
      // Whether Slurm is there is told also where nothing is in progress.
      await queuedJobs(programs, noWork, 1);
      const ids = (await readdir(folder).catch(() => [])).filter((name) => workIdPattern.test(name));
      const works = await Promise.all(ids.map((id) => summary(id).catch(nullIfUnknown)));
      return works.filter((work) => work !== null).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    },
  };
}

const named = (id: string, work: Work): Pick<WorkSummary, 'id' | 'name' | 'createdAt' | 'points'> => ({
  id,
  name: workName(work),
  createdAt: work.createdAt,
  points: workPoints(work),
});

/** Jobs of what was done before under the same name, and deleted since, are told of for a while too. */
function ofArrays(submissions: readonly Submission[]): (job: JobState) => boolean {
  const arrays = new Map(submissions.map(({ number, job }) => [number, job]));
  return ({ submission, job }) => {
    const array = arrays.get(submission) ?? '';
    return array === '' || job.startsWith(`${array}_`);
  };
}

function nullIfUnknown(error: unknown): null {
  if (toErrorInfo(error).code === 'slurm.unknown') return null;
  throw error;
}

const noWork = '0'.repeat(16);

const keyOf = ({ submission, task }: Pick<JobState, 'submission' | 'task'>): string => `${submission} ${task}`;

function tooMany(tasks: readonly (readonly number[])[], most: number): CopyscopeError {
  const points = tasks.flat().length;
  return new CopyscopeError({
    code: 'slurm.array-size',
    field: '--points-per-job',
    message: `An array of this cluster has at most ${most} jobs (MaxArraySize), and this one has ${tasks.length}.`,
    remedy: `Give each job several points: --points-per-job ${Math.ceil(points / most)}`,
  });
}
