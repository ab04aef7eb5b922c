/** CSV exports and run files, opened by other programs: every row, cell by cell. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { readRow } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import { newFolder } from '../../support/newFolder.ts';
import { read, traceBytes } from '../import/support.ts';
import { smallRun } from '../trace/fixtures.ts';
import { exported, recordedRun, simulatedExample } from './support.ts';
import { type TableRow, tableReaders } from './tableReaders.ts';

const folder = newFolder();

/** Returns a run with difficult names: quotes in CSV, words that spreadsheets reinterpret, other alphabets. */
function withHardNames(): Run {
  const run = smallRun();
  const hard = ['a "quoted", name', 'of two\nlines', 'NaN', 'null', 'ядро µ', "it's"];
  const names = run.trace.names.map((name, index) => hard[index % hard.length] ?? name);
  return { ...run, trace: { ...run.trace, names } };
}

/** Returns the columns of both formats; an empty cell is null, or "" if it would be a text. */
function rowsOf({ trace }: Run): TableRow[] {
  return Array.from({ length: trace.count }, (_, row) => {
    const { iteration, startNs, durationNs, kind, lane, engine, name, op, correlation, bytes, src, dst } = readRow(
      trace,
      row,
    );
    return {
      ...{
        iteration,
        start_ns: startNs,
        duration_ns: durationNs,
        kind,
        lane: lane.id,
        engine: engine?.id ?? null,
        name,
      },
      ...{ op: op ?? null, correlation: correlation ?? null, bytes, src_memory: src, dst_memory: dst },
    };
  });
}

const wordColumns = new Set(['kind', 'lane', 'engine', 'name', 'src_memory', 'dst_memory']);

/** Returns rows of readers in one form: null for empty texts and for a run file's numbers for "none". */
function comparable(rows: readonly TableRow[]): TableRow[] {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => !name.startsWith('channel'))
        .map(([name, cell]) => {
          if (wordColumns.has(name)) return [name, cell === '' || cell === null ? null : String(cell)];
          const isNone = cell === null || (name === 'op' && cell === -1) || (name === 'correlation' && cell === 0);
          return [name, isNone ? null : Number(cell)];
        }),
    ),
  );
}

const runs: readonly (readonly [string, () => Run | Promise<Run>])[] = [
  ['a recorded run', () => recordedRun('overlap/pinned-side-stream')],
  ['a simulated run', () => simulatedExample('pipelines/strategy-b')],
  ['an imported trace', () => read(traceBytes('trace_streamed1_pinned1.json'))],
  ['a run with hard names', withHardNames],
];

describe.each(tableReaders)('$name ($reads)', ({ reads, lacks, read: readTable }) => {
  it.for(runs)('reads every row and cell of %s', async ([, make], context) => {
    if (lacks !== null) return context.skip(lacks);
    const run = await make();
    const path = join(folder, `table.${reads}`);
    writeFileSync(path, reads === 'csv' ? exported(run, reads) : encodeRun(run));
    expect(comparable(await readTable(path))).toEqual(comparable(rowsOf(run)));
  });
});
