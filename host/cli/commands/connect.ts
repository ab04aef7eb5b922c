/** `copyscope connect`: the window of a remote host, through ssh, until it is interrupted. */
import { CopyscopeError } from '../../../core/errors.ts';
import { formatBytes } from '../../../core/units.ts';
import { dataFolder } from '../../paths.ts';
import { connect, removeThere } from '../../remote/connection.ts';
import { RemoteHosts } from '../../remote/hosts.ts';
import { attend, serveThere } from '../../remote/there.ts';
import { openBrowser } from '../../server/openBrowser.ts';
import type { Context } from '../io.ts';
import { statusLine } from '../progress.ts';
import { hostForBrowser } from './serve.ts';

export interface ConnectCommandOptions {
  readonly yes: boolean;
  readonly remove: boolean;
  /** True if the browser is started. */
  readonly open: boolean;
  readonly node?: string | undefined;
}

/** Rejects with `host.*`, or with `usage.yes` if there is no terminal to ask at. */
export async function connectTo(context: Context, host: string, options: ConnectCommandOptions): Promise<void> {
  const { terminal, environment, program, signal } = context;
  const data = dataFolder(environment);
  const hosts = new RemoteHosts(data);
  const agree = (says: readonly string[]): Promise<boolean> => agreed(context, says, options.yes);
  if (options.remove) {
    if (!(await agree(removal(host)))) throw unchanged();
    await removeThere(host, environment);
    await hosts.forget(host);
    terminal.err(`Copyscope was ended and deleted on ${host}.`);
    return;
  }
  const line = statusLine(terminal);
  const connection = await connect({
    ...{ host, program, environment, signal, agree, node: options.node },
    port: await hosts.port(host),
    onCopied: (done, total) => line.show(`Copying: ${formatBytes(done)} of ${formatBytes(total)}`),
    onAddress: terminal.out,
  }).finally(line.clear);
  await hosts.note(host, connection.port);
  terminal.out(connection.address);
  terminal.err(
    `Open this address in a browser on this machine: it shows the library of ${host}. It works once; the next one is printed then. Ctrl-C ends the connection, and what runs there goes on.`,
  );
  const say = (): void => terminal.err('No browser could be started: open the address yourself.');
  const opened = options.open ? await openBrowser(connection.address, data, say).catch(say) : undefined;
  const why = await connection.ended;
  await opened?.();
  if (why !== null) throw why;
}

const removal = (host: string): string[] => [
  `The host of Copyscope on ${host} is ended, with what runs in it, and ~/.cache/copyscope there is deleted.`,
  'Its library, ~/.local/share/copyscope, stays.',
];

async function agreed({ terminal }: Context, says: readonly string[], yes: boolean): Promise<boolean> {
  terminal.err(says);
  if (yes) return true;
  if (terminal.ask !== undefined) return terminal.ask('Go on? [y/N] ');
  throw new CopyscopeError({
    code: 'usage.yes',
    field: '--yes',
    message: 'There is no terminal for the question.',
    remedy: 'Add --yes to agree.',
  });
}

const unchanged = (): CopyscopeError => new CopyscopeError({ code: 'run.cancelled', message: 'Nothing was changed.' });

/** Runs on the remote host, started by ssh. */
export const connectThere = ({ program, terminal }: Context, ticket: string, name: string): Promise<void> =>
  attend(program, ticket, name, terminal.out);

/** Runs the host there, which outlives the connection. */
export async function connectHost(context: Context, name: string): Promise<void> {
  const host = hostForBrowser(context, name);
  try {
    await host.ready;
    await serveThere(host, context.program, context.signal);
  } finally {
    host.close();
  }
}
