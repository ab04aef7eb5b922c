/**
 * A trial of predictions on experiments that nobody has looked at: shapes that users of such a tool design, other than
 * the corpus', filled in by chance. A seed gives the same experiments each time. They are recorded on a GPU (run.sh
 * blind); bench/accuracy.ts compares.
 */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { Random } from '../../../test/unit/support/random.ts';
import type { CorpusEntry } from '../corpus/corpus.ts';
import { loader, offload, requests, workers } from './loaders.ts';
import { Sketch } from './sketch.ts';
import { allocations, background, benchmark, checkpoint, crowd, defaults, graph, mixture, training } from './steps.ts';
import { chunks, device, mapped, sizes, swap, tensors } from './transfers.ts';

type Shapes = Readonly<Record<string, (sketch: Sketch) => void>>;

const shapes: Shapes = {
  ...{ loader, workers, offload, requests, chunks, swap, tensors, sizes, mapped, device },
  ...{ training, graph, allocations, crowd, defaults, mixture, background, benchmark, checkpoint },
};

/** Experiments of each shape. */
const each = 4;

export function blindExperiments(seed: number, of: Shapes = shapes): readonly CorpusEntry[] {
  return Object.entries(of).flatMap(([name, draw], shape) =>
    Array.from({ length: each }, (_, index) => {
      // Each has numbers of its own, so that a change to one leaves the others as they were.
      const sketch = new Sketch(new Random(Math.imul(seed, 7919) + shape * 1009 + index));
      draw(sketch);
      const id = `${name}-${index + 1}`;
      return { id, experiment: experimentOf(`Blind ${seed}: ${id}`, sketch) };
    }),
  );
}

function experimentOf(name: string, sketch: Sketch): Experiment {
  const { devices, buffers, streams, events, signals, threads, environment } = sketch;
  return requireExperiment(
    JSON.stringify({
      ...{ format: 'copyscope/experiment', version: 1, name },
      environment: { iterations: 7, warmups: 2, ...environment },
      ...(devices.length === 0 ? {} : { devices }),
      ...{ buffers, streams, events, signals },
      threads: threads.map((operations, index) => ({ id: index === 0 ? 'main' : `thread${index}`, operations })),
    }),
  );
}
