import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CopyTable } from '../common/buttons.tsx';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { type AreaRow, areaText, isOnDevice } from '../timeline/rows/areaTable.ts';
import { NamesTable } from '../timeline/rows/NamesTable.tsx';

const parts = {
  all: () => true,
  device: isOnDevice,
  host: (row: AreaRow) => !isOnDevice(row),
} satisfies Record<string, (row: AreaRow) => boolean>;

type Part = keyof typeof parts;

const isPart = (value: string): value is Part => value in parts;

interface Props {
  readonly run: LoadedRun;
  readonly rows: readonly AreaRow[];
}

export function AreaTable({ run, rows: all }: Props) {
  const [part, setPart] = useState<Part>('all');
  const isMixed = all.some(isOnDevice) && !all.every(isOnDevice);
  const rows = isMixed ? all.filter(parts[part]) : all;
  return (
    <>
      {isMixed ? (
        <SegmentedControl
          size="xs"
          mb={6}
          aria-label="Names shown"
          data={[
            { value: 'all', label: 'All' },
            { value: 'device', label: 'On a device' },
            { value: 'host', label: 'On the host' },
          ]}
          value={part}
          onChange={(value) => isPart(value) && setPart(value)}
        />
      ) : null}
      <NamesTable run={run} rows={rows} label="Activities in the time range" />
      <CopyTable table={() => areaText(rows)} />
    </>
  );
}
