/** The graph that a host thread captures, and the calls that make it one that can be launched. */
import type { Devices } from './device.ts';
import { type Graph, GraphCapture } from './graph.ts';
import type { Step } from './step.ts';

export class Capturing {
  readonly #devices: Devices;
  #capture: GraphCapture | null = null;
  /** What the capture that ended last holds. */
  #graph: Graph | null = null;

  constructor(devices: Devices) {
    this.#devices = devices;
  }

  begin({ stream }: Step): void {
    this.#capture = new GraphCapture(stream);
  }

  add(step: Step, op: number): void {
    this.#capture?.add(step, op);
  }

  /** Carries out one of the calls, and returns what it costs. */
  make(step: Step): number {
    const { costs, graphs, streams } = this.#devices;
    if (step.code === 'endCapture') {
      this.#graph = this.#capture?.end() ?? null;
      this.#capture = null;
    }
    const graph = this.#graph;
    if (graph === null) throw new RangeError('no capture was begun: lower() made a damaged program');
    if (step.code === 'endCapture') return costs.endCapture(graph);
    if (step.code === 'instantiateGraph') return costs.instantiate(graph);
    graphs.set(step.index, graph);
    streams.newGraph(step.index);
    return costs.upload(graph);
  }
}
