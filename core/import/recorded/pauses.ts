/** When a recording paused: between the spans of steps that were asked for. */
import type { Pause } from '../../trace/trace.ts';
import type { RecordedProcess } from './recordedProcess.ts';

/** Of the process that paused most often: what others recorded meanwhile is no step of its. From `startNs` on. */
export function pausesOf(processes: readonly RecordedProcess[], startNs: number): readonly Pause[] {
  const all = processes.map(({ windows }) =>
    windows.flatMap(({ ns, begins }, index) => {
      const next = windows[index + 1];
      const isPause = !begins && next?.begins === true && next.ns > ns && ns > startNs;
      return isPause ? [{ fromNs: ns - startNs, toNs: next.ns - startNs }] : [];
    }),
  );
  return all.sort((a, b) => b.length - a.length)[0] ?? [];
}
