/** Steps of a real program, where their time goes, and the plan, as text. */

import { readableName } from '../../../core/explain/figures/kernelName.ts';
import type { RemedyAnswer, TraceAnswers } from '../../../core/lift/answers.ts';
import { type NamedTime, partWords } from '../../../core/lift/parts.ts';
import { formatDuration, formatShare } from '../../../core/units.ts';
import type { Colors } from '../io.ts';
import { table, wrap } from './text.ts';

const leastShare = 0.005;
const mostAlternatives = 5;

export function drawAnswers(answers: TraceAnswers, columns: number, colors: Colors): string[] {
  const { answer, steps, plan, ladder, tried } = answers;
  const { count, rule, medianNs, unprofiledNs, parts, initialisation, caution } = steps;
  const step = `Step: ${duration(medianNs)} as recorded, ${duration(unprofiledNs)} without the profiler (median of ${count}; ${rule}).`;
  const held = parts.filter(({ share }) => share >= leastShare).sort((a, b) => b.ns - a.ns);
  const told = tried ?? null;
  const [recommended, ...alternatives] = plan;
  return [
    ...wrap(answer, columns, '').map((line) => colors.bold(line)),
    '',
    ...drawRanks(answers, columns),
    ...wrap(step, columns, ''),
    'Step time by part:',
    ...held.flatMap(({ part, ns, share, names }) => [
      `  ${formatShare(share).padStart(6)}  ${duration(ns).padStart(9)}  ${partWords[part]}`,
      ...(names.length === 0 ? [] : wrap(namesText(names), columns, namesIndent).map((line) => colors.dim(line))),
    ]),
    ...(initialisation.ns === 0
      ? []
      : wrap(
          `Initialisation took ${duration(initialisation.ns)} (${namesText(initialisation.names)}); no step holds it.`,
          columns,
          '',
        )),
    '',
    ...(caution === null ? [] : [...wrap(caution, columns, ''), '']),
    ...(told === null ? [] : ['Tried:', ...remedyLines(told, columns, colors), '']),
    ...(recommended === undefined
      ? ['Copyscope tried changes; none makes the step shorter by 2 % or more.']
      : ['Suggested changes with their gain (simulated, 90 % interval):']),
    ...(ladder.length < 2 ? [] : ladder).map(
      ({ adds, stepNs, addsShare }, index) =>
        `  ${index + 1}. ${adds.join(', ')}: ${percent(addsShare)}, to ${duration(stepNs)}`,
    ),
    ...(recommended === undefined ? [] : remedyLines(recommended, columns, colors)),
    ...(alternatives.length === 0 ? [] : ['Alternatives:']),
    ...alternatives.slice(0, mostAlternatives).map((remedy) => colors.dim(shortLine(remedy))),
  ];
}

function drawRanks({ ranks = [], slowest }: TraceAnswers, columns: number): string[] {
  if (ranks.length === 0) return [];
  const largest = ranks.map(({ parts }) => [...parts].sort((a, b) => b.ns - a.ns)[0]);
  const known = (ns: number | null): string => (ns === null ? 'unknown' : duration(ns));
  const rows = ranks.map(({ rank, stepNs, exposedCopyNs, communicationNs, waitNs, awaitedShare }, place) => [
    `${rank}${rank === slowest ? ' *' : ''}`,
    known(stepNs),
    largest[place]?.part ?? '',
    duration(exposedCopyNs),
    duration(communicationNs),
    known(waitNs),
    percent(awaitedShare),
  ]);
  const isAwaited = ranks.some(({ awaitedShare }) => awaitedShare > 0);
  const why = isAwaited ? 'the rank that the others wait for most' : 'the rank with the longest step';
  return [
    ...table([
      ['Rank', 'step', 'most of it', 'exposed copies', 'communication', 'wait for others', 'others wait for it'],
      ...rows,
    ]),
    ...wrap(`* ${why}. The following is about rank ${slowest}.`, columns, ''),
    '',
  ];
}
const mostLetters = 60;

/** Indent below the text of the part. */
const namesIndent = ' '.repeat(21);

const namesText = (names: readonly NamedTime[]): string =>
  names.map(({ name, ns }) => `${readableName(name).slice(0, mostLetters)} ${duration(ns)}`).join(', ');

const gainOf = ({ gainShare, lowShare, highShare, stepNs }: RemedyAnswer): string =>
  `${percent(gainShare)} (${percent(lowShare)} to ${percent(highShare)}), to ${duration(stepNs)}`;

const shortLine = (remedy: RemedyAnswer): string =>
  `  ${remedy.changes.join(', ')}: ${gainOf(remedy)}${remedy.mayGainNothing ? '; it may gain nothing' : ''}`;

function remedyLines(remedy: RemedyAnswer, columns: number, colors: Colors): string[] {
  const { changes, lines, needs, needed, mayGainNothing } = remedy;
  const more = [
    ...(mayGainNothing ? ['It may gain nothing.'] : []),
    ...(needed.length === 0 ? [] : [`${needed.join(', ')}: gains nothing alone, but the others need it.`]),
    ...needs,
    ...lines.slice(0, 4).map((line) => `at ${line}`),
  ];
  return [
    `  ${colors.bold(changes.join(', '))}: ${gainOf(remedy)}`,
    ...more.flatMap((text) => wrap(text, columns, '      ')).map((line) => colors.dim(line)),
  ];
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const duration = (ns: number): string => formatDuration(Math.max(0, ns));
