/** A plan in words. */

import type { Remedy } from '../../core/lift/plan.ts';
import { changeTitles } from '../../core/lift/words.ts';
import type { ImportedFrom, RunInfo } from '../../core/trace/run.ts';
import { formatDuration, unbroken } from '../../core/units.ts';
import type { ShownSteps } from './messages.ts';
import type { Choice } from './planStore.ts';

/** Returns text such as "Pin memory once, copy without blocking". */
export const titleOf = (changes: Choice): string =>
  changes
    .map((word, index) => (index === 0 ? changeTitles[word] : changeTitles[word].replace(/^./, (a) => a.toLowerCase())))
    .join(', ');

export const nothingHelps = unbroken('Copyscope tried changes; none makes the step shorter by 2 % or more.');

export interface GainText {
  /** Time such as "13.1 ms, 9.8 to 20". */
  readonly time: string;
  /** Share such as "61 %, 46 to 94". */
  readonly share: string;
  readonly tone: 'good' | 'unsure' | 'loss';
}

/** Returns the gain of a remedy on a step of `stepNs`, with its 90 % interval. If negative, the step gets longer. */
export function gainText({ gainShare, lowShare, highShare }: Remedy, stepNs: number): GainText {
  const unit = unitOf(Math.max(Math.abs(gainShare), Math.abs(highShare)) * stepNs);
  const inUnit = (share: number): string => plain((share * stepNs) / unit.ns);
  const percent = (share: number): string => plain(100 * share);
  const tone = highShare <= 0 ? 'loss' : lowShare <= 0 ? 'unsure' : 'good';
  return {
    time: unbroken(`${inUnit(gainShare)} ${unit.name}, ${inUnit(lowShare)} to ${inUnit(highShare)}`),
    share: unbroken(`${percent(gainShare)} %, ${percent(lowShare)} to ${percent(highShare)}`),
    tone,
  };
}

const units = [
  { ns: 1e9, name: 's' },
  { ns: 1e6, name: 'ms' },
  { ns: 1e3, name: 'µs' },
] as const;
const unitOf = (ns: number) => units.find((unit) => ns >= unit.ns) ?? { ns: 1e3, name: 'µs' };

/** Formats with as many digits as are meaningful: 0.42, 9.8, 20. Uses a true minus sign. */
function plain(value: number): string {
  const size = Math.abs(value);
  const text = size >= 19.95 ? size.toFixed(0) : size >= 0.995 ? size.toFixed(1) : size.toFixed(2);
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return value < 0 && Number(short) !== 0 ? `−${short}` : short;
}

export function stepsText({ found, count, rule, isWhole }: ShownSteps): string {
  if (isWhole) return 'No steps were found: the whole trace counts as one.';
  const some = found > count ? `; ${count} of them are worked out` : '';
  return `${found} ${found === 1 ? 'step' : 'steps'}, ${rule}${some}`;
}

/** Formats a signed share of the step: '−39 %'. */
export const percentText = (share: number): string => unbroken(`${plain(100 * share)} %`);

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

export const durationText = (ns: number): string => unbroken(formatDuration(Math.max(0, ns)));

/** Returns nanoseconds for typed milliseconds, null for empty text, or the problem if it is no duration. */
export function typedStep(text: string): { readonly ns: number | null } | { readonly problem: string } {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return { ns: null };
  const ms = Number(trimmed);
  if (!(Number.isFinite(ms) && ms > 0))
    return { problem: `stepMs: “${text}” is no time above 0. Type milliseconds, as 12.5.` };
  return { ns: ms * 1e6 };
}
