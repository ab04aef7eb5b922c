/** Progress as one line of stderr that is redrawn, if stderr is a terminal. */
import type { RunProgress } from '../../core/program/engine.ts';
import type { Terminal } from './io.ts';

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

/** Returns a progress line for plain text. */
export function statusLine({ animated, status }: Terminal) {
  if (!animated) return { show: () => {}, clear: () => {} };
  return {
    show: status,
    clear: () => status(''),
  };
}

const barCells = 30;

/** Returns a bar for a share from 0 to 1: '[#######·······] 50 %'. */
export function bar(share: number): string {
  const done = Math.min(1, Math.max(0, share));
  const cells = Math.floor(done * barCells);
  return `[${'#'.repeat(cells)}${'·'.repeat(barCells - cells)}] ${String(Math.floor(100 * done)).padStart(3)} %`;
}
