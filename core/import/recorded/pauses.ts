/** When a recording paused: between the spans of steps that were asked for. */
import { mostPauses, type Pause } from '../../trace/trace.ts';
import type { RecordedProcess } from './recordedProcess.ts';

/** Of the process that paused most often: what others recorded meanwhile is no step of its. From `startNs` on. */
export function pausesOf(processes: readonly RecordedProcess[], startNs: number): readonly Pause[] {
  const all = processes.map((process) => pausesOfOne(process, startNs));
  return all.sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Those that follow one another: in a damaged file times may go back. */
function pausesOfOne({ windows }: RecordedProcess, startNs: number): readonly Pause[] {
  const pauses: Pause[] = [];
  let endNs = 0;
  for (const [index, { ns, begins }] of windows.entries()) {
    const next = windows[index + 1];
    const [fromNs, toNs] = [ns - startNs, (next?.ns ?? 0) - startNs];
    if (begins || next?.begins !== true || fromNs <= endNs || toNs <= fromNs || pauses.length === mostPauses) continue;
    pauses.push({ fromNs, toNs });
    endNs = toNs;
  }
  return pauses;
}
