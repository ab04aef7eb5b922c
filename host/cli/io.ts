/** All input and output of the commands, so that a test can replace the terminal. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import picocolors from 'picocolors';
import { jsonText, oneLine, terminalLine } from '../../core/media.ts';
import type { SpawnEngine } from '../engine/child.ts';
import { jsonPieces } from './json.ts';

export type Colors = Pick<ReturnType<typeof picocolors.createColors>, (typeof looks)[number]>;

/** Output of the command line. */
export interface Streams {
  out(text: string): void;
  /** Resolves when all output has left this process. A pipe takes it only as fast as it is read. */
  drained?(): Promise<void>;
  err(text: string): void;
  /** Asks a yes-or-no question at the terminal; left out if there is none. */
  ask?(question: string): Promise<boolean>;
  /** Characters per line. */
  readonly columns: number;
  /** True if a line of stderr can be redrawn. */
  readonly animated: boolean;
  readonly isColored: boolean;
}

export interface Terminal extends Pick<Streams, 'ask' | 'columns' | 'animated'> {
  /** Prints one or more lines of results. Control characters in a text are not sent to the terminal. */
  out(lines: string | readonly string[]): void;
  /** Prints errors, progress and remarks in the same way. */
  err(lines: string | readonly string[]): void;
  /** Redraws the last line of stderr if that was a status too. An empty text clears it. */
  status(text: string): void;
  /** Prints an object as JSON. Resolves when the reader has taken it. */
  json(value: object): Promise<void>;
  /** Prints a document for another medium (core/media.ts) unchanged. */
  write(text: string): void;
  /** Prints output of a program, in any number of lines. */
  printed(text: string, isError: boolean): void;
  readonly colors: Colors;
}

export interface Context {
  readonly terminal: Terminal;
  /** Folder of package.json and assets. */
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly spawnEngine: SpawnEngine;
  /** Time in milliseconds after Ctrl-C until a run on this machine is killed. */
  readonly cancelGraceMs?: number;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Lets Ctrl-C end the process at once from now on: for uninterruptible work that leaves nothing behind. */
  leaveAtOnce(): void;
}

/** Wide enough for lane names and some cells if stdout is no terminal and has no width. */
const defaultColumns = 100;
const fewestColumns = 40;

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const columns = stdout.columns ?? Number(env['COLUMNS'] ?? defaultColumns);
  return terminalOn({
    out: (text) => void stdout.write(text),
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    err: (text) => void stderr.write(text),
    ...(process.stdin.isTTY === true && stderr.isTTY === true ? { ask } : {}),
    columns: Number.isFinite(columns) ? Math.max(fewestColumns, Math.floor(columns)) : defaultColumns,
    animated: stderr.isTTY === true && env['TERM'] !== 'dumb',
    isColored: usesColors(),
  });
}

/** Start of a terminal command. */
const escapeSign = '\u001b';
/** Replaces the start in our own colours until printing, so that all other commands are foreign. No document has it. */
const ownEscape = randomUUID();
const looks = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

export function terminalOn(streams: Streams): Terminal {
  const { out, err, drained, ask, columns, animated, isColored } = streams;
  const shown = (line: string): string => terminalLine(line).replaceAll(ownEscape, escapeSign);
  const page = (lines: string | readonly string[]): string =>
    (typeof lines === 'string' ? [lines] : lines).map((line) => `${shown(line)}\n`).join('');
  return {
    ...(ask === undefined ? {} : { ask }),
    columns,
    animated,
    out: (lines) => out(page(lines)),
    err: (lines) => err(page(lines)),
    status: (text) => err(`\r${escapeSign}[K${shown(text)}`),
    json: async (value) => {
      for (const piece of jsonPieces(value)) {
        out(jsonText(piece));
        await drained?.();
      }
      out('\n');
    },
    write: out,
    printed: (text, isError) => (isError ? err : out)(text.split(/\r?\n/).map(oneLine).join('\n')),
    colors: colorsOf(isColored),
  };
}

export function colorsOf(isColored: boolean): Colors {
  const colors = picocolors.createColors(isColored);
  const own = looks.map((look) => {
    const paint = (text: string | number | null | undefined): string =>
      colors[look](oneLine(String(text))).replaceAll(escapeSign, ownEscape);
    return [look, paint] as const;
  });
  return Object.fromEntries(own) as Colors;
}

async function ask(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and the end of input mean no, since otherwise the question would never be answered.
    const unanswered = once(asking, 'SIGINT').then(() => '');
    const closed = once(asking, 'close').then(() => '');
    return /^y(es)?$/i.test((await Promise.race([asking.question(question), unanswered, closed])).trim());
  } finally {
    asking.close();
  }
}

/** Follows https://no-color.org: any value but an empty one turns colours off, and FORCE_COLOR turns them on. */
function usesColors(): boolean {
  const { env, stdout } = process;
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0';
  return stdout.isTTY === true && env['TERM'] !== 'dumb';
}
