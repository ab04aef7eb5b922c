/**
 * What an engine does before each iteration to the tensors that multi-tensor copies bring something to
 * (native/src/copy/multi_copy.cpp): it overwrites them all, by a thread for each so many bytes. Those on a device it
 * overwrites by copies out of pageable memory, in which the threads wait for one another. Nothing of this is in a trace, but
 * meanwhile what the iteration before has left in the caches goes. Measured on an H200 machine with 16 cores by how much
 * longer 33 iterations took than 3: 34 ms for 64 tensors of 1 MB, 56 for 17 of 6 MB, 165 for 100 of 4 MB; of host memory 18 ms
 * for 17 of 6 MB, 50 for 100 of 4 MB; and nothing to speak of for 8 of 1 MB.
 */
import type { MultiCopyPlan, Program } from '../program/program.ts';
import { payloadOf } from './multiCopyPlan.ts';

const bytesPerThread = 2 ** 22;
const mostThreads = 16;
/** Of one thread by itself. */
const deviceBytesPerSecond = 8e9;
/** What each further thread adds to the time of all. */
const waitingPart = 0.18;
/** Of as many threads as there are. */
const hostBytesPerSecond = 7e9;

/** How long all of it takes. */
export const overwritingNs = ({ multiCopies }: Program): number =>
  multiCopies.reduce((sum, plan) => sum + targetsNs(plan), 0);

function targetsNs(plan: MultiCopyPlan): number {
  const { direction, sizes } = plan;
  const bytes = payloadOf(plan);
  if (direction === 'd2h' || direction === 'h2h') return (bytes / hostBytesPerSecond) * 1e9;
  const threads = Math.min(Math.max(1, Math.floor(bytes / bytesPerThread)), sizes.length, mostThreads);
  return (bytes / deviceBytesPerSecond) * (1 + waitingPart * (threads - 1)) * 1e9;
}
