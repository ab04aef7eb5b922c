/** A small table as an Arrow IPC file, which pandas, polars and DuckDB open. */
import { type Data, Field, Float64, makeData, RecordBatch, Schema, Struct, Table, tableToIPC } from 'apache-arrow';
import { textData } from '../../trace/arrow/texts.ts';
import type { CsvCell } from './csv.ts';

/** A column is of numbers where `numbers` has its place; what is empty there is null. */
export function arrowTable(
  header: readonly string[],
  lines: readonly (readonly CsvCell[])[],
  numbers: ReadonlySet<number>,
): Uint8Array {
  const children = header.map((_, place): Data => {
    const cells = lines.map((line) => line[place] ?? '');
    return numbers.has(place) ? numberData(cells) : textData(cells.map(String));
  });
  const fields = header.map((name, place) => new Field(name, (children[place] as Data).type, numbers.has(place)));
  const schema = new Schema(fields);
  const data = makeData({ type: new Struct(fields), length: lines.length, children });
  return tableToIPC(new Table(schema, [new RecordBatch(schema, data)]), 'file');
}

function numberData(cells: readonly CsvCell[]): Data<Float64> {
  const nullBitmap = new Uint8Array(Math.ceil(cells.length / 64) * 8);
  let nullCount = 0;
  const data = Float64Array.from(cells, (cell, index) => {
    if (cell === '') nullCount += 1;
    else nullBitmap[index >> 3] = (nullBitmap[index >> 3] ?? 0) | (1 << (index & 7));
    return Number(cell);
  });
  return makeData({ type: new Float64(), length: cells.length, nullCount, nullBitmap, data });
}
