import { Group, Kbd } from '@mantine/core';
import { Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useApp } from '../app/store/store.ts';
import { commandsNow } from './commands.ts';

/** Ctrl+K: every command by its name, with its keys. */
export function CommandPalette() {
  // Another page has other commands.
  useApp((state) => state.page.kind);
  const groups = new Map<string, SpotlightActionGroupData['actions']>();
  for (const { id, group, title, keys, act } of commandsNow()) {
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
