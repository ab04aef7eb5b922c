/** Other sweeps that are drawn in the same chart. */
import { MultiSelect } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import type { Metric } from '../../core/apps/sweep/metrics.ts';
import { parseSweep } from '../../core/apps/sweep/parse.ts';
import { formatMoment } from '../common/time.ts';
import { useSweeps } from '../store/sweeps.ts';
import { ensureSweep } from './actions.ts';
import { type Beside, sweepLines } from './specs.ts';

interface Props {
  readonly own: string;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

export function BesidePicker({ own, chosen, onChange }: Props) {
  const summaries = useSweeps((state) => state.summaries);
  const others = Object.values(summaries)
    .filter(({ id, done }) => id !== own && done > 0)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  useEffect(() => {
    for (const id of chosen) void ensureSweep(id);
  }, [chosen]);
  if (others.length === 0) return null;
  return (
    <MultiSelect
      label="Beside it"
      size="xs"
      w={240}
      searchable
      clearable
      placeholder={chosen.length === 0 ? 'another sweep' : ''}
      data={others.map(({ id, name, createdAt }) => ({ value: id, label: `${name}, ${formatMoment(createdAt)}` }))}
      value={[...chosen]}
      onChange={onChange}
      nothingFoundMessage="No sweep has that name."
      clearButtonProps={{ 'aria-label': 'Draw this sweep alone' }}
    />
  );
}

/** Returns the charts of the sweeps that are loaded. */
export function useBeside(ids: readonly string[], metric: Metric | undefined): readonly Beside[] {
  const opened = useSweeps((state) => state.opened);
  return useMemo(
    () =>
      ids.flatMap((id): Beside[] => {
        const sweep = opened[id];
        if (sweep?.status !== 'ready' || metric === undefined) return [];
        const parsed = parseSweep(sweep.value.document);
        if (!parsed.ok) return [];
        const { name, createdAt } = sweep.value.summary;
        return [{ name, createdAt, spec: sweepLines(sweep.value, parsed.plan, metric) }];
      }),
    [ids, opened, metric],
  );
}
