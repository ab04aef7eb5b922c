/** The filter that shows only lanes with a text; kept with the trace's other lane arrangements. */
import { ActionIcon, Button, Group, Indicator, Popover, Text, TextInput, Tooltip } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { layoutTracks } from '../tracks/layout.ts';
import { arrange, useArrangement } from '../tracks/useArrangement.ts';

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
}

export function LaneFilterButton({ run, view }: Props) {
  const arrangement = useArrangement(run);
  const { filter } = arrangement;
  const { tracks, order } = useMemo(() => layoutTracks(view, { height: 0, arrangement }), [view, arrangement]);
  const label = filter === '' ? 'Filter lanes' : `Filter lanes: ${tracks.length} of ${order.length} shown`;
  const set = (text: string): void => arrange(run, { ...arrangement, filter: text });
  return (
    <Popover position="bottom-end" width={280} trapFocus returnFocus>
      <Indicator size={8} offset={4} disabled={filter === ''} color="azure">
        <Tooltip label={label}>
          <Popover.Target>
            <ActionIcon aria-label={label} variant={filter === '' ? 'subtle' : 'light'}>
              <IconFilter size={16} />
            </ActionIcon>
          </Popover.Target>
        </Tooltip>
      </Indicator>
      <Popover.Dropdown aria-label="Filter lanes">
        <TextInput
          label="Lanes with"
          description="A device, stream, thread or kind, the name of an activity, or the line that issued it. Lanes must match all words."
          placeholder="gpu1 copy"
          value={filter}
          maxLength={200}
          data-autofocus
          onChange={({ currentTarget: { value } }) => set(value)}
        />
        <Group mt="xs" justify="space-between">
          <Text size="xs" role="status" className="tabular">
            {tracks.length === 0 ? 'No lane has this text.' : `${tracks.length} of ${order.length} lanes`}
          </Text>
          <Button size="compact-xs" variant="default" disabled={filter === ''} onClick={() => set('')}>
            Show all
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
