import { Group, Select } from '@mantine/core';
import { useMemo } from 'react';
import { type AnchorEdge, anchorEdges } from '../../core/explain/compare/anchor.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { alignable, alignmentIn } from './anchors.ts';
import { type Alignment, setCompare, useCompare } from './compareStore.ts';

const edgeWords: Readonly<Record<AnchorEdge, string>> = { issue: 'is issued', start: 'starts', end: 'ends' };

/** Picks the operation that aligns all runs, and its edge: call, start or end. */
export function AlignmentPicker({ base }: { readonly base: LoadedRun }) {
  const { experiment } = base.run.info;
  const steps = useCompare((state) => state.steps[base.id] ?? noSteps);
  const alignment = alignmentIn(
    experiment,
    steps,
    useCompare((state) => state.alignment),
  );
  // The list is long for long experiments, and changes only with the first run.
  const data = useMemo(
    () => [
      { value: 'iteration', label: 'start of the iteration' },
      ...steps.map((_, step) => ({ value: `step ${step}`, label: `start of step ${step + 1}` })),
      ...alignable(experiment).map(({ op, label }) => ({ value: String(op), label: `${op} ${label}` })),
    ],
    [experiment, steps],
  );
  return (
    <Group gap={6} wrap="nowrap" component="fieldset" bd={0} p={0} m={0} aria-label="Align the runs">
      <Select
        aria-label="Align by"
        w={190}
        searchable
        limit={200}
        leftSection={<span style={{ fontSize: 12 }}>align</span>}
        leftSectionWidth={42}
        value={optionOf(alignment)}
        data={data}
        onChange={(value) => setCompare({ alignment: alignmentOf(value, alignment) })}
        comboboxProps={{ width: 300, position: 'bottom-start' }}
      />
      {alignment === null || 'step' in alignment ? null : (
        <Select
          aria-label="Aligned where it"
          w={94}
          value={alignment.edge}
          data={anchorEdges.map((edge) => ({ value: edge, label: edgeWords[edge] }))}
          onChange={(edge) => edge !== null && setCompare({ alignment: { op: alignment.op, edge } })}
        />
      )}
    </Group>
  );
}

const noSteps: readonly number[] = [];

function optionOf(alignment: Alignment | null): string {
  if (alignment === null) return 'iteration';
  return 'step' in alignment ? `step ${alignment.step}` : String(alignment.op);
}

function alignmentOf(value: string | null, before: Alignment | null): Alignment | null {
  if (value === null || value === 'iteration') return null;
  if (value.startsWith('step ')) return { step: Number(value.slice('step '.length)) };
  return { op: Number(value), edge: before !== null && 'edge' in before ? before.edge : 'start' };
}
