/** Applies a list of changes to a script, in an order in which they build on one another. */
import type { Assumptions } from '../assumptions.ts';
import type { Script } from '../script.ts';
import { keepOnDevice, moveToDevice, sendSmaller, tellsKept, tellsSmaller } from './device.ts';
import { delayWait, graph, keepMemory, loadInWorkers, otherThread, removeWait } from './host.ts';
import { batch, nonBlocking, pin, pinEachStep } from './memory.ts';
import { bothDirections, doubleBuffer, otherStream, prefetch } from './streams.ts';
import type { ChangeWord } from './words.ts';

type Change = (script: Script, assumed: Assumptions) => Script;

/**
 * In order: copies that are removed need no other memory, joined copies are pinned first, and prefetched copies already
 * have their memory.
 */
const changes: readonly (readonly [ChangeWord, Change])[] = [
  ['keep-on-device', keepOnDevice],
  ['move-to-device', moveToDevice],
  ['send-smaller', sendSmaller],
  ['load-in-workers', loadInWorkers],
  ['keep-memory', keepMemory],
  ['pin', pin],
  ['pin-each-step', pinEachStep],
  ['batch', batch],
  ['non-blocking', nonBlocking],
  ['other-thread', otherThread],
  ['remove-wait', removeWait],
  ['delay-wait', delayWait],
  ['both-directions', bothDirections],
  ['double-buffer', doubleBuffer],
  ['prefetch', prefetch],
  ['other-stream', otherStream],
  ['graph', graph],
];

export const applyChanges = (script: Script, words: readonly ChangeWord[], assumed: Assumptions): Script =>
  changes.reduce((changed, [word, change]) => (words.includes(word) ? change(changed, assumed) : changed), script);

/** Returns whether a change alters anything: unchanged items stay the same objects. */
export const alters = (before: Script, after: Script): boolean =>
  before.helper !== after.helper ||
  before.steps.some(({ items }, step) => {
    const now = after.steps[step]?.items ?? [];
    return now.length !== items.length || items.some((item, index) => item !== now[index]);
  });

/** Whether the trace shows the need for a change. Other changes are simulated only if a person asks for them. */
const shown: Partial<Readonly<Record<ChangeWord, (script: Script) => boolean>>> = {
  'keep-on-device': tellsKept,
  'send-smaller': tellsSmaller,
};

export const isShownByTrace = (script: Script, word: ChangeWord): boolean => shown[word]?.(script) ?? true;
