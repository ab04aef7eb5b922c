/**
 * Plan of a calibration: the probes, and how a parameter of the profile (core/machine/profile/registry.ts) follows from their
 * results. Pure: the host runs the probes, on a GPU or, for tests, on the simulator.
 */

import {
  type Experiment,
  type ExperimentInput,
  experimentFormat,
  experimentVersion,
} from '../../experiment/experiment.ts';
import { requireExperiment } from '../../experiment/parse.ts';
import type { ParameterName, PointKey } from '../../machine/profile/registry.ts';
import type { Measured, Measurement } from './measurement.ts';
import type { Recorded } from './reading.ts';

/** An experiment that is run once, with several iterations. */
export interface Probe {
  readonly id: string;
  readonly experiment: Experiment;
}

export interface Finding {
  readonly path: ParameterName;
  /** Key of the point, if the parameter is a table. */
  readonly at?: { readonly key: PointKey; readonly value: number };
  readonly probe: string;
  /** Returns the value in one iteration, or undefined if that has none. */
  readonly read: (recorded: Recorded) => number | readonly number[] | undefined;
  readonly bench?: Bench;
}

/** A better measurement, without a recorder, used if the engine supports it. */
export interface Bench {
  readonly measurement: Measurement;
  readonly read: (measured: Measured) => readonly number[];
}

/** The same calls with and without a recorder, in turn for several rounds, to find the recorder's cost per call. */
export interface Comparison {
  readonly path: ParameterName;
  readonly probe: Probe;
  /** Returns the duration of each call in one iteration. */
  readonly read: (recorded: Recorded) => readonly number[];
  /** Its samples are means of series of such calls. */
  readonly bench: Bench;
}

export interface Plan {
  readonly probes: readonly Probe[];
  readonly findings: readonly Finding[];
  readonly comparisons: readonly Comparison[];
}

export interface PlanOptions {
  /** Number of devices that the program sees. */
  readonly devices: number;
  /** Size of the largest copy. Probes need a few times as much page-locked and device memory. */
  readonly largestBytes: number;
  readonly iterations: number;
}

type Parts = Omit<Partial<ExperimentInput>, 'threads' | 'name' | 'format' | 'version'>;
type Operations = ExperimentInput['threads'][number]['operations'];
interface ComparedParts {
  readonly id: string;
  readonly parts: Parts;
  readonly operations: Operations;
}
export type Operation = Readonly<Record<string, unknown>> & { readonly op: string };

export class PlanBuilder {
  readonly #probes: Probe[] = [];
  readonly #findings: Finding[] = [];
  readonly #comparisons: Comparison[] = [];
  readonly options: PlanOptions;

  constructor(options: PlanOptions) {
    this.options = options;
  }

  get plan(): Plan {
    return { probes: this.#probes, findings: this.#findings, comparisons: this.#comparisons };
  }

  /** Adds an experiment. Returns an object that adds its findings. */
  probe(id: string, parts: Parts, ...threads: Operations[]): ProbeFindings {
    this.#probes.push(this.#made(id, parts, threads));
    return new ProbeFindings(id, this.#findings);
  }

  compare(
    path: ParameterName,
    { id, parts, operations, read, bench }: Omit<Comparison, 'path' | 'probe'> & ComparedParts,
  ): void {
    this.#comparisons.push({ path, probe: this.#made(id, parts, [operations]), read, bench });
  }

  #made(id: string, parts: Parts, threads: readonly Operations[]): Probe {
    const environment = { iterations: this.options.iterations, warmups: 3, ...parts.environment };
    const document: ExperimentInput = {
      format: experimentFormat,
      version: experimentVersion,
      name: `Calibration: ${id}`,
      ...parts,
      environment,
      threads: threads.map((operations, index) => ({ id: index === 0 ? 'main' : `thread${index}`, operations })),
    };
    return { id, experiment: requireExperiment(JSON.stringify(document)) };
  }
}

export class ProbeFindings {
  readonly #probe: string;
  readonly #findings: Finding[];

  constructor(probe: string, findings: Finding[]) {
    this.#probe = probe;
    this.#findings = findings;
  }

  value(path: ParameterName, read: Finding['read'], bench?: Finding['bench']): this {
    this.#findings.push({ path, probe: this.#probe, read, ...(bench === undefined ? {} : { bench }) });
    return this;
  }

  point(path: ParameterName, key: PointKey, value: number, read: Finding['read'], bench?: Finding['bench']): this {
    const at = { key, value };
    this.#findings.push({ path, at, probe: this.#probe, read, ...(bench === undefined ? {} : { bench }) });
    return this;
  }
}
