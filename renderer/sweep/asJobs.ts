/** Whether a sweep goes to a cluster as jobs, to which one, and how. */
import { create } from 'zustand';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { useApp } from '../store/store.ts';

export interface AsJobs {
  readonly machine: string;
  readonly engine: EngineKind;
  readonly pointsPerJob: number;
}

interface Draft {
  /** Null: not as jobs. */
  readonly machine: string | null;
  readonly engine: EngineKind;
  /** As it is typed. */
  readonly pointsPerJob: string;
}

export const useJobsDraft = create<Draft>()(() => ({ machine: null, engine: 'cuda', pointsPerJob: '1' }));

export interface JobsChoice {
  /** Machines that have cluster settings. */
  readonly clusters: readonly string[];
  readonly chosen: string | null;
  /** Null where nothing is chosen, or what is typed is no number of points. */
  readonly jobs: AsJobs | null;
}

export function useAsJobs(): JobsChoice {
  const machines = useApp((state) => state.machines);
  const { machine, engine, pointsPerJob } = useJobsDraft();
  const clusters = machines.filter(({ slurm, version }) => slurm !== null && version !== null).map(({ name }) => name);
  // It may have been removed meanwhile.
  const chosen = machine !== null && clusters.includes(machine) ? machine : null;
  const points = Number(pointsPerJob);
  const isGood = pointsPerJob.trim() !== '' && Number.isInteger(points) && points >= 1 && points <= 1000;
  return {
    clusters,
    chosen,
    jobs: chosen === null || !isGood ? null : { machine: chosen, engine, pointsPerJob: points },
  };
}
