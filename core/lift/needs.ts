/** Sentences on what must hold for a change to gain what is predicted, and on assumptions of the prediction. */

import { lowerMedian } from '../statistics.ts';
import { formatBytes, formatDuration } from '../units.ts';
import { tellingBytes } from './assumptions.ts';
import { keptCopies, type Movable, movablesOf, operatorsOf, readsResults } from './changes/device.ts';
import { holdsLock, loadingNs } from './changes/host.ts';
import { isScalar, pinningNs } from './changes/memory.ts';
import type { ChangeWord } from './changes/words.ts';
import { deviceOf } from './devices.ts';
import { copiesOf, type Item, isPageable, type Script } from './script.ts';

type Need = (script: Script) => string | null;

const needs: Partial<Readonly<Record<ChangeWord, Need>>> = {
  'keep-on-device': (script) => {
    return `It needs ${formatBytes(keptBytes(script))} of device memory, and data that stays the same from step to step: the trace doesn't have the data.`;
  },
  'move-to-device': (script) => {
    const names = movedNames(script, 'move-to-device');
    const what = names || "the host's own work on what came back";
    const isArithmetic =
      names === '' ? ' It must be arithmetic, such as that of numpy: then the result alone is copied.' : '';
    return `It is assumed that ${what} takes a fiftieth of its time on the device, at least a two hundredth and at most a tenth.${isArithmetic}`;
  },
  'send-smaller': (script) => {
    const names = movedNames(script, 'send-smaller');
    const converted = names === '' ? 'the data has the smaller type before the step' : `the device does ${names}`;
    return `It is assumed that a quarter of the bytes is enough, as uint8 for float32, at least an eighth and at most a half, and that ${converted}.`;
  },
  pin: ({ steps }) => {
    if (steps.some(({ items }) => isUnpinned(items)))
      return 'The copies wait for nothing by themselves, as with non_blocking=True, but their memory is pageable. A DataLoader with pin_memory=True pins a batch of a class of its own only if the class has a method pin_memory().';
    const ns = steps.map(({ items }) =>
      items.reduce((sum, one) => sum + (one.kind === 'work' ? pinningNs(one) : 0), 0),
    );
    return Math.max(0, ...ns) === 0
      ? null
      : `A step pins for ${formatDuration(lowerMedian(ns))}. Make the batch in one page-locked buffer, which takes none of it; copying it there gains nothing. Or let a DataLoader's thread pin ahead.`;
  },
  graph: () =>
    'First its shapes and the memory that it reads and writes must stay the same: copy what changes into the same tensors before each replay, and decide nothing on the host in between.',
  'remove-wait': ({ steps }) => {
    const found = copiesOf(steps[Math.min(1, steps.length - 1)]?.items ?? []).filter((copy) => isScalar(copy));
    const masks = found.filter(({ finds }) => finds === 'aten::nonzero').length;
    return masks < 2
      ? null
      : `${masks} of ${found.length} values that a step waits for are in aten::nonzero, as for x[mask]. Compute the index of a mask once, and use it with index_select, index_copy_ and index_add_; or use torch.where, which needs none.`;
  },
  'other-thread': ({ steps }) => {
    if (steps.some(({ items }) => readsResults(items)))
      return 'The host works on what copies brought back: another thread can do that later, or the device instead, or both less often.';
    return steps.some(({ items }) => items.some(holdsLock))
      ? "Python's own work holds the lock of the interpreter, and a thread gains less than this: let a worker process do it, or do it once before the steps."
      : null;
  },
  'load-in-workers': (script) => {
    const loading = loadingNs(script);
    if (script.steps.some(({ items }) => items.some((item) => item.kind === 'work' && item.hasWorkers)))
      return `The program has workers, and a step waits ${formatDuration(loading)} for a batch: give it more of them (num_workers), each with a processor of its own.`;
    const rest = Math.max(1, floorNs(script), hostNs(script) - loading);
    const count = Math.max(1, Math.ceil(loading / rest));
    return `A batch takes ${formatDuration(loading)} to load: ${count} ${count === 1 ? 'worker is' : 'workers are'} enough if each has a processor of its own.`;
  },
};

/** Returns whether a large copy from pageable memory has no wait of its own. */
function isUnpinned(items: readonly Item[]): boolean {
  const waits = new Set(items.map((item) => (item.kind === 'sync' ? item.copy : -1)));
  return copiesOf(items).some(
    (copy) => copy.direction === 'h2d' && isPageable(copy) && copy.bytes >= tellingBytes && !waits.has(copy.id),
  );
}

/** Returns the bytes of a step's copies that keep-on-device makes unnecessary. */
export function keptBytes(script: Script): number {
  const brought = [...keptCopies(script)].filter(({ direction }) => direction === 'h2d');
  return brought.reduce((sum, copy) => sum + copy.bytes, 0) / Math.max(1, script.steps.length);
}

/** Returns at most three names, the longest first. */
function movedNames(script: Script, kind: Movable['kind']): string {
  return operatorsOf(script.steps.flatMap(({ items }) => movablesOf(items).filter((one) => one.kind === kind)))
    .slice(0, 3)
    .map(({ name }) => name)
    .join(', ');
}

/** Returns the host time of the longest step without its waits, in nanoseconds. */
const hostNs = ({ steps }: Script): number =>
  Math.max(
    ...steps.map(({ items }) =>
      items.reduce((sum, item) => sum + (item.kind === 'work' ? item.ns : item.kind === 'launch' ? item.callNs : 0), 0),
    ),
  );

export const needsOf = (script: Script, changes: readonly ChangeWord[]): string[] =>
  changes.flatMap((word) => needs[word]?.(script) ?? []);

/**
 * Returns the minimum time of a script's step: kernels, communication and copies on the busiest shared resource. A
 * stream runs one operation at a time, a link one copy per direction, and streams that wait for each other count as one.
 */
export function floorNs({ steps, inTurn }: Script): number {
  // The first step may contain work that others do ahead of time.
  const typical = steps.length > 1 ? steps.slice(1) : steps;
  return lowerMedian(typical.map(({ items }) => busiestNs(items, inTurn)));
}

function busiestNs(items: readonly Item[], inTurn: Script['inTurn']): number {
  const streams = new Map<string, number>();
  const links = new Map<string, number>();
  const kernels = new Map<string, number>();
  const spend = (times: Map<string, number>, on: string, ns: number): void => {
    times.set(on, (times.get(on) ?? 0) + ns);
  };
  const launch = (stream: string, ns: number): void => {
    spend(streams, stream, ns);
    spend(kernels, stream, ns);
  };
  for (const item of items) {
    if (item.kind === 'launch') launch(item.stream, item.deviceNs);
    else if (item.kind === 'graph') for (const { deviceNs } of item.launches) launch(item.stream, deviceNs);
    else if (item.kind === 'copy') {
      spend(streams, item.stream, item.deviceNs);
      spend(links, `${deviceOf(item.stream)} ${item.direction}`, item.deviceNs);
    }
  }
  const together = inTurn.map((group) => group.reduce((sum, stream) => sum + (kernels.get(stream) ?? 0), 0));
  return Math.max(0, ...streams.values(), ...links.values(), ...together);
}
