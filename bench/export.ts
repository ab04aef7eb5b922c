/**
 * Exports a generated run in each form and says what it took: node bench/run.mjs export [ROWS]. Each file is then
 * read back, Perfetto's by a decoder made of its schema and PyTorch's by the importer, and held against the run's rows.
 */
import { performance } from 'node:perf_hooks';
import { exportRun } from '../core/export/exportRun.ts';
import { exportFormats } from '../core/export/formats.ts';
import { readPyTorchTrace } from '../core/import/kineto/pytorchTrace.ts';
import { joinCalls } from '../core/trace/correlation.ts';
import { allRows } from '../core/trace/rows.ts';
import type { Run } from '../core/trace/run.ts';
import { rowKinds } from '../core/trace/trace.ts';
import { syntheticRun } from '../test/support/syntheticRun.ts';
import { readPerfetto } from '../test/unit/export/readPerfetto.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const run = syntheticRun(rows);

/** Sums over all rows, in any order: of whole numbers that stay exact, and of a hash of what belongs together. */
class Sums {
  rows = 0;
  flows = 0;
  bytes = 0;
  hash = 0;

  add(startNs: number, durationNs: number, bytes: number, name: string): void {
    this.rows += 1;
    this.bytes += bytes;
    let hash = 2_166_136_261;
    for (const value of [startNs, durationNs, bytes, name.length, name.charCodeAt(0)]) {
      hash = Math.imul(hash ^ (value % 2 ** 31), 16_777_619);
      hash = Math.imul(hash ^ Math.floor(value / 2 ** 31), 16_777_619);
    }
    this.hash = (this.hash + (hash >>> 0)) % 2 ** 48;
  }

  get text(): string {
    return `${this.rows} rows, ${this.flows} flows, ${this.bytes} bytes, hash ${this.hash.toString(16)}`;
  }
}

/** `isKept`: of the rows that a form has a place for. */
function sumsOf({ trace }: Run, isKept: (kind: string) => boolean = () => true): Sums {
  const sums = new Sums();
  const { columns, names } = trace;
  const { callOf } = joinCalls(trace, allRows(trace));
  for (let row = 0; row < trace.count; row += 1) {
    if (!isKept(rowKinds[columns.kind[row] ?? 0] ?? '')) continue;
    const start = Math.floor(columns.startNs[row] ?? 0);
    const end = Math.floor((columns.startNs[row] ?? 0) + (columns.durationNs[row] ?? 0));
    sums.add(start, end - start, columns.bytes[row] ?? 0, names[columns.name[row] ?? 0] ?? '');
    if (callOf(row) !== null) sums.flows += 1;
  }
  return sums;
}

function perfettoSums(pieces: readonly Uint8Array[]): Sums {
  const sums = new Sums();
  for (const { category, name, startNs, durationNs, args, endingFlows } of readPerfetto(Buffer.concat(pieces)).slices) {
    if (category === 'engine') continue;
    sums.add(startNs, durationNs, Number(args['bytes'] ?? 0), name);
    sums.flows += endingFlows.length;
  }
  return sums;
}

for (const format of exportFormats) {
  const start = performance.now();
  const pieces = [...exportRun(run, format)];
  const seconds = (performance.now() - start) / 1000;
  const megabytes = pieces.reduce((sum, { length }) => sum + length, 0) / 1e6;
  console.log(`${format}: ${run.trace.count} rows, ${megabytes.toFixed(0)} MB: ${seconds.toFixed(2)} s`);
  if (format === 'perfetto') say(perfettoSums(pieces), sumsOf(run), start + seconds * 1000);
  if (format === 'pytorch') await readBack(pieces);
}

function say(found: Sums, own: Sums, from: number): void {
  const seconds = (performance.now() - from) / 1000;
  console.log(
    `  read back in ${seconds.toFixed(2)} s: ${found.text === own.text ? 'equal' : `${own.text} became`} ${found.text}`,
  );
}

/** Names of copies, marks and memory differ there (see docs/guide/share.md); calls and kernels are the same in both. */
async function readBack(pieces: readonly Uint8Array[]): Promise<void> {
  const start = performance.now();
  async function* stream() {
    yield* pieces;
  }
  const read = await readPyTorchTrace(stream(), { name: 'bench', version: '0', modifiedAt: new Date() });
  const isKept = (kind: string): boolean => kind === 'kernel' || kind === 'host-call';
  say(sumsOf(read, isKept), sumsOf(run, isKept), start);
}
