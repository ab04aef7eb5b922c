/** Clusters: what jobs read and leave on a disk that others write to as well, and what Slurm's programs print. */
import { mostPoints } from '../../../core/sweep/document.ts';
import { accountedJobs, queuedJobs } from '../../../host/slurm/jobs.ts';
import { clusterFiles } from '../../unit/support/readers.ts';
import { taken, Wrong } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { mutatedJson, mutatedLetters } from '../mutateText.ts';

const id = '0123456789abcdef';
const queued = [
  `copyscope-${id}-0|4711|0|RUNNING|node[01-02]|None`,
  `copyscope-${id}-0|4711|1-3,7|CANCELLED||None`,
  `copyscope-${id}-1|4712|[4-9%2]|PENDING||Resources`,
  'another job|1|0|RUNNING|node01|None',
].join('\n');
const accounted = [
  `copyscope-${id}-0|4711_0|TIMEOUT|node01|0:0`,
  `copyscope-${id}-0|4711_[1-3,7%2]|CANCELLED by 1000|None assigned|0:0`,
  `copyscope-${id}-1|4712_4|FAILED|node01|1:0`,
].join('\n');

const files: Kind = {
  make: (random) => {
    const { document, read } = random.pick(Object.values(clusterFiles));
    const input = mutatedJson(document, random);
    return { input, run: async () => (await taken(() => [read(input)])) !== null };
  },
};

/** What is no line of a job of ours is passed over; what is one has a number that an array can have. */
const listings: Kind = {
  make: (random) => {
    const isQueue = random.chance(0.5);
    let printed = isQueue ? queued : accounted;
    for (let count = 1 + random.below(6); count > 0; count -= 1) printed = mutatedLetters(printed, random);
    const programs = { run: async () => printed };
    const run = async (): Promise<boolean> => {
      const jobs = isQueue ? await queuedJobs(programs, id, 2) : await accountedJobs(programs, id, 2, new Date(0));
      for (const { task, submission, state, node, reason } of jobs) {
        const isNumber = Number.isInteger(task) && task >= 0 && task < mostPoints && Number.isInteger(submission);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey must not be in it.
        if (!isNumber || /[\u0000-\u001f\u007f-\u009f]/.test(state + node + reason))
          throw new Wrong(`a job of ${printed}`);
      }
      return jobs.length > 0;
    };
    return { input: printed, run };
  },
};

export const slurmKinds: Readonly<Record<string, Kind>> = { 'cluster files': files, 'cluster listings': listings };
