/** What is under way as one line of stderr that is drawn over, where that is a terminal. */
import type { RunProgress } from '../../core/program/engine.ts';
import type { Terminal } from './io.ts';
import { clearLine } from './legible.ts';

const phases: Readonly<Record<RunProgress['phase'], string>> = {
  preparing: 'Preparing',
  'warming-up': 'Warming up',
  timing: 'Timing without recording',
  recording: 'Recording',
  verifying: 'Verifying',
};

export interface ProgressLine {
  show(progress: RunProgress): void;
  clear(): void;
}

export function progressLine(terminal: Terminal): ProgressLine {
  const { show, clear } = statusLine(terminal);
  return { show: ({ phase, done, total }) => show(`${phases[phase]} ${done}/${total}`), clear };
}

/** The same for what is said in words. */
export function statusLine({ animated, err }: Terminal) {
  if (!animated) return { show: () => {}, clear: () => {} };
  return {
    show: (text: string) => err(`${clearLine}${text}`),
    clear: () => err(clearLine),
  };
}
