/** Steps of a real program, what holds them, and the plan, for people. */
import type { RemedyAnswer, TraceAnswers } from '../../../core/lift/answers.ts';
import { partWords } from '../../../core/lift/parts.ts';
import { formatDuration, formatShare } from '../../../core/units.ts';
import type { Colors } from '../io.ts';
import { wrap } from './text.ts';

const leastShare = 0.005;
const mostRemedies = 5;

export function drawAnswers({ steps, plan, tried }: TraceAnswers, columns: number, colors: Colors): string[] {
  const { count, rule, medianNs, unprofiledNs, parts, caution } = steps;
  const step = `Step: ${duration(medianNs)} as recorded, ${duration(unprofiledNs)} without the profiler (median of ${count}; ${rule}).`;
  const held = parts.filter(({ share }) => share >= leastShare).sort((a, b) => b.ns - a.ns);
  const told = tried ?? null;
  return [
    ...wrap(step, columns, ''),
    'What holds the step:',
    ...held.map(
      ({ part, ns, share }) => `  ${formatShare(share).padStart(6)}  ${duration(ns).padStart(9)}  ${partWords[part]}`,
    ),
    '',
    ...(caution === null ? [] : [...wrap(caution, columns, ''), '']),
    ...(told === null ? [] : ['Tried:', ...remedyLines(told, columns, colors), '']),
    ...(plan.length === 0
      ? ['Copyscope tried changes; none makes the step shorter by 1 % or more.']
      : ['What to change, and what the step gains (simulated, 90 % interval):']),
    ...plan.slice(0, mostRemedies).flatMap((remedy) => remedyLines(remedy, columns, colors)),
  ];
}

function remedyLines(remedy: RemedyAnswer, columns: number, colors: Colors): string[] {
  const { changes, gainShare, lowShare, highShare, stepNs, lines, needs, needed, mayGainNothing } = remedy;
  const gain = `${percent(gainShare)} (${percent(lowShare)} to ${percent(highShare)}), to ${duration(stepNs)}`;
  const more = [
    ...(mayGainNothing ? ['It may gain nothing.'] : []),
    ...(needed.length === 0 ? [] : [`${needed.join(', ')}: gains nothing alone, but the others need it.`]),
    ...needs,
    ...lines.slice(0, 4).map((line) => `at ${line}`),
  ];
  return [
    `  ${colors.bold(changes.join(', '))}: ${gain}`,
    ...more.flatMap((text) => wrap(text, columns, '      ')).map((line) => colors.dim(line)),
  ];
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const duration = (ns: number): string => formatDuration(Math.max(0, ns));
