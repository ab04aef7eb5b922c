/** A small table as an Arrow IPC file, which pandas, polars and DuckDB open. */
import { Float64, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import type { CsvCell } from './csv.ts';

/** A column is of numbers where `numbers` has its place; what is empty there is null. */
export function arrowTable(
  header: readonly string[],
  lines: readonly (readonly CsvCell[])[],
  numbers: ReadonlySet<number>,
): Uint8Array {
  const columns = header.map((name, place) => {
    const cells = lines.map((line) => line[place] ?? '');
    const vector = numbers.has(place)
      ? vectorFromArray(
          cells.map((cell) => (cell === '' ? null : Number(cell))),
          new Float64(),
        )
      : vectorFromArray(cells.map(String), new Utf8());
    return [name, vector] as const;
  });
  return tableToIPC(new Table(Object.fromEntries(columns)), 'file');
}
