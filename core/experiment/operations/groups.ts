/** Operations that contain others, and the launch of a graph: repeat, range, graphCapture, graphLaunch. */
import { z } from 'zod';
import { idSchema } from '../resources.ts';
import { type Descriptor, type Group, named, streamRef } from './operation.ts';

const mostRounds = 10_000_000;

const repeatSchema = z.strictObject({
  ...named('repeat'),
  count: z.number().int().min(1).max(mostRounds).describe('How often.'),
});
export const repeat: Descriptor<Group<typeof repeatSchema>> = {
  schema: repeatSchema,
  section: 'Around others',
  summary: 'a loop',
  term: 'issue',
  paint: 'host-range',
  text: ({ count }) => `repeat ${count}×`,
  make: (maker) => ({ op: 'repeat', count: 10, operations: [maker.make('work')] }),
  quantity: ({ count: value }) => ({ field: ['count'], name: 'times', value, most: mostRounds }),
  // Each has the other's index, which is known once the content is lowered.
  lower: ({ count }, { op }) => [
    { code: 'repeat', op, count, end: -1 },
    { code: 'endRepeat', op, start: -1 },
  ],
};

/** An NVTX range, or record_function. */
const rangeSchema = z.strictObject({
  ...named('range'),
  name: z.string().min(1).max(120).describe('Like an NVTX range’s.'),
  folded: z.boolean().optional().describe('Shown as one block.'),
});
export const range: Descriptor<Group<typeof rangeSchema>> = {
  schema: rangeSchema,
  section: 'Around others',
  summary: 'an NVTX range',
  term: 'host-thread',
  paint: 'host-range',
  text: ({ name }) => name,
  make: (maker) => ({ op: 'range', name: 'range', operations: [maker.make('work')] }),
  lower: ({ name }, { op }) => [
    { code: 'beginRange', op, name },
    { code: 'endRange', op },
  ],
};

const graphRef = idSchema.describe('Name of a graph.');

const graphCaptureSchema = z.strictObject({ ...named('graphCapture'), graph: graphRef, stream: streamRef });
export const graphCapture: Descriptor<Group<typeof graphCaptureSchema>> = {
  schema: graphCaptureSchema,
  section: 'Around others',
  title: 'Capture graph',
  summary: 'cudaStreamBeginCapture to EndCapture',
  term: 'graph',
  paint: 'host-range',
  text: ({ graph }) => `capture ${graph}`,
  make: (maker) => ({ op: 'graphCapture', graph: 'graph', stream: maker.stream, operations: [maker.make('kernel')] }),
  lower: (operation, { op }, scope, stream) => {
    const graph = scope.graph(operation.graph);
    return [
      { code: 'beginCapture', op, graph, stream },
      { code: 'endCapture', op, graph, stream },
    ];
  },
};

const graphLaunchSchema = z.strictObject({ ...named('graphLaunch'), graph: graphRef, stream: streamRef });
export const graphLaunch: Descriptor<z.infer<typeof graphLaunchSchema>> = {
  schema: graphLaunchSchema,
  section: 'In a stream',
  title: 'Launch graph',
  summary: 'cudaGraphLaunch',
  term: 'graph',
  paint: 'kernel',
  text: ({ graph }) => `launch ${graph}`,
  make: (maker) => ({ op: 'graphLaunch', graph: maker.capturedGraph(), stream: maker.stream }),
  lower: ({ graph }, { op }, scope, stream) => [{ code: 'launchGraph', op, graph: scope.graph(graph), stream }],
};
