import { addCallProbes } from './callProbes.ts';
import { addCopyProbes } from './copyProbes.ts';
import { addHostFunctionProbes, addKernelProbes } from './kernelProbes.ts';
import { addLibraryProbes } from './libraryProbes.ts';
import { addHostProbes, addMemoryProbes } from './memoryProbes.ts';
import { repeat, spin, stream, synchronize } from './operations.ts';
import { type Plan, PlanBuilder, type PlanOptions } from './plan.ts';
import { callNs } from './reading.ts';
import { addTensorProbes } from './tensorProbes.ts';

/** Adds graphs of kernels: instantiating, uploading and running them. */
const sizes = [1, 10, 100, 1000];
const largest = 1000;

function addGraphProbes(builder: PlanBuilder): void {
  const launch = (label: string, nodes: number) => ({
    ...{ op: 'graphLaunch' as const, label, graph: `g${nodes}`, stream: 'work' },
  });
  const graph = (nodes: number) => [
    {
      ...{ op: 'graphCapture' as const, label: `capture ${nodes}`, graph: `g${nodes}`, stream: 'work' },
      operations: [repeat(nodes, spin(`node of ${nodes}`, 0))],
    },
    ...[launch(`first ${nodes}`, nodes), launch(`again ${nodes}`, nodes), synchronize(`end ${nodes}`)],
  ];
  const found = builder.probe('graphs', { streams: [stream] }, sizes.flatMap(graph));
  for (const nodes of sizes) {
    found.point('graph.instantiate', 'nodes', nodes, callNs(`capture ${nodes}`, 'cudaGraphInstantiate'));
    found.point('graph.upload', 'nodes', nodes, callNs(`capture ${nodes}`, 'cudaGraphUpload'));
  }
  found.value('graph.kernelNodeNs', (recorded) => {
    // Uses the second launch: the first one's kernels come before.
    const works = recorded.works(`node of ${largest}`).slice(-largest);
    const [first, last] = [works[0], works.at(-1)];
    return first === undefined || last === undefined ? undefined : (last.endNs - first.startNs) / works.length;
  });
}

export const standardOptions: PlanOptions = { devices: 1, largestBytes: 256 * 2 ** 20, iterations: 15 };

export function calibrationPlan(options: PlanOptions): Plan {
  const builder = new PlanBuilder(options);
  addCopyProbes(builder);
  addCallProbes(builder);
  addKernelProbes(builder);
  addHostFunctionProbes(builder);
  addLibraryProbes(builder);
  addGraphProbes(builder);
  addMemoryProbes(builder);
  addHostProbes(builder);
  addTensorProbes(builder);
  return builder.plan;
}
