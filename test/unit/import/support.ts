/** Trace files for the reader's tests: the recorded ones, and small written ones. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ByteStream } from '../../../core/import/importedRun.ts';
import { readPyTorchTrace } from '../../../core/import/kineto/pytorchTrace.ts';
import { readRow, type TraceRow } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import { unpacked } from '../../../host/library/imports/unpacked.ts';

export { complete } from '../../support/drawnTraces.ts';

const folder = join(import.meta.dirname, '../../fixtures/pytorch-traces');

export const overlapTraces = ['streamed0_pinned0', 'streamed0_pinned1', 'streamed1_pinned0', 'streamed1_pinned1'].map(
  (name) => `trace_${name}.json`,
);

export const traceBytes = (file: string): Uint8Array => new Uint8Array(readFileSync(join(folder, file)));

export async function* chunksOf(bytes: Uint8Array, size = 1 << 16): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

export const modifiedAt = new Date('2026-01-02T03:04:05.000Z');

/** Reads a file's bytes in chunks, packed or not. */
export const readStream = (chunks: ByteStream): Promise<Run> =>
  readPyTorchTrace(unpacked(chunks), { name: 'test', version: '1.2.3', modifiedAt });

export const read = (content: Uint8Array | string, size?: number): Promise<Run> =>
  readStream(chunksOf(typeof content === 'string' ? new TextEncoder().encode(content) : content, size));

export const rowsOf = ({ trace }: Run): TraceRow[] =>
  Array.from({ length: trace.count }, (_, row) => readRow(trace, row));

export const traceOf = (events: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ ...more, traceEvents: events });
