/** Items that the palette opens by name (experiments, runs, sweeps, lessons), and settings. */
import type { MantineColorScheme } from '@mantine/core';
import { runTitle } from '../../core/service/service.ts';
import { isOfLesson } from '../library/filter.ts';
import { exampleGroups } from '../store/exampleGroups.ts';
import { openPage } from '../store/pages.ts';
import { isPrediction } from '../store/select.ts';
import { state } from '../store/store.ts';
import { useSweeps } from '../store/sweeps.ts';
import type { Page } from '../store/types.ts';
import type { Command } from './commands.ts';

const opens = (group: string, title: string, page: Page): Command => ({
  id: `${group}:${'id' in page ? page.id : title}`,
  group,
  title,
  act: () => openPage(page),
});

/** Returns the items, the user's own first. They only appear in searches, since they would bury the commands. */
export function thingsNow(): readonly Command[] {
  const { experiments, examples, runs, lessons } = state();
  const shown = Object.values(runs).filter(
    (run) => run.status === 'complete' && run.sweep === undefined && !isPrediction(run.id) && !isOfLesson(run),
  );
  return [
    ...experiments.map(({ id, name }) => opens('Experiments', name, { kind: 'experiment', id })),
    ...Object.values(useSweeps.getState().summaries).map(({ id, name }) =>
      opens('Sweeps', name, { kind: 'sweep', id }),
    ),
    ...lessons.map(({ id, title }) => opens('Lessons', title, { kind: 'lesson', id, step: 0 })),
    ...exampleGroups(examples).flatMap((group) =>
      group.examples.map(({ id, name }) => opens('Examples', name, { kind: 'example', id })),
    ),
    ...shown.map((run) => opens('Runs', `${runTitle(run)}, ${run.device}`, { kind: 'run', id: run.id })),
  ];
}

const themes: readonly (readonly [MantineColorScheme, string])[] = [
  ['dark', 'Dark theme'],
  ['light', 'Light theme'],
  ['auto', 'Theme as the system'],
];

/** Returns all settings but the active one. */
export const settings = (now: MantineColorScheme, set: (scheme: MantineColorScheme) => void): readonly Command[] =>
  themes
    .filter(([scheme]) => scheme !== now)
    .map(([scheme, title]) => ({ id: `Settings:${scheme}`, group: 'Settings', title, act: () => set(scheme) }));
