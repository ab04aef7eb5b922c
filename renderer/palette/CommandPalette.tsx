import { Group, Kbd, useMantineColorScheme } from '@mantine/core';
import { createSpotlight, Spotlight, type SpotlightActionData, useSpotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { groupBy } from '../../core/groupBy.ts';
import { type Command, commandsNow } from './commands.ts';
import { settings, thingsNow } from './things.ts';

const [store] = createSpotlight();

/** The palette (Ctrl+K): every available command with its keys, and everything that can be opened or set by name. */
export function CommandPalette() {
  const { opened, query } = useSpotlight(store);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const found = opened ? [...commandsNow(), ...settings(colorScheme, setColorScheme)] : [];
  const things = opened && query.trim() !== '' ? thingsNow() : [];
  const groups = groupBy([...found, ...things], ({ group }) => group);
  return (
    <Spotlight
      store={store}
      actions={[...groups].map(([group, commands]) => ({ group, actions: commands.map(actionOf) }))}
      shortcut="mod + K"
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      tagsToIgnore={[]}
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

const actionOf = ({ id, title, keys, act }: Command): SpotlightActionData => ({
  id,
  label: title,
  onClick: () => void act(),
  ...(keys === undefined ? {} : { rightSection: <Keys keys={keys} /> }),
});

function Keys({ keys }: { readonly keys: string }) {
  return (
    <Group gap={3} wrap="nowrap">
      {keys.split(' ').map((key) => (
        <Kbd key={key} size="xs">
          {key}
        </Kbd>
      ))}
    </Group>
  );
}
