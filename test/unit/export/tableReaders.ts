/**
 * Other programs that read tables: pandas, DuckDB and polars, if this machine has them. Packages for Node are found
 * among Copyscope's own, and in the folder COPYSCOPE_READERS.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A row's cells by the names of their columns; empty ones are null. */
export type TableRow = Readonly<Record<string, number | string | null>>;

export interface TableReader {
  readonly name: string;
  readonly reads: 'csv' | 'arrow';
  /** Reason that it can't be used here; null if it can. */
  readonly lacks: string | null;
  readonly read: (path: string) => Promise<readonly TableRow[]>;
}

const pandasScript = `
import sys, pandas
table = pandas.read_csv(sys.argv[1], keep_default_na=False, na_values={"op": "", "correlation": ""}, float_precision="round_trip")
print(table.to_json(orient="records", double_precision=15))
`;

/** The system's own interpreter may have packages that the first one on the path lacks. */
const pythons = ['python3', '/usr/bin/python3'];
const pandasPython = pythons.find((one) => spawnSync(one, ['-c', 'import pandas']).status === 0);

function pandasRows(path: string): readonly TableRow[] {
  const options = { encoding: 'utf8', maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr } = spawnSync(pandasPython ?? '', ['-c', pandasScript, path], options);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as TableRow[];
}

const folders = [import.meta.filename, join(process.env['COPYSCOPE_READERS'] ?? import.meta.dirname, 'any.js')];

function packageOf<Package>(name: string): Package | null {
  for (const folder of folders) {
    try {
      return createRequire(folder)(name) as Package;
    } catch {
      // The next folder may have the package.
    }
  }
  return null;
}

interface Polars {
  readCSV(path: string, options: object): { toRecords(): TableRow[] };
  readIPC(bytes: Buffer): { toRecords(): TableRow[] };
}
interface DuckDb {
  readonly DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{
        runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, number | string | null>[] }>;
      }>;
    }>;
  };
}
const polars = packageOf<Polars>('nodejs-polars');
const duckDb = packageOf<DuckDb>('@duckdb/node-api');

const missing = (name: string, found: unknown): string | null => (found == null ? `${name} is not installed` : null);

export const tableReaders: readonly TableReader[] = [
  {
    name: 'pandas',
    reads: 'csv',
    lacks: missing('pandas', pandasPython),
    read: async (path) => pandasRows(path),
  },
  {
    name: 'DuckDB',
    reads: 'csv',
    lacks: missing('@duckdb/node-api', duckDb),
    async read(path) {
      const connection = await (await duckDb?.DuckDBInstance.create(':memory:'))?.connect();
      const sql = `select * from read_csv('${path}', header = true, delim = ',', quote = '"', escape = '"')`;
      return (await connection?.runAndReadAll(sql))?.getRowObjectsJson() ?? [];
    },
  },
  {
    name: 'polars',
    reads: 'csv',
    lacks: missing('nodejs-polars', polars),
    read: async (path) => polars?.readCSV(path, { inferSchemaLength: null }).toRecords() ?? [],
  },
  {
    name: 'polars',
    reads: 'arrow',
    lacks: missing('nodejs-polars', polars),
    read: async (path) => polars?.readIPC(readFileSync(path)).toRecords() ?? [],
  },
];
