/** A host thread's graph capture, and the calls that instantiate and upload the graph. */
import type { CostModel } from './costModel.ts';
import type { Devices } from './device.ts';
import { type Graph, GraphCapture } from './graph.ts';
import type { Step } from './step.ts';

export class Capturing {
  readonly #devices: Devices;
  readonly #costs: CostModel;
  #capture: GraphCapture | null = null;
  /** Graph of the last finished capture. */
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

  /** Executes one of the calls, and returns its cost. */
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
