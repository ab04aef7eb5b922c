/** The plan of a real program as blocks: the answer, the step, and suggested changes with their gains. */
import { readableName } from '../explain/figures/kernelName.ts';
import type { RemedyAnswer, StepsAnswer, TraceAnswers } from '../lift/answers.ts';
import type { ChangeWord } from '../lift/changes/words.ts';
import type { NamedTime } from '../lift/parts.ts';
import type { Remedy } from '../lift/plan.ts';
import type { RanksAnswer } from '../lift/ranks.ts';
import { changeTitles } from '../lift/words.ts';
import { formatDuration, formatShare, unbroken } from '../units.ts';
import { type Block, columns, type Item, type TableBlock, type Tone, text } from './blocks.ts';

/** Returns text such as "Pin memory once, copy without blocking". */
export const titleOf = (changes: readonly ChangeWord[]): string =>
  changes
    .map((word, index) => (index === 0 ? changeTitles[word] : changeTitles[word].replace(/^./, (a) => a.toLowerCase())))
    .join(', ');

export const nothingHelps = 'Copyscope tried changes; none makes the step shorter by 2 % or more.';

export interface GainText {
  /** Time such as "13.1 ms, 9.8 to 20". */
  readonly time: string;
  /** Share such as "61 %, 46 to 94". */
  readonly share: string;
  readonly tone: Tone;
}

