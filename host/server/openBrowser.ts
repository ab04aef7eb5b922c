/**
 * Opens the window's address in the user's browser. Every user of the machine can read a program's arguments, and the
 * address contains the token. So the browser gets the path of a file that only this user can read, and which redirects
 * to the address.
 */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { privately, writeWhole } from '../service/files.ts';
import { processFolder } from '../service/processFolder.ts';

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
