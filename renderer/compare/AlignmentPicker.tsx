import { Group, Select } from '@mantine/core';
import { useMemo } from 'react';
import { type AnchorEdge, anchorEdges } from '../../core/analysis/compare/anchor.ts';
import type { LoadedRun } from '../app/loadedRun.ts';
import { scoreLayout } from '../score/scoreLayout.ts';
import { setCompare, useCompare } from './compareStore.ts';

const edgeWords: Readonly<Record<AnchorEdge, string>> = { issue: 'is issued', start: 'starts', end: 'ends' };

/** Which operation all runs are aligned by, and whether by its call, its start or its end. */
export function AlignmentPicker({ base }: { readonly base: LoadedRun }) {
  const alignment = useCompare((state) => state.alignment);
  const { experiment } = base.run.info;
  const operations = useMemo(
    () => (experiment === null ? [] : scoreLayout(experiment).blocks.map(({ op, label }) => ({ op, label }))),
    [experiment],
  );
  // The list is long for long experiments, and the same until another run comes first.
  const data = useMemo(
    () => [
      { value: 'iteration', label: 'start of the iteration' },
      ...operations.map(({ op, label }) => ({ value: String(op), label: `${op} ${label}` })),
    ],
    [operations],
  );
  const known = alignment !== null && operations.some(({ op }) => op === alignment.op);
  return (
    <Group gap={6} wrap="nowrap" component="fieldset" bd={0} p={0} m={0} aria-label="Align the runs">
      <Select
        aria-label="Align by"
        w={190}
        searchable
        limit={200}
        leftSection={<span style={{ fontSize: 12 }}>align</span>}
        leftSectionWidth={42}
        value={known ? String(alignment.op) : 'iteration'}
        data={data}
        onChange={(value) =>
          setCompare({
            alignment:
              value === null || value === 'iteration' ? null : { op: Number(value), edge: alignment?.edge ?? 'start' },
          })
        }
        comboboxProps={{ width: 300, position: 'bottom-start' }}
      />
      {known ? (
        <Select
          aria-label="Aligned where it"
          w={94}
          value={alignment.edge}
          data={anchorEdges.map((edge) => ({ value: edge, label: edgeWords[edge] }))}
          onChange={(edge) => edge !== null && setCompare({ alignment: { op: alignment.op, edge } })}
        />
      ) : null}
    </Group>
  );
}
