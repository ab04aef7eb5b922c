/** Options of each multi-tensor copy strategy: name, range and default, the same for every engine. */
import { CopyscopeError } from '../errors.ts';
import { fieldPath } from '../shape/path.ts';
import type { OperationOf } from './operations.ts';

type MultiCopyOperation = OperationOf<'multiCopy'>;
type Strategy = MultiCopyOperation['strategy'];

export interface NumberOption {
  readonly kind: 'number';
  /** Null if it is chosen from the payload and the available processors. */
  readonly default: number | null;
  readonly least: number;
  readonly most: number;
  readonly meaning: string;
}

export interface SwitchOption {
  readonly kind: 'switch';
  readonly default: boolean;
  readonly meaning: string;
}

export type MultiCopyOption = NumberOption | SwitchOption;

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

const threads = (standard: number | null, meaning: string): NumberOption => ({
  kind: 'number',
  default: standard,
  least: 1,
  most: 256,
  meaning,
});
const bytes = (standard: number | null, least: number, meaning: string): NumberOption => ({
  kind: 'number',
  default: standard,
  least,
  most: GiB,
  meaning,
});

/**
 * Options of the multi-tensor copier in NVIDIA's ACCV-Lab, with its names and defaults. Only the background thread is off
 * by default here: an experiment says where its host goes on.
 */
const packing = {
  use_pinned_staging: { kind: 'switch', default: true, meaning: 'Pass host memory through page-locked buffers.' },
  pack_cpu_tensors: { kind: 'switch', default: true, meaning: 'Put small contiguous tensors into common chunks.' },
  min_packed_alignment_bytes: bytes(16, 1, 'Each tensor of a chunk starts at a multiple of it.'),
  max_packed_chunk_bytes: bytes(32 * MiB, 1, 'Limit of a chunk, unless one tensor alone exceeds it.'),
  use_background_thread: {
    kind: 'switch',
    default: false,
    meaning:
      'A thread of its own schedules the job. The call returns; the next operation in its stream waits for the job.',
  },
} as const;

export const multiCopyOptions: Readonly<Record<Strategy, Readonly<Record<string, MultiCopyOption>>>> = {
  'blocking-loop': {},
  'non-blocking-loop': {},
  'pin-then-copy': {},
  'pin-then-copy-non-blocking': {},
  'threaded-pinning': { threads: threads(4, 'Host threads that pin tensors.') },
  packed: { ...packing, threads: threads(null, 'Host threads that pack.') },
  pipelined: {
    ...packing,
    threads: threads(null, 'Host threads that fill the slots.'),
    slotsPerThread: { kind: 'number', default: null, least: 1, most: 64, meaning: 'Page-locked slots of each thread.' },
    slotBytes: bytes(4 * MiB, 4 * KiB, 'Bytes of a slot.'),
    chunkBytes: bytes(null, 4 * KiB, 'Bytes that cross the link at once, at most those of a slot.'),
  },
};

/** Size of the largest tensor that `packed` and `pipelined` join with others. */
export const packedTensorBytes = 256 * KiB;

/** Throws a CopyscopeError `experiment.invalid` if the strategy lacks an option or doesn't allow its value. */
export function requireOptions(
  strategy: Strategy,
  options: Readonly<Record<string, number | boolean>>,
  path: readonly PropertyKey[],
): void {
  for (const [name, value] of Object.entries(options)) {
    const problem = optionProblem(strategy, name, value);
    if (problem === null) continue;
    throw new CopyscopeError({ code: 'experiment.invalid', field: fieldPath([...path, name]), ...problem });
  }
}

function optionProblem(strategy: Strategy, name: string, value: number | boolean) {
  const known = multiCopyOptions[strategy];
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) {
    const names = Object.keys(known).join(', ');
    const remedy = names === '' ? 'Delete it: this strategy has none.' : `Use one of ${names}.`;
    return { message: `strategy ${strategy} has no option "${name}".`, remedy };
  }
  if (option.kind === 'switch') {
    return typeof value === 'boolean'
      ? null
      : { message: `${value} is neither true nor false.`, remedy: 'Use one of them.' };
  }
  const { least, most } = option;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return null;
  return { message: `${value} is no whole number from ${least} to ${most}.`, remedy: 'Use such a number.' };
}
