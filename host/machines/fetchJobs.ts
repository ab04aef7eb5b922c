/** Results that wait on another machine, for a run whose line did not come back in time, or whose window was closed. */
import { createBirpc } from 'birpc';
import { withError } from '../../core/service/errorEnvelope.ts';
import { type MachineOptions, machineChild } from './machineChild.ts';
import type { Job, KeeperFunctions } from './protocol.ts';

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
  const child = machineChild(options);
  const rpc = createBirpc<KeeperFunctions, object, false>(
    {},
    {
      proxify: false,
      post: (message: unknown) => child.post(message),
      on: (receive) => child.onMessage((message) => void receive(message as never)),
      deserialize: withError,
      timeout: -1,
    },
  );
  child.onExit(({ reason }) => rpc.$close(reason));
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
