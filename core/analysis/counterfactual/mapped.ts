/** Changes of a kernel that works on mapped memory. Rule (core/rules): mapped-memory. */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { type MappedBuffers, mappedBuffers } from '../verdicts/facts.ts';
import { type Found, find, type Situation, sizeOf } from './situation.ts';
import { deviceOf } from './streams.ts';

interface Holder extends Found<'kernel'> {
  readonly mapped: MappedBuffers;
}

function holder(situation: Situation): Holder | null {
  const { experiment, verdict } = situation;
  const kernel = find(situation, verdict.blockedBy ?? verdict.with, 'kernel');
  const mapped = kernel === null ? null : mappedBuffers(experiment, kernel.operation);
  return kernel === null || mapped === null ? null : { ...kernel, mapped };
}

/**
 * It works in device memory, and copy engines carry its data there and back: in the kernel's own stream, right before and
 * behind it.
 */
export function inDeviceMemory(situation: Situation): Change | null {
  const kernel = holder(situation);
  if (kernel === null) return null;
  const { path, label } = kernel.info;
  const { stream, reads, writes } = kernel.operation;
  const { read, written } = kernel.mapped;
  const bytes = Math.min(...[reads[0], writes[0]].map((id) => sizeOf(situation, id ?? '')));
  const edit = new ChangeBuilder(situation.experiment);
  const declare = (id: string): string =>
    edit.declare('buffers', `${id}-on-device`, { memory: 'device', bytes, ...deviceOf(situation, kernel) });
  const copy = { op: 'copy', stream, bytes };
  const source = read === null ? null : declare(read);
  const product = written === null || written === read ? source : declare(written);
  if (read !== null && source !== null) {
    edit.step(`Copy "${read}" to device memory, "${source}", and let "${label}" read it there.`);
    edit.before(path, { ...copy, src: read, dst: source }).replace([...path, 'reads', 0], source);
  }
  if (written !== null && product !== null) {
    edit.step(`Let "${label}" write device memory, "${product}", and copy that to "${written}".`);
    edit.after(path, { ...copy, src: product, dst: written }).replace([...path, 'writes', 0], product);
  }
  return edit.change;
}

/** Enough to read as fast as the link carries: on H200 machines at 50 GB/s, and copies beside such a kernel kept half of their speed. */
const readingShare = 0.25;

/** It reads with fewer threads, which leave copies more of the link. Nothing is known of those that write. */
export function withFewerThreads(situation: Situation): Change | null {
  const kernel = holder(situation);
  if (kernel === null || kernel.mapped.written !== null || kernel.operation.smShare <= readingShare) return null;
  return new ChangeBuilder(situation.experiment)
    .step(`Let "${kernel.info.label}" fill ${readingShare * 100} % of the multiprocessors.`)
    .replace([...kernel.info.path, 'smShare'], readingShare).change;
}
