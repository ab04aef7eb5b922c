/** The four PyTorch traces of test/fixtures/pytorch-overlap.json in our form: the two steps are in one iteration. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import type { MemoryKind, Trace } from '../../../core/trace/trace.ts';

interface FixtureRow {
  readonly kind: 'copy' | 'kernel' | 'host-call' | 'host-sync';
  readonly name?: string;
  readonly stream?: number;
  readonly bytes?: number;
  readonly startUs: number;
  readonly durationUs: number;
  readonly correlation: number;
}

export interface PytorchCase {
  readonly trace: string;
  readonly pinned: boolean;
  readonly streamed: boolean;
  readonly rows: readonly FixtureRow[];
}

const file = join(import.meta.dirname, '../../fixtures/pytorch-overlap.json');

export const pytorchCases = (): readonly PytorchCase[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as { cases: PytorchCase[] }).cases;

export function pytorchTrace({ rows, pinned }: PytorchCase): Trace {
  const builder = new TraceBuilder();
  const thread = builder.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
  const host: MemoryKind = pinned ? 'pinned' : 'pageable';
  for (const row of rows) {
    const onHost = row.stream === undefined;
    const stream = String(row.stream);
    builder.add({
      kind: row.kind,
      name: row.name ?? 'vectorized_elementwise_kernel',
      startNs: row.startUs * 1000,
      durationNs: row.durationUs * 1000,
      correlation: row.correlation,
      lane: onHost ? thread : builder.lane({ kind: 'stream', id: `stream:${stream}`, name: stream, device: 'gpu' }),
      ...(row.kind === 'copy' ? { bytes: row.bytes ?? 0, src: host, dst: 'device' } : {}),
    });
  }
  return builder.build();
}
