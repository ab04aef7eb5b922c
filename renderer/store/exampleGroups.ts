/** Examples by folder. */
import { groupBy } from '../../core/groupBy.ts';
import type { ExampleSummary } from '../../core/service/service.ts';

export interface ExampleGroup {
  readonly title: string;
  readonly examples: readonly ExampleSummary[];
}

const titles: Readonly<Record<string, string>> = {
  overlap: 'Overlap: four cases',
  pipelines: 'Pipelines',
};

/** Cases from least to most overlap, so that the list reads as an argument. */
const caseOrder = ['pageable-same-stream', 'pinned-same-stream', 'pageable-side-stream', 'pinned-side-stream'];

export function exampleGroups(examples: readonly ExampleSummary[]): ExampleGroup[] {
  // Examples of lessons are opened with their lesson, which explains them.
  const others = examples.filter(({ id }) => !id.startsWith('lessons/'));
  const folders = groupBy(others, ({ id }) => (id.includes('/') ? id.slice(0, id.indexOf('/')) : ''));
  return [...folders].map(([folder, found]) => ({ title: titles[folder] ?? named(folder), examples: inOrder(found) }));
}

/** Returns the examples in the order of the cases; others follow in their own order. */
export function inOrder(examples: readonly ExampleSummary[]): ExampleSummary[] {
  const place = ({ id }: ExampleSummary): number => {
    const index = caseOrder.indexOf(id.slice(id.indexOf('/') + 1));
    return index < 0 ? caseOrder.length : index;
  };
  return [...examples].sort((a, b) => place(a) - place(b));
}

const named = (folder: string): string =>
  folder === '' ? 'Others' : `${folder.charAt(0).toUpperCase()}${folder.slice(1).replaceAll('-', ' ')}`;
