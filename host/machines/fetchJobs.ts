/** Results that wait on another machine, for a run whose line did not come back in time, or whose window was closed. */
import { keeperClient } from './keeperClient.ts';
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
  const { rpc, child } = keeperClient(options);
  try {
    const jobs = await rpc.$call('jobs');
    const done = jobs.filter(({ status }) => status === 'done');
    for (const job of done) {
      // A copy: what the line brought is a window on a longer message.
      await take(job, new Uint8Array(await rpc.$call('job', job.id)));
      await rpc.$call('dropJob', job.id);
    }
    return { jobs: done, running: jobs.length - done.length };
  } finally {
    child.kill();
  }
}
