/**
 * What an engine does to host memory before each iteration (native/src/executor.cpp): it fills the buffers that the program
 * writes, the larger ones by several threads, and flushes page-locked ones that only devices write out of the caches.
 */
import type { Pattern } from '../experiment/resources.ts';
import type { Program, ProgramBuffer } from '../program/program.ts';
import { overwritingNs } from './overwrittenTargets.ts';
import type { DeviceProfile } from './profile.ts';

/** A thread for each so many bytes, and at most so many. */
const fill = { bytesPerThread: 2 ** 22, threads: 16, page: 4096 };
/** It flushes what a processor may still keep for itself: so much at the end of what each thread has filled. */
const flush = { bytes: 2 ** 22, line: 64 };
/** On an H200 machine an iteration took 7 ms longer to begin where 1.9 MB were flushed, and 12 to 17 ms where 5 MB and more were. */
const flushLineNs = 140;

const isFilled = ({ memory, written, allocated }: ProgramBuffer): boolean =>
  memory !== 'device' && written && allocated === 'before-run';

/** Bytes of host memory that something in the program writes. */
export const filledBytes = ({ buffers }: Program): number =>
  buffers.reduce((sum, { memory, bytes, written }) => (memory !== 'device' && written ? sum + bytes : sum), 0);

/** Whether filling them leaves nothing else in any cache, so that what the host copies comes from memory. */
export const flushesCaches = (program: Program, { host }: DeviceProfile): boolean =>
  filledBytes(program) > (host.lastLevelBytes ?? Number.POSITIVE_INFINITY);

/** The parts of a buffer that threads fill side by side; none where nothing fills it. */
export function filledParts(buffer: ProgramBuffer): { readonly from: number; readonly bytes: number }[] {
  if (!isFilled(buffer)) return [];
  const { bytes } = buffer;
  const threads = Math.min(fill.threads, Math.floor(bytes / fill.bytesPerThread));
  if (threads <= 1) return [{ from: 0, bytes }];
  const share = Math.floor((bytes / threads + fill.page) / fill.page) * fill.page;
  const parts = [];
  for (let from = 0; from < bytes; from += share) parts.push({ from, bytes: Math.min(share, bytes - from) });
  return parts;
}

/** Of each buffer, whether it is flushed once it is filled. */
function flushedBuffers({ buffers, threads }: Program): boolean[] {
  const onHost = (buffer: number): boolean => buffers[buffer]?.memory !== 'device';
  const writtenByHost = new Set<number>();
  for (const { instructions } of threads) {
    for (const one of instructions) {
      if (one.code === 'write') writtenByHost.add(one.buffer);
      else if (one.code === 'pin') writtenByHost.add(one.dst);
      else if (one.code === 'copy' && onHost(one.src) && onHost(one.dst)) writtenByHost.add(one.dst);
    }
  }
  return buffers.map((buffer, index) => isFilled(buffer) && buffer.memory !== 'pageable' && !writtenByHost.has(index));
}

/** How long all of it takes; `filled`: an engine that flushes nothing. */
export function preparationNs(program: Program, { host }: DeviceProfile, filled: boolean): number {
  const { memcpyBytesPerSecond, writeBytesPerSecond = memcpyBytesPerSecond } = host;
  const rates = { constant: undefined, index: host.indexBytesPerSecond, random: host.randomBytesPerSecond };
  const bytesPerSecond = ({ kind }: Pattern): number => rates[kind] ?? writeBytesPerSecond;
  const flushed = flushedBuffers(program);
  const buffersNs = program.buffers.reduce((sum, buffer, index) => {
    const [first] = filledParts(buffer);
    if (first === undefined) return sum;
    const fillNs = (first.bytes / bytesPerSecond(buffer.pattern)) * 1e9;
    const isFlushed = flushed[index] === true && !filled;
    return sum + fillNs + (isFlushed ? (Math.min(first.bytes, flush.bytes) / flush.line) * flushLineNs : 0);
  }, 0);
  return buffersNs + overwritingNs(program);
}
