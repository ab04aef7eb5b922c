/** Results that wait on another machine, for a run whose line did not come back in time, or whose window was closed. */
import { keeperOf } from './keeperCalls.ts';
import type { MachineOptions } from './machineChild.ts';
import type { Job } from './protocol.ts';

export interface Fetched {
  readonly jobs: readonly Job[];
  /** How many go on. */
  readonly running: number;
}

/** Hands each to `take`, and deletes it there once that has resolved. */
export async function fetchJobs(
  options: MachineOptions,
  take: (job: Job, file: Uint8Array) => Promise<void>,
): Promise<Fetched> {
  const keeper = keeperOf(options);
  try {
    const jobs = await keeper.call('jobs');
    const done = jobs.filter(({ status }) => status === 'done');
    for (const job of done) {
      // A copy: what the line brought is a window on a longer message.
      await take(job, new Uint8Array(await keeper.call('job', job.id)));
      await keeper.call('dropJob', job.id);
    }
    return { jobs: done, running: jobs.length - done.length };
  } finally {
    keeper.close();
  }
}
