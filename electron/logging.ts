/** Writes what goes wrong to the app's log file, since a desktop app has no terminal that anyone reads. */
import type { App } from 'electron';
import log from 'electron-log/main';

export { log };

/** A renderer that has gone for one of these reasons went on purpose. */
const ordinaryEnds: ReadonlySet<string> = new Set(['clean-exit', 'killed']);

export function startLogging(app: App): void {
  log.transports.file.maxSize = 5 * 1024 * 1024;
  log.transports.console.level = 'warn';
  log.errorHandler.startCatching({ showDialog: false });
  app.on('render-process-gone', (_event, contents, { reason, exitCode }) => {
    if (ordinaryEnds.has(reason)) return;
    log.error(`The window's process has gone: ${reason}, exit code ${exitCode}. It is loaded anew.`);
    if (reason !== 'launch-failed' && reason !== 'integrity-failure') contents.reload();
  });
  app.on('child-process-gone', (_event, { type, name, reason, exitCode }) => {
    if (!ordinaryEnds.has(reason)) log.error(`${name ?? type} has gone: ${reason}, exit code ${exitCode}.`);
  });
}
