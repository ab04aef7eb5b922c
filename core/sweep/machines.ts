/** One experiment on several machines: what is told of each, and the operations whose verdicts differ between them. */

import { iterationOf } from '../trace/iteration.ts';
import type { Run, RunInfo } from '../trace/run.ts';
import type { Cause } from '../verdicts/verdict.ts';
import { verdicts } from '../verdicts/verdicts.ts';
import type { Figures } from './metrics.ts';
import { runFigures } from './metrics.ts';

export const machinesFormat = 'copyscope/machine-comparison';
export const machinesVersion = 1;

export interface MachineRun {
  /** As it was named: null is this machine. */
  readonly host: string | null;
  readonly run: Run;
}

export interface MachineFigures {
  readonly host: string | null;
  readonly engine: RunInfo['engine'];
  /** GPU, or the processor where none took part; null where the simulator ran, whose machine says nothing. */
  readonly device: string | null;
  readonly status: RunInfo['status'];
  /** Medians and spreads over the iterations, as of a sweep's points. */
  readonly figures: Figures;
}

export interface DifferingCause {
  readonly op: number;
  readonly label: string;
  /** By machine, in their order; null where nothing is to be said of that operation. */
  readonly causes: readonly (Cause | null)[];
}

export interface MachineComparison {
  readonly machines: readonly MachineFigures[];
  readonly causes: readonly DifferingCause[];
}

export function compareMachines(runs: readonly MachineRun[]): MachineComparison {
  return { machines: runs.map(figuresOf), causes: differingCauses(runs.map(({ run }) => run)) };
}

const figuresOf = ({ host, run }: MachineRun): MachineFigures => ({
  host,
  engine: run.info.engine,
  device: run.info.device?.name ?? run.info.machine?.cpu ?? null,
  status: run.info.status,
  figures: runFigures(run),
});

/** Operations have the same numbers everywhere, since all of them ran the same program. */
function differingCauses(runs: readonly Run[]): DifferingCause[] {
  const found = runs.map(({ trace, info }) => {
    const known = { device: info.device };
    return new Map(
      verdicts(iterationOf(trace, info.iterations.representative), info.experiment, known)
        .filter(({ op }) => op >= 0)
        .map((verdict) => [verdict.op, verdict]),
    );
  });
  const ops = [...new Set(found.flatMap((machine) => [...machine.keys()]))].sort((a, b) => a - b);
  return ops.flatMap((op) => {
    const causes = found.map((machine) => machine.get(op)?.cause ?? null);
    const label = found.flatMap((machine) => machine.get(op)?.label ?? [])[0] ?? '';
    return new Set(causes).size > 1 ? [{ op, label, causes }] : [];
  });
}