/** Returns the gain of a remedy on a step of `stepNs`, with its 90 % interval. If negative, the step gets longer. */
export function gainText({ gainShare, lowShare, highShare }: Remedy, stepNs: number): GainText {
  const unit = unitOf(Math.max(Math.abs(gainShare), Math.abs(highShare)) * stepNs);
  const inUnit = (share: number): string => plain((share * stepNs) / unit.ns);
  const percent = (share: number): string => plain(100 * share);
  const tone = highShare <= 0 ? 'bad' : lowShare <= 0 ? 'warn' : 'good';
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

/** Formats a signed share of the step: '−39 %'. */
export const percentText = (share: number): string => unbroken(`${plain(100 * share)} %`);

export const durationText = (ns: number): string => unbroken(formatDuration(Math.max(0, ns)));

/** Returns the whole plan, from its answer to the alternatives. */
export const planBlocks = (answers: TraceAnswers): Block[] => [
  ...answerBlocks(answers),
  ...stepTimeBlocks(answers.steps),
  ...changeBlocks(answers),
];

/** Returns the answer in a sentence, and the ranks of a job. */
export const answerBlocks = ({
  answer,
  ranks,
  slowest,
}: Pick<TraceAnswers, 'answer' | 'ranks' | 'slowest'>): Block[] => [
  ...text(answer, 'answer'),
  ...(ranks === undefined || slowest === undefined ? [] : rankBlocks({ ranks, slowest })),
];

/** Says why the rank of the steps and the plan was picked. */
export function slowestText({ ranks, slowest }: RanksAnswer): string {
  const isAwaited = ranks.some(({ awaitedShare }) => awaitedShare > 0);
  const why = isAwaited ? `The others wait most for rank ${slowest}` : `Rank ${slowest} has the longest step`;
  return `${why}: step and plan are of that rank.`;
}

const rankBlocks = (answer: RanksAnswer): Block[] => [...text(slowestText(answer)), ranksTable(answer)];

export function ranksTable({ ranks, slowest }: RanksAnswer): TableBlock {
  const known = (ns: number | null): string => (ns === null ? 'unknown' : durationText(ns));
  return {
    kind: 'table',
    title: 'Ranks',
    columns: [
      ...columns('Rank', 'Step', 'Most of it', 'Exposed copies'),
      { title: 'Communication', meaning: 'Without the wait.' },
      { title: 'Wait', meaning: 'From its own start of a collective to the latest start.' },
      { title: 'Others wait for it', meaning: 'Its share of what all ranks waited.' },
    ],
    rows: ranks.map(({ rank, stepNs, parts, exposedCopyNs, communicationNs, waitNs, awaitedShare }) => {
      const [largest] = [...parts].sort((a, b) => b.ns - a.ns);
      const times = [durationText(exposedCopyNs), durationText(communicationNs), known(waitNs)];
      return {
        cells: [String(rank), known(stepNs), largest?.title ?? '', ...times, formatShare(awaitedShare)],
        isChosen: rank === slowest,
      };
    }),
  };
}

/** Returns the duration of a step, and where its time goes. */
export function stepTimeBlocks(steps: StepsAnswer): Block[] {
  const { count, rule, medianNs, unprofiledNs, initialisation, caution } = steps;
  const [recorded, plain] = [durationText(medianNs), durationText(unprofiledNs)];
  const first = `Initialisation took ${durationText(initialisation.ns)} (${namesText(initialisation)}); it is in no step.`;
  return [
    ...text(
      `A step takes ${recorded} as recorded and ${plain} without the profiler, which is predicted (median of ${count}; ${rule}).`,
    ),
    partsTable(steps),
    ...text(initialisation.ns === 0 ? '' : first),
    ...text(caution, undefined, 'warn'),
  ];
}

/** Smaller parts are left out. */
const leastShare = 0.005;

export function partsTable({ parts }: Pick<StepsAnswer, 'parts'>): TableBlock {
  const shown = parts.filter(({ share }) => share >= leastShare).sort((a, b) => b.ns - a.ns);
  return {
    kind: 'table',
    title: 'Where the step time goes',
    columns: [...columns('Share', 'Time'), { title: 'Part', isName: true }],
    rows: shown.map((part) => ({
      cells: [formatShare(part.share), durationText(part.ns), part.title],
      share: part.share,
      detail: namesText(part),
    })),
  };
}

const mostLetters = 60;
/** Contributions with a smaller share of their part say nothing about it. */
const leastNamedShare = 0.01;

function namesText({ ns, names }: { readonly ns: number; readonly names: readonly NamedTime[] }): string {
  const named = names.filter((one) => one.ns >= leastNamedShare * ns);
  return named.map((one) => `${readableName(one.name).slice(0, mostLetters)} ${durationText(one.ns)}`).join(', ');
}

type Changes = Pick<TraceAnswers, 'steps' | 'plan' | 'planSteps'> & { readonly tried?: RemedyAnswer | null };

/** Returns the tried change, the recommended changes in their order, and the alternatives. */
export function changeBlocks({ steps: { unprofiledNs }, plan, planSteps, tried = null }: Changes): Block[] {
  const item = (remedy: RemedyAnswer): Item => remedyItem(remedy, unprofiledNs);
  const [recommended, ...others] = plan;
  const order: TableBlock = {
    kind: 'table',
    title: 'Recommended order of changes',
    columns: columns('Change', 'Named', 'Gains', 'Step after it'),
    rows: planSteps.map(({ adds, addsShare, stepNs }) => ({
      cells: [titleOf(adds), adds.join(', '), percentText(addsShare), durationText(stepNs)],
    })),
  };
  return [
    ...(tried === null ? [] : [{ kind: 'items', title: 'Tried', items: [item(tried)] } as const]),
    ...(recommended === undefined
      ? text(nothingHelps)
      : ([
          ...(planSteps.length < 2 ? [] : [order]),
          ...text('Gains of a step: simulated, with a 90 % interval.'),
          { kind: 'items', title: 'Remedies', items: [item(recommended)] },
          { kind: 'items', title: 'Alternatives', items: others.map(item), isFolded: true },
        ] as const)),
  ];
}

const mostLines = 4;

/** Returns a remedy with its gain on a step of `stepNs`, its conditions, and the code to write. */
export function remedyItem(remedy: RemedyAnswer, stepNs: number): Item {
  const { changes, code, needed, needs, lines, mayGainNothing } = remedy;
  const { time, share, tone } = gainText(remedy, stepNs);
  return {
    title: titleOf(changes),
    word: changes.join(', '),
    figure: { text: `${time} (${share}), to ${durationText(remedy.stepNs)}`, tone },
    texts: [
      ...(mayGainNothing ? ['Its interval reaches zero: it may gain nothing.'] : []),
      ...needs,
      ...(needed.length === 0 ? [] : [`${titleOf(needed)}: no gain alone, but needed by the other changes.`]),
      ...(lines.length === 0 ? [] : [`At ${lines.slice(0, mostLines).join(', ')}`]),
    ],
    code: changes.map((word, at) => `# ${changeTitles[word]}\n${code[at] ?? ''}`).join('\n'),
  };
}
