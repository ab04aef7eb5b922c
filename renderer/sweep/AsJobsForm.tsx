/** Where a machine has cluster settings: hands the points to its Slurm. */
import { NativeSelect, TextInput } from '@mantine/core';
import { clusterLabel, clusterValue } from '../store/machines.ts';
import { type JobsChoice, useJobsDraft } from './asJobs.ts';

/** Which of them a node has only the node can say. */
const engines = [
  { value: 'cuda', label: 'GPU' },
  { value: 'cpu', label: 'CPU engine' },
  { value: 'sim', label: 'Simulated' },
] as const;

export function AsJobsForm({ clusters, chosen, jobs }: JobsChoice) {
  const { engine, pointsPerJob } = useJobsDraft();
  if (clusters.length === 0) return null;
  return (
    <>
      <NativeSelect
        label="As jobs of Slurm"
        size="xs"
        value={chosen}
        onChange={({ currentTarget: { value } }) => useJobsDraft.setState({ cluster: value })}
        data={[
          { value: '', label: 'No' },
          ...clusters.map((one) => ({ value: clusterValue(one), label: `On ${clusterLabel(one)}` })),
        ]}
      />
      {chosen === '' ? null : (
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
            error={jobs === null ? 'Write a whole number from 1 to 1000.' : null}
            onChange={({ currentTarget: { value } }) => useJobsDraft.setState({ pointsPerJob: value })}
          />
        </>
      )}
    </>
  );
}
