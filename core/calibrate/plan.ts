/**
 * What is run to calibrate a machine, and how a parameter of its profile (core/simulator/profileSchema.ts) is read from
 * what comes out. Pure: the host runs the probes, on a GPU or, to test all this, on the simulator.
 */
import type { Measured, Measurement } from '../bench/measurement.ts';
import type { Experiment, ExperimentInput } from '../experiment/experiment.ts';
import { requireExperiment } from '../experiment/parse.ts';
import type { Recorded } from './reading.ts';

/** An experiment that is run once, with several iterations. */
export interface Probe {
  readonly id: string;
  readonly experiment: Experiment;
}

/** Keys of the points of a table. */
export type PointKey = 'bytes' | 'nodes' | 'share' | 'threads';

/** What a point of such a table says. */
export const valueKeys = { bytes: 'ns', nodes: 'ns', share: 'part', threads: 'bytesPerSecond' } as const;

export interface Finding {
  /** Dotted path in the profile, as 'copies.h2d.pinned.device'. */
  readonly path: string;
  /** Where it is one point of a table: its place, and the name that it has there. */
  readonly at?: { readonly key: PointKey; readonly value: number };
  readonly probe: string;
  /** What one iteration says of it; nothing where it doesn't. */
  readonly read: (recorded: Recorded) => number | readonly number[] | undefined;
  readonly bench?: Bench;
  /** What a recorder adds: by how much the median of what is read is beyond that of the measurement without one. */
  readonly isAdded?: true;
}

/** A better measurement, taken without a recorder, where the engine can take it. */
export interface Bench {
  readonly measurement: Measurement;
  readonly read: (measured: Measured) => readonly number[];
}

export interface Plan {
  readonly probes: readonly Probe[];
  readonly findings: readonly Finding[];
}

export interface PlanOptions {
  /** Devices that the program sees. */
  readonly devices: number;
  /** The largest copy: needs as much page-locked and device memory a few times over. */
  readonly largestBytes: number;
  readonly iterations: number;
}

type Parts = Omit<Partial<ExperimentInput>, 'threads' | 'name' | 'format' | 'version'>;
type Operations = ExperimentInput['threads'][number]['operations'];
export type Operation = Readonly<Record<string, unknown>> & { readonly op: string };

export class PlanBuilder {
  readonly #probes: Probe[] = [];
  readonly #findings: Finding[] = [];
  readonly options: PlanOptions;

  constructor(options: PlanOptions) {
    this.options = options;
  }

  get plan(): Plan {
    return { probes: this.#probes, findings: this.#findings };
  }

  /** Adds an experiment; gives what adds findings of it. */
  probe(id: string, parts: Parts, ...threads: Operations[]): ProbeFindings {
    const environment = { iterations: this.options.iterations, warmups: 3, ...parts.environment };
    const document: ExperimentInput = {
      format: 'copyscope/experiment',
      version: 1,
      name: `Calibration: ${id}`,
      ...parts,
      environment,
      threads: threads.map((operations, index) => ({ id: index === 0 ? 'main' : `thread${index}`, operations })),
    };
    this.#probes.push({ id, experiment: requireExperiment(JSON.stringify(document)) });
    return new ProbeFindings(id, this.#findings);
  }
}

export class ProbeFindings {
  readonly #probe: string;
  readonly #findings: Finding[];

  constructor(probe: string, findings: Finding[]) {
    this.#probe = probe;
    this.#findings = findings;
  }

  value(path: string, read: Finding['read'], bench?: Finding['bench']): this {
    this.#findings.push({ path, probe: this.#probe, read, ...(bench === undefined ? {} : { bench }) });
    return this;
  }

  /** What recording adds to what is read. */
  added(path: string, read: Finding['read'], bench: Bench): this {
    this.#findings.push({ path, probe: this.#probe, read, bench, isAdded: true });
    return this;
  }

  point(path: string, key: PointKey, value: number, read: Finding['read'], bench?: Finding['bench']): this {
    const at = { key, value };
    this.#findings.push({ path, at, probe: this.#probe, read, ...(bench === undefined ? {} : { bench }) });
    return this;
  }
}
