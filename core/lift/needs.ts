/** Sentences on what must hold for a change to gain what is predicted, and on assumptions of the prediction. */
import { formatBytes, formatDuration } from '../units.ts';
import { keptCopies, type Movable, movablesOf, operatorsOf } from './changes/device.ts';
import { loadingNs } from './changes/host.ts';
import type { ChangeWord } from './changes/words.ts';
import { floorNs } from './floor.ts';
import type { Script } from './script.ts';

type Need = (script: Script) => string | null;

const needs: Partial<Readonly<Record<ChangeWord, Need>>> = {
  'keep-on-device': (script) => {
    return `It needs ${formatBytes(keptBytes(script))} of device memory, and data that stays the same from step to step: the trace does not hold the data.`;
  },
  'move-to-device': (script) => {
    const names = movedNames(script, 'move-to-device');
    return `It is assumed that ${names} need a fiftieth of their time on the device, at least a two hundredth and at most a tenth.`;
  },
  'send-smaller': (script) => {
    const names = movedNames(script, 'send-smaller');
    const converted = names === '' ? 'the data has the smaller type before the step' : `the device does ${names}`;
    return `It is assumed that a quarter of the bytes is enough, as uint8 for float32, at least an eighth and at most a half, and that ${converted}.`;
  },
  graph: () =>
    'First its shapes and the memory that it reads and writes must stay the same: copy what changes into the same tensors before each replay, and decide nothing on the host in between.',
  'load-in-workers': (script) => {
    const loading = loadingNs(script);
    const rest = Math.max(1, floorNs(script), hostNs(script) - loading);
    const count = Math.max(1, Math.ceil(loading / rest));
    return `A batch takes ${formatDuration(loading)} to load: ${count} ${count === 1 ? 'worker is' : 'workers are'} enough if each has a processor of its own.`;
  },
};

/** Returns the bytes of a step's copies that keep-on-device makes unnecessary. */
export function keptBytes(script: Script): number {
  const brought = [...keptCopies(script)].filter(({ direction }) => direction === 'h2d');
  return brought.reduce((sum, copy) => sum + copy.bytes, 0) / Math.max(1, script.steps.length);
}

/** Returns at most three names, the longest first. */
function movedNames(script: Script, kind: Movable['kind']): string {
  const work = script.steps
    .flatMap(({ items }) => movablesOf(items).filter((one) => one.kind === kind))
    .flatMap((one) => one.work);
  return operatorsOf(work)
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
