/**
 * How an export's programs were started: command, folder and environment. Read only on request, printed and never
 * stored, since an environment often contains passwords. Rows of META_DATA_CAPTURE are named PROCESS_0:COMMAND,
 * PROCESS_0:ARGUMENT_0, PROCESS_0:WORKING_DIR and PROCESS_0:ENVIRONMENT_VARIABLE.
 */
import { type Database, tablesNamed, textOf } from './database.ts';

export interface CapturedProgram {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Null if the export lacks it. */
  readonly folder: string | null;
  /** NAME="VALUE", as in the export, in its order. */
  readonly environment: readonly string[];
}

/** Limit, because a hostile file may name any number. */
const mostPrograms = 100;
const mostTexts = 10_000;

interface Found {
  command: string | null;
  folder: string | null;
  /** By their numbers, which may come in any order. */
  readonly arguments: Map<number, string>;
  readonly environment: string[];
}

/** Returns programs in the order of the export. */
export function capturedPrograms(database: Database): CapturedProgram[] {
  const programs = new Map<string, Found>();
  for (const table of tablesNamed(database.tables, 'META_DATA_CAPTURE')) {
    for (const { name, value } of database.rows(table, ['name', 'value'])) {
      const [, process = '', what = '', number] =
        /^PROCESS_(\d{1,9}):([A-Z_]+?)(?:_(\d{1,9}))?$/.exec(textOf(name)) ?? [];
      const found = programs.get(process) ?? newProgram();
      if (add(found, what, number, textOf(value)) && programs.size < mostPrograms) programs.set(process, found);
    }
  }
  return [...programs.values()].map((found) => ({
    command: [...(found.command === null ? [] : [found.command]), ...inOrder(found.arguments)],
    folder: found.folder,
    environment: found.environment,
  }));
}

const newProgram = (): Found => ({ command: null, folder: null, arguments: new Map(), environment: [] });

/** Adds a value. Returns whether its name was known. */
function add(found: Found, what: string, number: string | undefined, value: string): boolean {
  if (what === 'COMMAND') found.command = value;
  else if (what === 'WORKING_DIR') found.folder = value;
  else if (what === 'ARGUMENT' && number !== undefined) {
    if (found.arguments.size < mostTexts) found.arguments.set(Number(number), value);
  } else if (what === 'ENVIRONMENT_VARIABLE') {
    if (found.environment.length < mostTexts) found.environment.push(value);
  } else return false;
  return true;
}

const inOrder = (texts: ReadonlyMap<number, string>): string[] =>
  [...texts].sort(([a], [b]) => a - b).map(([, text]) => text);
