/** The tools above the lists: search, filter, select, open. */
import { ActionIcon, Button, Chip, Group, Indicator, Popover, Select, Stack, TextInput, Tooltip } from '@mantine/core';
import { IconChecklist, IconFilter, IconSearch, IconX } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { type EngineKind, engineKinds } from '../../core/program/engineKind.ts';
import { CommandTool } from '../commands/buttons.tsx';
import { withKeys } from '../commands/command.ts';
import { useRoving } from '../common/roving.ts';
import { openCommand } from '../files/files.ts';
import { useApp, useDerived } from '../store/store.ts';
import { type Age, ages, conditions, noFilter, type Sorting, sortings } from './filter.ts';
import classes from './Library.module.css';
import { setFilter, startSelecting, stopSelecting, useLibrary } from './libraryView.ts';

export function LibraryTools() {
  const { filter, selecting } = useLibrary();
  const tools = useRef<HTMLDivElement>(null);
  useRoving(tools);
  return (
    <div className={classes['tools']} ref={tools} role="toolbar" aria-label="Library tools">
      <TextInput
        className={classes['search'] ?? ''}
        size="xs"
        aria-label="Search the library"
        placeholder="Search"
        value={filter.text}
        maxLength={200}
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={
          filter.text === '' ? null : (
            <ActionIcon size="xs" aria-label="Clear the search" onClick={() => setFilter({ text: '' })}>
              <IconX size={12} />
            </ActionIcon>
          )
        }
        onChange={(event) => setFilter({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setFilter({ text: '' });
        }}
      />
      <FilterButton />
      <Tooltip label={selecting ? 'End selecting' : 'Select several'}>
        <ActionIcon
          size="md"
          aria-label="Select several"
          aria-pressed={selecting}
          variant={selecting ? 'light' : 'subtle'}
          onClick={selecting ? stopSelecting : startSelecting}
        >
          <IconChecklist size={16} />
        </ActionIcon>
      </Tooltip>
      <CommandTool
        command={openCommand}
        label={withKeys(openCommand, 'Open a run, an experiment, a trace or a bundle')}
        size="md"
      />
    </div>
  );
}

function FilterButton() {
  const filter = useLibrary((state) => state.filter);
  const count = conditions(filter);
  // The menu opens next to the panel, so that the lists show its effect.
  return (
    <Indicator disabled={count === 0} label={count} size={14} offset={3} inline>
      <Popover position="right-start" offset={80} width={280} withinPortal trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon
            size="md"
            variant={count === 0 ? 'subtle' : 'light'}
            title="Filter and sort"
            aria-label={count === 0 ? 'Filter and sort' : `Filter and sort, ${count} set`}
          >
            <IconFilter size={16} />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown aria-label="Filter and sort">
          <Conditions />
        </Popover.Dropdown>
      </Popover>
    </Indicator>
  );
}

const origins = { measured: 'Measured', recorded: 'Recorded', simulated: 'Simulated' } as const;
const engines: Readonly<Record<EngineKind, string>> = { cuda: 'GPU', cpu: 'CPU', sim: 'Simulator' };
const statuses = { complete: 'Complete', failed: 'Failed', cancelled: 'Cancelled', running: 'Running' } as const;
const ageNames: Readonly<Record<Age, string>> = {
  any: 'Any time',
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
};
const sortingNames: Readonly<Record<Sorting, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'By name',
  shortest: 'Shortest makespan first',
  longest: 'Longest makespan first',
};

function Conditions() {
  const filter = useLibrary((state) => state.filter);
  const devices = useDerived((state) => [...new Set(Object.values(state.runs).map(({ device }) => device))].sort());
  const ready = useApp((state) => state.libraryReady);
  return (
    <Stack gap="xs">
      <Select
        label="Sort"
        data={sortings.map((value) => ({ value, label: sortingNames[value] }))}
        value={filter.sorting}
        comboboxProps={{ withinPortal: false }}
        onChange={(value) => setFilter({ sorting: (value ?? 'newest') as Sorting })}
      />
      <Choices
        label="Origin"
        names={origins}
        chosen={filter.origins}
        onChoose={(chosen) => setFilter({ origins: chosen })}
      />
      <Choices
        label="Engine"
        names={Object.fromEntries(engineKinds.map((kind) => [kind, engines[kind]])) as typeof engines}
        chosen={filter.engines}
        onChoose={(chosen) => setFilter({ engines: chosen })}
      />
      <Choices
        label="Status"
        names={statuses}
        chosen={filter.statuses}
        onChoose={(chosen) => setFilter({ statuses: chosen })}
      />
      <Select
        label="Device"
        data={ready ? devices.filter((device) => device !== '') : []}
        value={filter.device}
        placeholder="Any"
        clearable
        comboboxProps={{ withinPortal: false }}
        onChange={(device) => setFilter({ device })}
      />
      <Select
        label="Date"
        data={ages.map((value) => ({ value, label: ageNames[value] }))}
        value={filter.age}
        comboboxProps={{ withinPortal: false }}
        onChange={(value) => setFilter({ age: (value ?? 'any') as Age })}
      />
      <Button variant="default" onClick={clearConditions}>
        Clear
      </Button>
    </Stack>
  );
}

const clearConditions = (): void =>
  useLibrary.setState(({ filter }) => ({ filter: { ...noFilter, text: filter.text } }));

interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly names: Readonly<Record<Value, ReactNode>>;
  readonly chosen: readonly Value[];
  readonly onChoose: (chosen: Value[]) => void;
}

/** A choice of any number of values; an empty choice means all. */
function Choices<Value extends string>({ label, names, chosen, onChoose }: ChoicesProps<Value>) {
  return (
    <fieldset className={classes['choices']}>
      <legend>{label}</legend>
      <Chip.Group multiple value={[...chosen]} onChange={(values) => onChoose(values as Value[])}>
        <Group gap={5}>
          {(Object.keys(names) as Value[]).map((value) => (
            <Chip key={value} value={value} size="xs">
              {names[value]}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </fieldset>
  );
}
