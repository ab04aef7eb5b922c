/** What a machine's costs say of things that a trace of one program may not show. */
import type { CostModel } from '../machine/costModel.ts';
import type { KnownMachine } from './assumptions.ts';

/** PyTorch copies on the host, as for pin_memory() and stack(), with several threads; how many differs by machine. */
const hostThreads = 4;

/** `device` is the trace's. */
export function knownMachine(costs: CostModel, device?: string): KnownMachine {
  const { device: measured } = costs.facts;
  return {
    standsIn: measured === device ? undefined : measured,
    pinnedNs: (direction, bytes) => {
      const ends = direction === 'h2d' ? { src: 'pinned', dst: 'device' } : { src: 'device', dst: 'pinned' };
      return (
        costs.copy(bytes, { ...(ends as { src: 'pinned'; dst: 'device' }), from: -1, to: -1 }, false)?.deviceNs ?? 0
      );
    },
    pinnedCallNs: costs.callNs('cudaMemcpyAsync'),
    hostBytesPerSecond: costs.hostCopyRate(hostThreads),
    graphLaunchNs: costs.graphNs('cudaGraphLaunch', 0),
  };
}
