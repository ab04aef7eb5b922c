/** What a trace does not tell, and a change needs: from the trace's own copies where it has such, or else from a profile. */
import { median } from '../statistics.ts';
import { type CopyItem, copiesOf, type Script } from './script.ts';

export interface Assumptions {
  /** Time on the device, and in its call, of a copy between page-locked memory and the device. */
  readonly pinnedNs: (direction: 'h2d' | 'd2h', bytes: number) => number;
  readonly pinnedCallNs: number;
  /** The framework copying on the host. */
  readonly hostCopyNs: (bytes: number) => number;
  /** Of joining tensors on the host, the part that the program does not do anyway. */
  readonly gatherPart: number;
  /** Of an operator's time on the host, the part that its kernel takes on the device. */
  readonly movedPart: number;
  /** What the framework takes on the host to issue an operator of the device. */
  readonly operatorNs: number;
  /** Of a copy's bytes, those that are left if it is converted on the device. */
  readonly smallerPart: number;
  /** Of a copy's bytes, those that are left if indices are copied in place of what they point to. */
  readonly indexPart: number;
  /** Processes that load at once. */
  readonly workers: number;
  /** Part of the host's time for issuing work that is left if nothing is allocated in between. */
  readonly warmPart: number;
  /** What the program's thread takes to get a batch from another process. */
  readonly handoverNs: number;
  /** A launch of a whole graph, and what each of its kernels adds on the device. */
  readonly graphLaunchNs: number;
}

/** What the machine behind the trace's own figures does. */
export interface KnownMachine {
  readonly pinnedNs: (direction: 'h2d' | 'd2h', bytes: number) => number;
  readonly pinnedCallNs: number;
  readonly hostBytesPerSecond: number;
  readonly graphLaunchNs: number;
  /** The device that was measured, if that is not the trace's. */
  readonly standsIn?: string | undefined;
}

/** Smaller copies tell latency, not the link's rate. */
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
    handoverNs: 300_000,
    graphLaunchNs: machine.graphLaunchNs,
  };
}

/** Whether the trace tells how fast its link is. */
export const showsLink = ({ steps }: Script): boolean =>
  steps.some(({ items }) => copiesOf(items).some(({ host, bytes }) => host !== 'pageable' && bytes >= tellingBytes));

/** How much longer the trace's own page-locked copies took than the machine's. */
function ownScale(copies: readonly CopyItem[], direction: 'h2d' | 'd2h', { pinnedNs }: KnownMachine): number {
  const own = copies.filter((copy) => copy.direction === direction && copy.bytes >= tellingBytes);
  return own.length === 0 ? 1 : median(own.map(({ deviceNs, bytes }) => deviceNs / pinnedNs(direction, bytes)));
}
