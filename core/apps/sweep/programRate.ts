/** Rate of one copy that runs alone, as the program sees it: bytes over the simulated time from call to arrival. */

import { experimentFormat, experimentVersion } from '../../experiment/experiment.ts';
import { requireExperiment } from '../../experiment/parse.ts';
import { deliveredRate } from '../../explain/figures/copyBandwidth.ts';
import { profileCosts } from '../../machine/cost/profileCosts.ts';
import type { DeviceProfile } from '../../machine/profile/profile.ts';
import { simulate } from '../../machine/simulate.ts';
import { lowerToSimulate } from '../../program/lower.ts';
import { iterationOf } from '../../trace/iteration.ts';

type HostMemory = 'pinned' | 'pageable';

/** Returns null if nothing was moved. */
export function programRate(
  profile: DeviceProfile,
  direction: 'h2d' | 'd2h',
  memory: HostMemory,
  bytes: number,
): number | null {
  const { trace } = simulate(lowerToSimulate(oneCopy(direction, memory, bytes)), profileCosts(profile));
  return deliveredRate(iterationOf(trace, 0), direction);
}

const oneCopy = (direction: 'h2d' | 'd2h', memory: HostMemory, bytes: number) =>
  requireExperiment({
    format: experimentFormat,
    version: experimentVersion,
    name: 'one copy',
    buffers: [
      { id: 'host', memory, bytes },
      { id: 'gpu', memory: 'device', bytes },
    ],
    threads: [
      {
        id: 'main',
        operations: [
          { op: 'copy', ...(direction === 'h2d' ? { src: 'host', dst: 'gpu' } : { src: 'gpu', dst: 'host' }) },
          { op: 'synchronizeDevice' },
        ],
      },
    ],
  });
