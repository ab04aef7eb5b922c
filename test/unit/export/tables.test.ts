/** CSV exports, read by Python's csv module: every row, cell by cell. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRow } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import { newFolder } from '../../support/newFolder.ts';
import { read, traceBytes } from '../import/support.ts';
import { smallRun } from '../trace/fixtures.ts';
import { exported, recordedRun, simulatedExample } from './support.ts';

const folder = newFolder();
const script =
  'import csv, json, sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))))';

/** Returns a run with difficult names: quotes in CSV, words that spreadsheets reinterpret, other alphabets. */
function withHardNames(): Run {
  const run = smallRun();
  const hard = ['a "quoted", name', 'of two\nlines', 'NaN', 'null', 'ядро µ', "it's"];
  const names = run.trace.names.map((name, index) => hard[index % hard.length] ?? name);
  return { ...run, trace: { ...run.trace, names } };
}

/** Returns the cells of a run's rows as texts; a row without an operation, call, engine or memory has empty ones. */
const rowsOf = ({ trace }: Run) =>
  Array.from({ length: trace.count }, (_, row) => {
    const { iteration, startNs, durationNs, kind, lane, engine, name, op, correlation, bytes, src, dst } = readRow(
      trace,
      row,
    );
    const cells = {
      ...{ iteration, start_ns: startNs, duration_ns: durationNs, kind, lane: lane.id, engine: engine?.id ?? '' },
      // A line end is shown by its sign.
      name: name.replace('\n', '␊'),
      ...{ op: op ?? '', correlation: correlation ?? '', bytes, src_memory: src, dst_memory: dst },
    };
    return Object.fromEntries(Object.entries(cells).map(([column, cell]) => [column, String(cell)]));
  });

it.for<readonly [string, () => Run | Promise<Run>]>([
  ['a recorded run', () => recordedRun('overlap/pinned-side-stream')],
  ['a simulated run', () => simulatedExample('pipelines/strategy-b')],
  ['an imported trace', () => read(traceBytes('trace_streamed1_pinned1.json'))],
  ['a run with hard names', withHardNames],
])('Python reads every row and cell of %s from its CSV', async ([, make], context) => {
  const run = await make();
  const path = join(folder, 'table.csv');
  writeFileSync(path, exported(run, 'csv'));
  const { status, stdout, error } = spawnSync('python3', ['-c', script, path], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (error !== undefined) return context.skip('python3 is not installed');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual(rowsOf(run));
});
