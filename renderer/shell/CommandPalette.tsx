import { Kbd, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, useSpotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { groupBy } from '../../core/groupBy.ts';
import { runTitle } from '../../core/service/service.ts';
import { type Command, shownKeys } from '../commands/command.ts';
import { isOfLesson } from '../library/filter.ts';
import { exampleGroups } from '../store/exampleGroups.ts';
import { openPage } from '../store/pages.ts';
import { isPrediction } from '../store/select.ts';
import { state } from '../store/store.ts';
import { useSweeps } from '../store/sweeps.ts';
import type { Page } from '../store/types.ts';
import { commandsNow, paletteStore } from './commands.ts';

/** The palette: every available command with its keys, and everything that can be opened or set by name. */
export function CommandPalette() {
  const { opened, query } = useSpotlight(paletteStore);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const found = opened ? [...commandsNow(), ...settings(colorScheme, setColorScheme)] : [];
  const things = opened && query.trim() !== '' ? thingsNow() : [];
  const groups = groupBy([...found, ...things], ({ group }) => group);
  return (
    <Spotlight
      store={paletteStore}
      actions={[...groups].map(([group, commands]) => ({ group, actions: commands.map(actionOf) }))}
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      scrollable
      maxHeight={420}
      transitionProps={{ duration: 0 }}
      limit={80}
      nothingFound="Nothing has that name: no command, experiment, run, lesson or setting."
      searchProps={{
        placeholder: 'Search commands, experiments, runs, lessons, settings',
        'aria-label': 'Search commands',
        leftSection: <IconSearch size={16} aria-hidden />,
      }}
    />
  );
}

const actionOf = ({ id, name, keys: [binding] = [], run }: Command): SpotlightActionData => ({
  id,
  label: name,
  onClick: () => void run(),
  ...(binding === undefined ? {} : { rightSection: <Kbd size="xs">{shownKeys(binding)}</Kbd> }),
});

const opens = (group: string, name: string, page: Page): Command => ({
  id: `${group}:${'id' in page ? page.id : name}`,
  group,
  name,
  run: () => openPage(page),
});

/** Returns the items, the user's own first. They only appear in searches, since they would bury the commands. */
function thingsNow(): readonly Command[] {
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
  ['auto', 'System theme'],
];

/** Returns all settings but the active one. */
const settings = (now: MantineColorScheme, set: (scheme: MantineColorScheme) => void): readonly Command[] =>
  themes
    .filter(([scheme]) => scheme !== now)
    .map(([scheme, name]) => ({ id: `Settings:${scheme}`, group: 'Settings', name, run: () => set(scheme) }));
