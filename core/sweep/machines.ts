/** One experiment on several machines: what is told of each, and the operations whose verdicts differ between them. */
import { programText } from '../experiment/programText.ts';
import { iterationOf } from '../trace/iteration.ts';
import type { Run, RunInfo } from '../trace/run.ts';
import type { Cause } from '../verdicts/verdict.ts';
import { verdicts } from '../verdicts/verdicts.ts';
import { type Figures, metrics, runFigures } from './metrics.ts';

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
  /** The same, as the verdicts are called. */
  readonly titles: readonly (string | null)[];
}

export interface MachineComparison {
  readonly machines: readonly MachineFigures[];
  /** Null where the runs are not of one program: then nothing says which operation is which. */
  readonly causes: readonly DifferingCause[] | null;
}

const shown = ['makespan', 'h2dBandwidth', 'd2hBandwidth', 'h2dOverlap', 'd2hOverlap'];

/** Those that fit beside each other; a comparison has all. */
export const machineMetrics = metrics.filter(({ id }) => shown.includes(id));

export function compareMachines(machines: readonly MachineRun[]): MachineComparison {
  const runs = machines.map(({ run }) => run);
  return { machines: machines.map(figuresOf), causes: isOneProgram(runs) ? differingCauses(runs) : null };
}

/** Whatever the experiments are called, and however often each was repeated. */
function isOneProgram(runs: readonly Run[]): boolean {
  const programs = runs.map(({ info }) => (info.experiment === null ? null : programText(info.experiment)));
  return !programs.includes(null) && new Set(programs).size === 1;
}

const figuresOf = ({ host, run }: MachineRun): MachineFigures => ({
  host,
  engine: run.info.engine,
  device: run.info.device?.name ?? run.info.machine?.cpu ?? null,
  status: run.info.status,
  figures: runFigures(run),
});

/** Operations have the same numbers everywhere. */
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
    const verdictsOn = found.map((machine) => machine.get(op) ?? null);
    const causes = verdictsOn.map((verdict) => verdict?.cause ?? null);
    const titles = verdictsOn.map((verdict) => verdict?.title ?? null);
    const label = verdictsOn.flatMap((verdict) => verdict?.label ?? [])[0] ?? '';
    return new Set(causes).size > 1 ? [{ op, label, causes, titles }] : [];
  });
}
