/** Everything the commands touch outside themselves, so that a test can be their terminal. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import picocolors from 'picocolors';
import type { SpawnEngine } from '../engine/child.ts';
import { legible } from './legible.ts';

export type Colors = ReturnType<typeof picocolors.createColors>;

export interface Terminal {
  /** Results. */
  out(text: string): void;
  /** Resolves when what was written to `out` is no longer held here. A pipe takes it only as fast as it is read. */
  drained?(): Promise<void>;
  /** Errors, progress and remarks. */
  err(text: string): void;
  /** Asks a person at the terminal, who says yes or no; left out where there is none. */
  ask?(question: string): Promise<boolean>;
  /** Characters in a line. */
  readonly columns: number;
  /** Whether a line of stderr can be drawn over. */
  readonly animated: boolean;
  readonly colors: Colors;
}

export interface Context {
  readonly terminal: Terminal;
  /** Folder of package.json and assets. */
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly spawnEngine: SpawnEngine;
  /** How long a run on this machine may take to obey Ctrl-C before its process is killed; the usual where left out. */
  readonly cancelGraceMs?: number;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
  /** From now on Ctrl-C ends the process as it stands: for work without a pause that leaves nothing behind. */
  leaveAtOnce(): void;
}

/** Wide enough for the lanes' names and a few cells where stdout is no terminal and tells no width. */
const defaultColumns = 100;
const fewestColumns = 40;

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const columns = stdout.columns ?? Number(env['COLUMNS'] ?? defaultColumns);
  return {
    out: (text) => void stdout.write(legible(text)),
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    err: (text) => void stderr.write(legible(text)),
    ...(process.stdin.isTTY === true && stderr.isTTY === true ? { ask } : {}),
    columns: Number.isFinite(columns) ? Math.max(fewestColumns, Math.floor(columns)) : defaultColumns,
    animated: stderr.isTTY === true && env['TERM'] !== 'dumb',
    colors: picocolors.createColors(usesColors()),
  };
}

async function ask(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and the end of input are a no: nothing else would ever answer.
    const unanswered = once(asking, 'SIGINT').then(() => '');
    const closed = once(asking, 'close').then(() => '');
    return /^y(es)?$/i.test((await Promise.race([asking.question(question), unanswered, closed])).trim());
  } finally {
    asking.close();
  }
}

/** https://no-color.org: any value but an empty one turns colours off, and FORCE_COLOR turns them on. */
function usesColors(): boolean {
  const { env, stdout } = process;
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0';
  return stdout.isTTY === true && env['TERM'] !== 'dumb';
}
