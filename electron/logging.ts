/** Writes errors to the app's log file, since a desktop app has no terminal. */
import type { App } from 'electron';
import log from 'electron-log/main';

export { log };

/** A page that crashes again within this time is not reloaded, since it would crash forever. */
const crashLoopMs = 10_000;

/** Reasons of a renderer's end that are intended. */
const ordinaryEnds: ReadonlySet<string> = new Set(['clean-exit', 'killed']);

export function startLogging(app: App): void {
  log.transports.file.maxSize = 5 * 1024 * 1024;
  log.transports.console.level = 'warn';
  log.errorHandler.startCatching({ showDialog: false });
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
