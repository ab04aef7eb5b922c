/** The progress of a run as one line of stderr that is drawn over, where that is a terminal. */
import type { RunProgress } from '../../core/program/engine.ts';
import type { Terminal } from './io.ts';

const phases: Readonly<Record<RunProgress['phase'], string>> = {
  preparing: 'Preparing',
  'warming-up': 'Warming up',
  timing: 'Timing without recording',
  recording: 'Recording',
  verifying: 'Verifying',
};
const clearLine = '\r\u001b[K';

export interface ProgressLine {
  show(progress: RunProgress): void;
  clear(): void;
}

export function progressLine({ animated, err }: Terminal): ProgressLine {
  if (!animated) return { show: () => {}, clear: () => {} };
  return {
    show: ({ phase, done, total }) => err(`${clearLine}${phases[phase]} ${done}/${total}`),
    clear: () => err(clearLine),
  };
}
