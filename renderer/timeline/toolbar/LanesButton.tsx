/** The toolbar's menu of lanes: hidden lanes, groups, and a reset. */
import { ActionIcon, Indicator, Menu, Tooltip } from '@mantine/core';
import { IconEye, IconLayoutList } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { remember } from '../../store/settings.ts';
import { assign, useApp } from '../../store/store.ts';
import { isNatural, withIds } from '../tracks/arrangement.ts';
import { resetLanes, showLanes, take } from '../tracks/laneActions.ts';
import { layoutTracks, type TrackGroup } from '../tracks/layout.ts';
import { useArrangement } from '../tracks/useArrangement.ts';

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
}

function colourBy(by: 'kind' | 'name'): void {
  remember('colour-by', by);
  assign({ colourBy: by });
}

export function LanesButton({ run, view }: Props) {
  const arrangement = useArrangement(run);
  const { hidden, groups } = useMemo(() => layoutTracks(view, { height: 0, arrangement }), [view, arrangement]);
  const byName = useApp((state) => state.colourBy === 'name');
  const label = hidden.length === 0 ? 'Lanes' : `Lanes, ${hidden.length} hidden`;
  const fold = ({ id, name }: TrackGroup): void => {
    const on = !arrangement.folded.includes(id);
    take(run, {
      next: withIds(arrangement, 'folded', [id], on),
      done: `${name} are ${on ? 'collapsed' : 'expanded'}.`,
    });
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Indicator label={hidden.length} size={13} offset={3} fz={9} disabled={hidden.length === 0} color="azure">
        <Tooltip label={label}>
          <Menu.Target>
            <ActionIcon aria-label={label}>
              <IconLayoutList size={16} />
            </ActionIcon>
          </Menu.Target>
        </Tooltip>
      </Indicator>
      <Menu.Dropdown aria-label="Lanes" mah={420} style={{ overflowY: 'auto' }}>
        <Menu.Label>{hidden.length === 0 ? 'No lane is hidden' : `${hidden.length} hidden`}</Menu.Label>
        {hidden.map(({ id, name, detail }) => (
          <Menu.Item
            key={id}
            leftSection={<IconEye size={14} />}
            closeMenuOnClick={false}
            onClick={() => showLanes(run, [id])}
          >
            Show {name} <small>{detail}</small>
          </Menu.Item>
        ))}
        {hidden.length < 2 ? null : (
          <Menu.Item
            onClick={() =>
              showLanes(
                run,
                hidden.map(({ id }) => id),
              )
            }
          >
            Show all {hidden.length}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>Collapsed into one row</Menu.Label>
        {groups
          .filter(({ id, count }) => count > 1 || arrangement.folded.includes(id))
          .map((group) => (
            <Menu.CheckboxItem
              key={group.id}
              checked={arrangement.folded.includes(group.id)}
              onChange={() => fold(group)}
            >
              {group.name}
            </Menu.CheckboxItem>
          ))}
        <Menu.Divider />
        <Menu.CheckboxItem checked={byName} onChange={(on) => colourBy(on ? 'name' : 'kind')}>
          Colour by name
        </Menu.CheckboxItem>
        <Menu.Item disabled={isNatural(arrangement)} onClick={() => resetLanes(run)}>
          Reset lanes
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
