/** Graphs of kernels and of copies: capturing, instantiating, uploading, launching and running them. */
import { copy, gaps, repeat, spin, stream, synchronize } from './operations.ts';
import type { PlanBuilder } from './plan.ts';
import { callNs, durationOf, type Recorded } from './reading.ts';

const sizes = [1, 10, 100, 1000];
const largest = 1000;
const copyBytes = 4096;

const one = (recorded: Recorded, label: string, name: string): number => {
  const found = recorded.call(label, name);
  return found === undefined ? Number.NaN : durationOf(found);
};

export function addGraphProbes(builder: PlanBuilder): void {
  const buffers = [
    { id: 'host', memory: 'pinned' as const, bytes: copyBytes },
    { id: 'device', memory: 'device' as const, bytes: copyBytes },
  ];
  for (const kind of ['kernels', 'copies'] as const) {
    const node = kind === 'kernels' ? spin('node', 0) : copy('node', 'host', 'device', copyBytes);
    const graph = (nodes: number) => [
      {
        op: 'graphCapture' as const,
        label: `capture ${nodes}`,
        graph: `g${nodes}`,
        stream: 'work',
        operations: [repeat(nodes, { ...node, label: `node of ${nodes}` })],
      },
      ...[launch(`first ${nodes}`, nodes), launch(`again ${nodes}`, nodes), synchronize(`end ${nodes}`)],
    ];
    const found = builder.probe(`graphs of ${kind}`, { streams: [stream], buffers }, sizes.flatMap(graph));
    for (const nodes of sizes) {
      const label = `capture ${nodes}`;
      found.point(`graph.instantiate.${kind}`, 'nodes', nodes, callNs(label, 'cudaGraphInstantiate'));
      found.point(`graph.upload.${kind}`, 'nodes', nodes, callNs(label, 'cudaGraphUpload'));
      if (kind === 'kernels') found.point('graph.end', 'nodes', nodes, callNs(label, 'cudaStreamEndCapture'));
    }
    if (kind === 'kernels') addKernelGraph(found);
    else addCopyGraph(found);
  }
}

const launch = (label: string, nodes: number) => ({
  op: 'graphLaunch' as const,
  label,
  graph: `g${nodes}`,
  stream: 'work',
});

const launchNs = (recorded: Recorded, nodes: number): number => one(recorded, `again ${nodes}`, 'cudaGraphLaunch');
/** What each node more adds to a launch. */
const perNode = (recorded: Recorded): number =>
  Math.max(0, (launchNs(recorded, largest) - launchNs(recorded, 10)) / (largest - 10));

function addKernelGraph(found: ReturnType<PlanBuilder['probe']>): void {
  found
    // Not of the first capture, which finds nothing of what it runs in the caches: 24 us on an H200, and 4 to 19 in runs.
    .value('graph.beginNs', (recorded) =>
      sizes.slice(1).flatMap((nodes) => callNs(`capture ${nodes}`, 'cudaStreamBeginCapture')(recorded)),
    )
    .value('graph.captureNs', callNs(`node of ${largest}`))
    .value('graph.launchKernelNodeNs', perNode)
    .value('graph.launchNs', (recorded) => Math.max(0, launchNs(recorded, 1) - perNode(recorded)))
    .value('graph.kernelNodeNs', (recorded) => {
      // Of the second launch: as many kernels as the first had come before.
      const works = recorded.works(`node of ${largest}`).slice(-largest);
      const [first, last] = [works[0], works.at(-1)];
      return first === undefined || last === undefined ? undefined : (last.endNs - first.startNs) / works.length;
    });
}

function addCopyGraph(found: ReturnType<PlanBuilder['probe']>): void {
  found
    .value('graph.launchCopyNodeNs', perNode)
    .value('graph.copyGapNs', (recorded) =>
      gaps(recorded.works(`node of ${largest}`).slice(-largest)).map((ns) => Math.max(0, ns)),
    );
}
