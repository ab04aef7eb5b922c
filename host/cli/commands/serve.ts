/** `copyscope serve`: the window for a browser on this machine, until it is interrupted. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { dataFolder, programVersion } from '../../paths.ts';
import { startOnUsualPort } from '../../server/rememberedPort.ts';
import { createHost } from '../../service/host.ts';
import type { Context } from '../io.ts';

export interface ServeOptions {
  readonly port?: number | undefined;
  readonly open: boolean;
}

export async function serve(context: Context, { port, open }: ServeOptions): Promise<void> {
  const { terminal, program, signal } = context;
  const folder = dataFolder(context.environment);
  const host = createHost({
    about: {
      version: programVersion(program),
      shell: 'browser',
      platform: process.platform,
      dataFolder: folder,
    },
    assetsFolder: join(program, 'assets'),
    spawnEngine: context.spawnEngine,
  });
  try {
    const server = await startOnUsualPort({ host, pageFolder: join(program, 'dist/renderer'), port }, folder);
    terminal.out(`${server.address}\n`);
    terminal.err('Open this address in a browser on this machine. It works once. Ctrl-C ends the server.\n');
    // Read while the browser loads the page, which asks for them first of all.
    void host.service.runs().catch(() => {});
    if (open) openBrowser(server.address, terminal.err);
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
  } finally {
    host.close();
  }
}

const openers: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

function openBrowser(address: string, say: (text: string) => void): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  opener.once('error', () => say('No browser could be started: open the address yourself.\n'));
  opener.unref();
}
