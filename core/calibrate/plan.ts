/**
 * What is run to calibrate a machine, and how a parameter of its profile (core/profile/registry.ts) is read from
 * what comes out. Pure: the host runs the probes, on a GPU or, to test all this, on the simulator.
 */

import {
  type Experiment,
  type ExperimentInput,
  experimentFormat,
  experimentVersion,
} from '../experiment/experiment.ts';
import { requireExperiment } from '../experiment/parse.ts';
import type { ParameterName, PointKey } from '../profile/registry.ts';
import type { Measured, Measurement } from './measurement.ts';
import type { Recorded } from './reading.ts';

/** An experiment that is run once, with several iterations. */
export interface Probe {
  readonly id: string;
  readonly experiment: Experiment;
}

export interface Finding {
  readonly path: ParameterName;
  /** Where it is one point of a table: its place, and the name that it has there. */
  readonly at?: { readonly key: PointKey; readonly value: number };
  readonly probe: string;
  /** What one iteration says of it; nothing where it doesn't. */
  readonly read: (recorded: Recorded) => number | readonly number[] | undefined;
  readonly bench?: Bench;
}

/** A better measurement, taken without a recorder, where the engine can take it. */
export interface Bench {
  readonly measurement: Measurement;
  readonly read: (measured: Measured) => readonly number[];
}

/** The same calls in a row with a recorder and without, taken in turn for several rounds: what it adds to each. */
export interface Comparison {
  readonly path: ParameterName;
  readonly probe: Probe;
  /** How long each of the calls took in one iteration. */
  readonly read: (recorded: Recorded) => readonly number[];
  /** Its samples are means of such rows. */
  readonly bench: Bench;
}

export interface Plan {
  readonly probes: readonly Probe[];
  readonly findings: readonly Finding[];
  readonly comparisons: readonly Comparison[];
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

  /** Adds an experiment; gives what adds findings of it. */
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
