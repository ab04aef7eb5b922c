/** Copies of many rows between two tensors, as of the blocks of a KV cache, in the order of a stream. */
import { type BlockTable, blockDirections } from '../../core/apps/calibrate/blocks.ts';
import { type BlockStrategy, blockStrategies } from '../../core/experiment/operations.ts';
import { DeviceGroup } from './deviceGroup.ts';
import { nativeCopies } from './nativeCopies.ts';
import { badOption } from './options.ts';
import { type CopyHandle, Handle, toCopyscopeError } from './startCopy.ts';
import { type CopyStream, requireTakesPart, streamFor } from './streams.ts';
import { badTensor, DeviceTensor, HostTensor } from './tensors.ts';
import { traverse } from './traverse.ts';

export interface BlockCopyOptions {
  /** Default: auto. */
  readonly strategy?: BlockStrategy;
  /** Table of `copyscope calibrate --blocks` for `auto`. Default: a rule from measurements of an H200. */
  readonly table?: BlockTable;
  /** Stream to copy in. Default: the device's current one. */
  readonly stream?: CopyStream;
}

/**
 * Copies rows of `source` (along its first dimension) to rows of `target`, for each pair of row numbers. One tensor is on
 * a device, the other on it or on the host. The copy is in the stream when this returns: after what was put there
 * before, and before what is put there later. Both tensors must stay unchanged until the handle is ready; get() returns
 * `target`, and cancel() recalls nothing. Throws a CopyscopeError: `copy.bad-tensor`, `copy.bad-blocks`,
 * `copy.bad-option`.
 */
export function copyBlocks<T extends HostTensor | DeviceTensor>(
  source: HostTensor | DeviceTensor,
  target: T,
  blocks: readonly (readonly [number, number])[],
  { strategy = 'auto', table, stream }: BlockCopyOptions = {},
): CopyHandle<T> {
  const ends = [source, target];
  const host = ends.filter((end) => end instanceof HostTensor);
  const onDevice = ends.filter((end) => end instanceof DeviceTensor);
  const [device, other = device] = onDevice.map((end) => end.device);
  if (device === undefined || device !== other) {
    const where = device === undefined ? 'the host' : `${device} and ${other}`;
    throw badTensor(
      'target',
      `The tensors are on ${where}.`,
      'Put one on a device, and the other there or on the host.',
    );
  }
  const [rowBytes = 0, targetBytes] = ends.map((end) => end.byteLength / Math.max(1, end.shape[0] ?? 0));
  if (rowBytes !== targetBytes || host.some(({ isContiguous }) => !isContiguous)) {
    const message = `Rows of [${source.shape}] and [${target.shape}] differ in their bytes, or are strided.`;
    throw badTensor('target', message, 'Give contiguous tensors with rows of one size.');
  }
  const number = blockStrategies.indexOf(strategy);
  if (number < 0) throw badOption('strategy', strategy, `one of ${blockStrategies.join(', ')}`);
  if (stream !== undefined) requireTakesPart(stream, new Set([device]));
  const traversal = traverse(target);
  const group = new DeviceGroup(device, traversal);
  for (const end of onDevice) group.add(0, end);
  try {
    const started = nativeCopies().copyBlocks({
      ...group.leaves(),
      ...{ device, rowBytes, strategy: number, table: pointsOf(table), stream: streamFor(device, stream) },
      direction: host.length === 0 ? 2 : target instanceof DeviceTensor ? 0 : 1,
      leaves: host.map(({ bytes }) => bytes),
      pairs: Float64Array.from(blocks.flat()),
      pinned: host.every(({ isPinned }) => isPinned) ? 1 : 0,
    });
    traversal.put(0, target);
    return new Handle<T>(traversal, [{ started, finish: () => undefined, drop: () => undefined }]);
  } catch (thrown) {
    throw toCopyscopeError(thrown);
  }
}

function pointsOf(table: BlockTable | undefined): Float64Array {
  if (table === undefined) return new Float64Array();
  if (table.format !== 'copyscope/blocks' || table.version !== 1) {
    throw badOption('table', table.format, 'a table that "copyscope calibrate --blocks FILE.json" wrote');
  }
  return Float64Array.from(
    table.rows.flatMap(({ direction, bytes, count, fastest }) => [
      blockDirections.indexOf(direction),
      bytes,
      count,
      blockStrategies.indexOf(fastest),
    ]),
  );
}
