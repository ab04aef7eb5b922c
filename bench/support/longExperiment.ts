/** An experiment of many operations, such as a person's: uploads, kernels and downloads of many items. */

import type { Experiment } from '../../core/experiment/experiment.ts';
import {
  copy,
  handOver,
  kernel,
  mainThread,
  type OperationInput,
  result,
  source,
  template,
  times,
} from '../../core/experiment/templates/build.ts';
import { MiB } from '../../core/units.ts';

const operationsPerItem = 8;

/** Returns an experiment of `count` operations, the last of which waits for all. */
export function longExperiment(count: number): Experiment {
  const items = Math.floor((count - 1) / operationsPerItem);
  const bytes = MiB;
  const operations = times(items, (item): OperationInput[] => {
    const slot = ((item - 1) % 4) + 1;
    return [
      { op: 'work', durationNs: 5_000 },
      copy(`input${slot}`, `loaded${slot}`, 'upload'),
      ...handOver(`loaded${slot}`, 'upload', 'compute'),
      kernel(`loaded${slot}`, `computed${slot}`, 'compute'),
      ...handOver(`computed${slot}`, 'compute', 'download'),
      copy(`computed${slot}`, `output${slot}`, 'download'),
    ];
  }).flat();
  const rest = times(count - 1 - operations.length, (): OperationInput => ({ op: 'work', durationNs: 1_000 }));
  return template({
    name: `${count} operations`,
    buffers: times(4, (slot) => [
      source(`input${slot}`, 'pinned', bytes, slot),
      result(`loaded${slot}`, 'device', bytes),
      result(`computed${slot}`, 'device', bytes),
      result(`output${slot}`, 'pinned', bytes),
    ]).flat(),
    streams: [{ id: 'upload' }, { id: 'compute' }, { id: 'download' }],
    events: times(4, (slot) => [{ id: `loaded${slot}` }, { id: `computed${slot}` }]).flat(),
    threads: mainThread([...operations, ...rest]),
  });
}
