/** The graph that a host thread captures, and the calls that make it one that can be launched. */
import type { CostModel } from './costModel.ts';
import type { Devices } from './device.ts';
import { type Graph, GraphCapture } from './graph.ts';
import type { Step } from './step.ts';

export class Capturing {
  readonly #devices: Devices;
  readonly #costs: CostModel;
  #capture: GraphCapture | null = null;
  /** What the capture that ended last holds. */
  #graph: Graph | null = null;

  constructor(devices: Devices, costs: CostModel) {
    this.#devices = devices;
    this.#costs = costs;
  }

  begin({ stream }: Step): void {
    this.#capture = new GraphCapture(stream);
  }

  add(step: Step, op: number): void {
    this.#capture?.add(step, op);
  }

  /** Carries out one of the calls, and returns what it costs. */
  make(step: Step): number {
    const { graphs, streams } = this.#devices;
    if (step.code === 'endCapture') {
      this.#graph = this.#capture?.end() ?? null;
      this.#capture = null;
    }
    const graph = this.#graph;
    if (graph === null) throw new RangeError('no capture was begun: lower() made a damaged program');
    if (step.code === 'endCapture') return step.callNs;
    if (step.code === 'instantiateGraph') return this.#costs.graphNs('cudaGraphInstantiate', graph.nodes.length);
    graphs.set(step.index, graph);
    streams.newGraph(step.index);
    return this.#costs.graphNs('cudaGraphUpload', graph.nodes.length);
  }
}
