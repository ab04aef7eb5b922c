import { Group, Kbd } from '@mantine/core';
import { createSpotlight, Spotlight, type SpotlightActionGroupData, useSpotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { commandsNow } from './commands.ts';

const [store] = createSpotlight();

/** Ctrl+K: every command that can do something now, by its name, with its keys. */
export function CommandPalette() {
  const { opened } = useSpotlight(store);
  const groups = new Map<string, SpotlightActionGroupData['actions']>();
  for (const { id, group, title, keys, act } of opened ? commandsNow() : []) {
    const action = {
      id,
      label: title,
      onClick: () => void act(),
      ...(keys === undefined ? {} : { rightSection: <Keys keys={keys} /> }),
    };
    groups.set(group, [...(groups.get(group) ?? []), action]);
  }
  return (
    <Spotlight
      store={store}
      actions={[...groups].map(([group, actions]) => ({ group, actions }))}
      shortcut="mod + K"
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      tagsToIgnore={[]}
      scrollable
      maxHeight={420}
      transitionProps={{ duration: 0 }}
      nothingFound="No command is called that."
      searchProps={{
        placeholder: 'Search commands',
        'aria-label': 'Search commands',
        leftSection: <IconSearch size={16} aria-hidden />,
      }}
    />
  );
}

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
