/** Assumptions for changes: from the trace's own copies if it has such, or else from a profile. */
import { median } from '../statistics.ts';
import { type CopyItem, copiesOf, type Script } from './script.ts';

export interface Assumptions {
  /** Returns time on the device, and in its call, of a copy between page-locked memory and the device. */
  readonly pinnedNs: (direction: 'h2d' | 'd2h', bytes: number) => number;
  readonly pinnedCallNs: number;
  /** Returns the framework's time for a copy on the host. */
  readonly hostCopyNs: (bytes: number) => number;
  /** Share of the time for joining tensors on the host that the program doesn't spend anyway. */
  readonly gatherPart: number;
  /** Time of an operator's kernel on the device, relative to its host time. */
  readonly movedPart: number;
  /** Framework's host time to issue an operator on the device. */
  readonly operatorNs: number;
  /** Share of a copy's bytes that remains if the device converts them. */
  readonly smallerPart: number;
  /** Share of a copy's bytes that remains if indices are copied instead of rows. */
  readonly indexPart: number;
  /** Number of processes that load at once. */
  readonly workers: number;
  /** Share of the host's issuing time that remains if nothing is allocated in between. */
  readonly warmPart: number;
  /** Share of the time of pinning in a step that remains if memory is page-locked once. */
  readonly refilledPart: number;
  /** Share of Python's own work that still holds up the program if another thread does it. */
  readonly lockedPart: number;
  /** Time in which the program's thread gets a batch from another process. */
  readonly handoverNs: number;
  /** Cost of launching a whole graph, and of each of its kernels on the device. */
  readonly graphLaunchNs: number;
}

/** Rates of the machine that made the trace. */
export interface KnownMachine {
  readonly pinnedNs: (direction: 'h2d' | 'd2h', bytes: number) => number;
  readonly pinnedCallNs: number;
  readonly hostBytesPerSecond: number;
  readonly graphLaunchNs: number;
  /** The measured device, if it isn't the trace's. */
  readonly standsIn?: string | undefined;
}

/** Smaller copies show latency rather than the link's rate. */
export const tellingBytes = 1 << 20;

export function assumptionsOf(script: Script, machine: KnownMachine): Assumptions {
  const copies = script.steps.flatMap(({ items }) => copiesOf(items)).filter(({ host }) => host !== 'pageable');
  const scale = { h2d: ownScale(copies, 'h2d', machine), d2h: ownScale(copies, 'd2h', machine) };
  return {
    pinnedNs: (direction, bytes) => scale[direction] * machine.pinnedNs(direction, bytes),
    pinnedCallNs: machine.pinnedCallNs,
    hostCopyNs: (bytes) => (bytes / machine.hostBytesPerSecond) * 1e9,
    gatherPart: 0.5,
    movedPart: 0.02,
    operatorNs: 12_000,
    smallerPart: 0.25,
    indexPart: 0.02,
    workers: 8,
    warmPart: 1,
    refilledPart: 0,
    lockedPart: 0,
    handoverNs: 300_000,
    graphLaunchNs: machine.graphLaunchNs,
  };
}

/** Returns whether the trace shows the rate of its link. */
export const showsLink = ({ steps }: Script): boolean =>
  steps.some(({ items }) => copiesOf(items).some(({ host, bytes }) => host !== 'pageable' && bytes >= tellingBytes));

/** Returns how much longer the trace's own page-locked copies took than the machine's. */
function ownScale(copies: readonly CopyItem[], direction: 'h2d' | 'd2h', { pinnedNs }: KnownMachine): number {
  const own = copies.filter((copy) => copy.direction === direction && copy.bytes >= tellingBytes);
  return own.length === 0 ? 1 : median(own.map(({ deviceNs, bytes }) => deviceNs / pinnedNs(direction, bytes)));
}
