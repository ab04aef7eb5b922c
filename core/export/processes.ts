/**
 * Places a run's lanes in a viewer that has processes and threads. Threads of an imported trace keep their program's
 * numbers; those of an experiment get new ones. A GPU is a process.
 */
import type { Run } from '../trace/run.ts';
import type { Lane, LaneIndex } from '../trace/trace.ts';

export interface Place {
  /** Process id in the viewer; an imported trace may have text here. */
  readonly process: string;
  readonly thread: string;
  readonly processName: string;
  readonly isHost: boolean;
  /** Number of the device; -1 on the host. */
  readonly device: number;
}

/** Process id for an experiment's host threads, higher than any GPU's. */
const ownProcess = 1000;

/** Returns a place for each lane. */
export function placesOf({ trace: { lanes }, info }: Run): Place[] {
  const devices = [...new Set(lanes.flatMap(({ device }) => (device === '' ? [] : [device])))];
  const imported = info.imported !== undefined;
  const streams = new Map<string, number>();
  return lanes.map((lane, index): Place => {
    if (lane.kind === 'host-thread') return hostPlace(lane, index, imported);
    const { rank, device } = deviceNumber(lane.device, devices, imported);
    const next = streams.get(lane.device) ?? 0;
    streams.set(lane.device, next + 1);
    const written = imported && lane.kind === 'stream' ? /:(\d+)$/.exec(lane.id)?.[1] : undefined;
    return {
      process: `${rank}${device}`,
      thread: written ?? String(lane.kind === 'stream' && !imported ? next : index + engineThreads),
      processName: `GPU ${lane.device}`,
      isHost: false,
      device,
    };
  });
}

/** Engines come after all streams: CUPTI's stream numbers are small. */
const engineThreads = 1_000_000;

function hostPlace(lane: Lane, index: LaneIndex, imported: boolean): Place {
  const [, process, thread] = (imported ? /^thread:([^:]*):(.*)$/s.exec(lane.id) : null) ?? [];
  if (process !== undefined && thread !== undefined) {
    return { process, thread, processName: `Process ${process}`, isHost: true, device: -1 };
  }
  return {
    process: String(ownProcess),
    thread: String(ownProcess + index),
    processName: 'Host',
    isHost: true,
    device: -1,
  };
}

/** In a merged trace the device '[TP00]gpu0' is '[TP00] 0' in its file. */
function deviceNumber(device: string, devices: readonly string[], imported: boolean) {
  const [, rank = '', written] = (imported ? /^(\S*)gpu(\d+)$/.exec(device) : null) ?? [];
  return {
    rank: rank === '' ? '' : `${rank} `,
    device: written === undefined ? devices.indexOf(device) : Number(written),
  };
}
