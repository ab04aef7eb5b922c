/** Whether a sweep goes to a cluster as jobs, to which one, and how. */
import { create } from 'zustand';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { clustersOf, clusterValue } from '../store/machines.ts';
import { useDerived } from '../store/useDerived.ts';

export interface AsJobs {
  /** Null is this one. */
  readonly machine: string | null;
  readonly engine: EngineKind;
  readonly pointsPerJob: number;
}

interface Draft {
  /** As clusterValue() says it; empty: not as jobs. */
  readonly cluster: string;
  readonly engine: EngineKind;
  /** As it is typed. */
  readonly pointsPerJob: string;
}

export const useJobsDraft = create<Draft>()(() => ({ cluster: '', engine: 'cuda', pointsPerJob: '1' }));

export interface JobsChoice {
  readonly clusters: readonly (string | null)[];
  /** As clusterValue() says it; empty where none is chosen. */
  readonly chosen: string;
  /** Null where nothing is chosen, or what is typed is no number of points. */
  readonly jobs: AsJobs | null;
}

export function useAsJobs(): JobsChoice {
  const clusters = useDerived(clustersOf);
  const { cluster, engine, pointsPerJob } = useJobsDraft();
  // It may have been removed meanwhile.
  const machine = clusters.find((one) => clusterValue(one) === cluster);
  const points = Number(pointsPerJob);
  const isGood = pointsPerJob.trim() !== '' && Number.isInteger(points) && points >= 1 && points <= 1000;
  return {
    clusters,
    chosen: machine === undefined ? '' : cluster,
    jobs: machine === undefined || !isGood ? null : { machine, engine, pointsPerJob: points },
  };
}
