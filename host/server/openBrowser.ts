/**
 * Opens the window's address in the user's browser. Every user of the machine can read a program's arguments, and the
 * address contains the token. So the browser gets the path of a file that only this user can read, and which redirects
 * to the address.
 */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { toErrorInfo } from '../../core/errors.ts';
import { privately, writeWhole } from '../files/files.ts';
import { readIfSound } from '../files/stored.ts';
import { processFolder } from '../files/thisProcess.ts';
import { type RunningServer, type ServerOptions, startServer } from './server.ts';

/**
 * Reuses the last port if it is free: a browser's storage (drafts, panels, theme) belongs to an address with its port,
 * and a window that lost the host finds the next one by itself.
 */
const rememberedSchema = z.object({ port: z.number().int().min(1).max(65_535) });
const fileIn = (dataFolder: string): string => join(dataFolder, 'serve.json');

/** Starts on `options.port`, or else on the last port, or else on any free one. Rejects as startServer() does. */
export async function startOnUsualPort(options: ServerOptions, dataFolder: string): Promise<RunningServer> {
  if (options.port !== undefined) return startServer(options);
  const last = (await readIfSound(rememberedSchema, fileIn(dataFolder), 1024))?.port;
  const server = await startServer({ ...options, port: last }).catch((thrown: unknown) => {
    if (last === undefined || toErrorInfo(thrown).code !== 'server.port-taken') throw thrown;
    return startServer(options);
  });
  // Another running Copyscope keeps its own port. In a folder that can't be written, the port is not remembered.
  if (last === undefined)
    await writeWhole(fileIn(dataFolder), `${JSON.stringify({ port: server.port })}\n`, privately).catch(() => {});
  return server;
}

const openers: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Calls `failed` if no browser starts. Returns a function that removes the file. Rejects with a file error. */
export async function openBrowser(
  address: string,
  dataFolder: string,
  failed: () => void,
  opener = openers[process.platform] ?? ['xdg-open'],
): Promise<() => Promise<void>> {
  const folder = processFolder(join(dataFolder, 'opening'));
  const page = join(folder, 'copyscope.html');
  await writeWhole(page, pageLeadingTo(address), privately);
  const [command, ...args] = opener;
  const started = spawn(command, [...args, pathToFileURL(page).href], { stdio: 'ignore', detached: true });
  started.once('error', failed);
  started.unref();
  return () => rm(folder, { recursive: true, force: true });
}

const pageLeadingTo = (address: string): string => `<!doctype html>
<meta charset="utf-8">
<title>Copyscope</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${address}">
<p><a href="${address}">Open Copyscope</a></p>
`;
