/**
 * Tries inputs in a separate process, which its parent may have to kill. Each input depends only on the seed, its kind
 * and its number, so that a failed one can be made again.
 */
import process from 'node:process';
import { Random } from '../unit/support/random.ts';
import type { Kind } from './kind.ts';
import { allKinds } from './kinds.ts';

/** Inputs of one kind in a range of numbers. */
export interface Batch {
  readonly seed: number;
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

export type WorkerMessage =
  | { readonly tells: 'ready'; readonly kinds: readonly string[] }
  /** Sent regularly: the parent kills a worker that is silent for long. */
  | { readonly tells: 'alive'; readonly number: number; readonly peakBytes: number; readonly usedMs: number }
  | { readonly tells: 'failed'; readonly number: number; readonly reason: string; readonly input: string }
  | { readonly tells: 'done'; readonly taken: number; readonly peakBytes: number };

const kinds = allKinds();
const tell = (sent: WorkerMessage): void => void process.send?.(sent);
/** Returns the process's peak memory and processor time. */
function used(): { readonly peakBytes: number; readonly usedMs: number } {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return { peakBytes: maxRSS * 1024, usedMs: (userCPUTime + systemCPUTime) / 1000 };
}

/** Returns numbers that differ between kinds with the same seed and number. */
function randomFor({ seed, kind }: Batch, number: number): Random {
  let mixed = seed;
  for (const letter of kind) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193);
  return new Random(Math.imul(mixed, 31) + number);
}

const base64 = (input: Uint8Array | string): string => Buffer.from(input as string).toString('base64');

async function attempt(kind: Kind, batch: Batch, number: number): Promise<boolean> {
  const { input, run } = kind.make(randomFor(batch, number));
  try {
    return await run();
  } catch (thrown) {
    const reason = thrown instanceof Error ? `${thrown.stack ?? thrown.message}` : String(thrown);
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? `\n${thrown.cause.stack}` : '';
    tell({ tells: 'failed', number, reason: reason + cause, input: base64(input) });
    return false;
  }
}

async function work(batch: Batch): Promise<void> {
  const kind = kinds[batch.kind];
  if (kind === undefined) throw new Error(`no kind ${batch.kind}`);
  let taken = 0;
  for (let number = batch.from; number < batch.to; number += 1) {
    tell({ tells: 'alive', number, ...used() });
    if (await attempt(kind, batch, number)) taken += 1;
  }
  tell({ tells: 'done', taken, peakBytes: used().peakBytes });
}

// An error that nobody awaits is also a failure, of the current input.
process.on('message', (batch: Batch) => void work(batch));
process.on('disconnect', () => process.exit());
process.on('exit', () => {
  for (const kind of Object.values(kinds)) kind.close?.();
});
tell({ tells: 'ready', kinds: Object.keys(kinds) });
