/** Steps in words, and a typed step time. */

import type { ImportedFrom, RunInfo } from '../../core/trace/run.ts';
import type { ShownSteps } from './messages.ts';

export function stepsText({ found, count, rule, isWhole }: ShownSteps): string {
  if (isWhole) return 'No steps were found: the whole trace counts as one.';
  const some = found > count ? `; ${count} of them are worked out` : '';
  return `${found} ${found === 1 ? 'step' : 'steps'}, ${rule}${some}`;
}

interface Marking {
  readonly text: string;
  readonly code: string;
}

const nvtxRange = 'with torch.cuda.nvtx.range("step"):\n    ...  # one step of the program';
const markings: Readonly<Record<ImportedFrom['format'], Marking>> = {
  'pytorch-profiler': {
    text: 'Mark each step and record again: call prof.step() at the end of each, or put its body into this range.',
    code: 'with torch.profiler.record_function("step"):\n    ...  # one step of the program',
  },
  'nsight-systems': {
    text: 'Mark each step with a range of NVTX, and record again with --trace=cuda,nvtx,osrt.',
    code: nvtxRange,
  },
  'copyscope-record': { text: 'Mark each step with a range of NVTX, and record again.', code: nvtxRange },
};

/** Returns how to mark steps in a trace without steps, by its recorder. */
export const markSteps = ({ imported }: Pick<RunInfo, 'imported'>): Marking =>
  markings[imported?.format ?? 'pytorch-profiler'];

/** Returns nanoseconds for typed milliseconds, null for empty text, or the problem if it is no duration. */
export function typedStep(text: string): { readonly ns: number | null } | { readonly problem: string } {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return { ns: null };
  const ms = Number(trimmed);
  if (!(Number.isFinite(ms) && ms > 0))
    return { problem: `stepMs: “${text}” is no time above 0. Type milliseconds, as 12.5.` };
  return { ns: ms * 1e6 };
}
