/** Errors go to a log file, since a desktop app has no terminal. Crash reports stay on this computer too. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type App, crashReporter, dialog, shell } from 'electron';
import log from 'electron-log/main';
import { writeWholeSync } from '../host/files/files.ts';

export { log };

/** A page that crashes again within this time is not reloaded, since it would crash forever. */
const crashLoopMs = 10_000;

/** Reasons of a renderer's end that are intended. */
const ordinaryEnds: ReadonlySet<string> = new Set(['clean-exit', 'killed']);

export function startLogging(app: App): void {
  log.transports.file.maxSize = 5 * 1024 * 1024;
  log.transports.console.level = 'warn';
  log.errorHandler.startCatching({ showDialog: false });
  crashReporter.start({ uploadToServer: false });
  let lastCrash = Number.NEGATIVE_INFINITY;
  app.on('render-process-gone', (_event, contents, { reason, exitCode }) => {
    if (ordinaryEnds.has(reason)) return;
    log.error(`The window's process has gone: ${reason}, exit code ${exitCode}.`);
    const sinceLast = performance.now() - lastCrash;
    lastCrash = performance.now();
    if (sinceLast > crashLoopMs && reason !== 'launch-failed' && reason !== 'integrity-failure') contents.reload();
  });
  app.on('child-process-gone', (_event, { type, name, reason, exitCode }) => {
    if (!ordinaryEnds.has(reason)) log.error(`${name ?? type} has gone: ${reason}, exit code ${exitCode}.`);
  });
}

/** Offers reports that were written since the last start. Nothing is sent. */
export async function offerCrashReports(app: App): Promise<void> {
  const folder = app.getPath('crashDumps');
  const marker = join(app.getPath('userData'), 'crash-reports-seen');
  const newest = Math.max(0, ...reportsIn(folder).map((file) => statSync(file).mtimeMs));
  if (newest <= lastSeen(marker)) return;
  writeWholeSync(marker, String(newest));
  const message = 'A part of Copyscope crashed. Its report is on this computer; nothing was sent.';
  if (await agreed(message, 'Show Reports', 'Close')) await shell.openPath(folder);
}

function reportsIn(folder: string): string[] {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files.filter((name) => name.endsWith('.dmp')).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function lastSeen(marker: string): number {
  try {
    return Number(readFileSync(marker, 'utf8'));
  } catch {
    return 0;
  }
}

/** Asks the user; the second answer is the default. */
export async function agreed(message: string, yes: string, no: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'info',
    message,
    buttons: [yes, no],
    defaultId: 1,
    cancelId: 1,
  });
  return response === 0;
}
