import { join } from 'node:path';
import { runCli } from '../../../../host/cli/cli.ts';
import { type Context, type Streams, terminalOn } from '../../../../host/cli/io.ts';
import { forkEngine } from '../../../../host/engine/child.ts';
import { repository } from './buildEntry.ts';

export interface Result {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line with its output in memory, and its engine in a real process of this script. */
export async function copyscope(
  args: readonly string[],
  engineScript: string,
  changes: { readonly terminal?: Partial<Streams>; readonly context?: Partial<Context> } = {},
): Promise<Result> {
  let [out, err] = ['', ''];
  const exitCode = await runCli(args, {
    terminal: terminalOn({
      out: (text) => {
        out += text;
        changes.terminal?.out?.(text);
      },
      err: (text) => {
        err += text;
        changes.terminal?.err?.(text);
      },
      ...(changes.terminal?.ask === undefined ? {} : { ask: changes.terminal.ask }),
      columns: changes.terminal?.columns ?? 100,
      animated: changes.terminal?.animated ?? false,
      isColored: changes.terminal?.isColored ?? false,
    }),
    program: repository,
    environment: {},
    spawnEngine: () => forkEngine(engineScript),
    signal: new AbortController().signal,
    leaveAtOnce: () => {},
    ...changes.context,
  });
  return { exitCode, out, err };
}

export const engineEntry = join(repository, 'host/engine/process.ts');
