/** Filters and sorts the items of the library. */
import type { EngineKind } from '../../core/program/engineKind.ts';
import { type ExperimentSummary, type RunSummary, recordedPrefix, runTitle } from '../../core/service/service.ts';
import type { RunOrigin } from '../../core/trace/run.ts';

export const sortings = ['newest', 'oldest', 'name', 'shortest', 'longest'] as const;
export type Sorting = (typeof sortings)[number];

export const ages = ['any', 'day', 'week', 'month'] as const;
export type Age = (typeof ages)[number];

const dayMs = 24 * 60 * 60 * 1000;
const daysOf: Readonly<Record<Age, number>> = { any: Number.POSITIVE_INFINITY, day: 1, week: 7, month: 30 };

/** An empty list, or null, lets everything through. */
export interface LibraryFilter {
  /** Words that must all occur, in any order and case. */
  readonly text: string;
  readonly origins: readonly RunOrigin[];
  readonly engines: readonly EngineKind[];
  readonly statuses: readonly RunSummary['status'][];
  readonly device: string | null;
  readonly age: Age;
  readonly sorting: Sorting;
}

export const noFilter: LibraryFilter = {
  text: '',
  origins: [],
  engines: [],
  statuses: [],
  device: null,
  age: 'any',
  sorting: 'newest',
};

/** Returns the number of set conditions other than the text. */
export const conditions = ({ origins, engines, statuses, device, age }: LibraryFilter): number =>
  [origins.length > 0, engines.length > 0, statuses.length > 0, device !== null, age !== 'any'].filter(Boolean).length;

/** Returns true if only runs can pass: experiments and examples have neither origin nor engine. */
export const isOfRuns = ({ origins, engines, statuses, device }: LibraryFilter): boolean =>
  origins.length > 0 || engines.length > 0 || statuses.length > 0 || device !== null;

const words = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Returns true if every word of `text` is in one of the given texts. */
export function matchesText(text: string, ...texts: readonly string[]): boolean {
  const searched = texts.join('\n').toLowerCase();
  return words(text).every((word) => searched.includes(word));
}

/** Returns true for runs recorded for a lesson. The lesson shows them and explains their purpose. */
export const isOfLesson = ({ id, builtIn }: RunSummary): boolean =>
  builtIn && id.startsWith(`${recordedPrefix}lessons/`);

export function filterRuns(runs: readonly RunSummary[], filter: LibraryFilter, now: Date): RunSummary[] {
  const among = <Value>(chosen: readonly Value[], value: Value | null): boolean =>
    chosen.length === 0 || (value !== null && chosen.includes(value));
  const found = runs.filter(
    (run) =>
      !isOfLesson(run) &&
      matchesText(filter.text, runTitle(run), run.name, run.device, run.origin, run.engine ?? '', run.status) &&
      among(filter.origins, run.origin) &&
      among(filter.engines, run.engine) &&
      among(filter.statuses, run.status) &&
      (filter.device === null || run.device === filter.device) &&
      isWithin(run.createdAt, filter.age, now),
  );
  return found.sort(byOf(filter.sorting));
}

export function filterExperiments(
  experiments: readonly ExperimentSummary[],
  { text, age, sorting }: LibraryFilter,
  now: Date,
): ExperimentSummary[] {
  const found = experiments.filter(({ name, modifiedAt }) => matchesText(text, name) && isWithin(modifiedAt, age, now));
  const byTime = (a: ExperimentSummary, b: ExperimentSummary): number => a.modifiedAt.localeCompare(b.modifiedAt);
  if (sorting === 'oldest') return found.sort(byTime);
  return found.sort(sorting === 'newest' ? (a, b) => byTime(b, a) : (a, b) => byName(a.name, b.name));
}

function isWithin(moment: string, age: Age, now: Date): boolean {
  return age === 'any' || now.getTime() - new Date(moment).getTime() <= daysOf[age] * dayMs;
}

const byName = (a: string, b: string): number => a.localeCompare(b, undefined, { numeric: true });

type Compare = (a: RunSummary, b: RunSummary) => number;

function byOf(sorting: Sorting): Compare {
  const newest: Compare = (a, b) => b.createdAt.localeCompare(a.createdAt);
  // Runs without a makespan come last in either order.
  const spans = (a: RunSummary, b: RunSummary, sign: number): number => {
    if (a.makespanNs === null || b.makespanNs === null)
      return Number(a.makespanNs === null) - Number(b.makespanNs === null);
    return sign * (a.makespanNs - b.makespanNs);
  };
  switch (sorting) {
    case 'newest':
      return newest;
    case 'oldest':
      return (a, b) => newest(b, a);
    case 'name':
      return (a, b) => byName(a.title ?? a.name, b.title ?? b.name) || newest(a, b);
    case 'shortest':
      return (a, b) => spans(a, b, 1) || newest(a, b);
    case 'longest':
      return (a, b) => spans(a, b, -1) || newest(a, b);
  }
}
