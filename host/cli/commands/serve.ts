/** `copyscope serve`: the window for a browser on this machine, until it is interrupted. */
import { once } from 'node:events';
import { join } from 'node:path';
import { describeError, toErrorInfo } from '../../../core/errors.ts';
import { dataFolder, programVersion } from '../../paths.ts';
import { openBrowser, startOnUsualPort } from '../../server/openBrowser.ts';
import { createHost, type Host } from '../../service/host.ts';
import type { Context } from '../io.ts';

export interface ServeOptions {
  readonly port?: number | undefined;
  readonly open: boolean;
}

/** `files` are added to the library, and the first window shows them. */
export async function serve(context: Context, files: readonly string[], { port, open }: ServeOptions): Promise<void> {
  const { terminal, program, signal } = context;
  const folder = dataFolder(context.environment);
  const host = hostForBrowser(context);
  try {
    await host.ready;
    const server = await startOnUsualPort(
      { host, pageFolder: join(program, 'dist/renderer'), port, onAddress: terminal.out },
      folder,
    );
    terminal.out(server.address);
    terminal.err(
      'Open this address in a browser on this machine. It works once; the next one is printed then. Ctrl-C ends the server.',
    );
    for (const file of files) await openFile(host, file, terminal.err);
    // Read while the browser loads the page, which requests them first.
    void host.service.runs().catch(() => {});
    const say = (): void => terminal.err('No browser could be started: open the address yourself.');
    const opened = open ? await openBrowser(server.address, folder, say).catch(say) : undefined;
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    await opened?.();
  } finally {
    host.close();
  }
}

/** `remote` is the name of this remote host for windows elsewhere. */
export const hostForBrowser = ({ program, environment, spawnEngine }: Context, remote?: string): Host =>
  createHost({
    about: {
      version: programVersion(program),
      shell: 'browser',
      platform: process.platform,
      dataFolder: dataFolder(environment),
      ...(remote === undefined ? {} : { remote }),
    },
    assetsFolder: join(program, 'assets'),
    spawnEngine,
    environment,
  });

/** Opens a file. If that fails, prints the reason, and the window opens anyway. */
async function openFile(host: Host, path: string, say: (text: string) => void): Promise<void> {
  try {
    await host.openFile(path);
  } catch (thrown) {
    say(describeError(toErrorInfo(thrown)));
  }
}
