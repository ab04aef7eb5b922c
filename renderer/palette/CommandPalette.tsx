import { Group, Kbd } from '@mantine/core';
import { createSpotlight, Spotlight, type SpotlightActionData, useSpotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { groupBy } from '../../core/groupBy.ts';
import { type Command, commandsNow } from './commands.ts';

const [store] = createSpotlight();

/** Ctrl+K: every command that can do something now, by its name, with its keys. */
export function CommandPalette() {
  const { opened } = useSpotlight(store);
  const groups = groupBy(opened ? commandsNow() : [], ({ group }) => group);
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
      nothingFound="No command has that name."
      searchProps={{
        placeholder: 'Search commands',
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
