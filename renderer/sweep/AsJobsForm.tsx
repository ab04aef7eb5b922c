/** Submits the points as Slurm jobs, if this computer has sbatch. */
import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { create } from 'zustand';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { useApp } from '../store/store.ts';

interface JobsDraft {
  readonly isOn: boolean;
  readonly engine: EngineKind;
  /** Text of the field. */
  readonly pointsPerJob: string;
}

export const useJobsDraft = create<JobsDraft>()(() => ({ isOn: false, engine: 'cuda', pointsPerJob: '1' }));

/** All engines, since only a node knows which of them it has. */
const engines = [
  { value: 'cuda', label: 'GPU' },
  { value: 'cpu', label: 'CPU engine' },
  { value: 'sim', label: 'Simulated' },
] as const;

export function AsJobsForm({ isGood }: { readonly isGood: boolean }) {
  const slurm = useApp((state) => state.slurm);
  const { isOn, engine, pointsPerJob } = useJobsDraft();
  if (slurm === null) return null;
  return (
    <>
      <Switch
        label="Slurm jobs"
        description="copyscope slurm set changes how they are submitted."
        title={slurm.join('\n')}
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => useJobsDraft.setState({ isOn: checked })}
      />
      {isOn ? (
        <>
          <NativeSelect
            label="Engine of the nodes"
            size="xs"
            value={engine}
            onChange={({ currentTarget: { value } }) =>
              useJobsDraft.setState({ engine: engines.find((one) => one.value === value)?.value ?? 'cuda' })
            }
            data={[...engines]}
          />
          <TextInput
            label="Points of each job"
            size="xs"
            value={pointsPerJob}
            error={isGood ? null : 'Write a whole number from 1 to 1000.'}
            onChange={({ currentTarget: { value } }) => useJobsDraft.setState({ pointsPerJob: value })}
          />
        </>
      ) : null}
    </>
  );
}
