/** The desktop app's main process. This file does what must come before Electron is ready; Desktop does the rest. */
import { app } from 'electron';
import { Desktop } from './desktop.ts';
import { log, offerCrashReports, startLogging } from './logging.ts';
import { registerScheme } from './protocol.ts';
import { hardenApp } from './security.ts';
import { claimSingleInstance, filesAmong } from './singleInstance.ts';
import { offerUpdate } from './updates.ts';

startLogging(app);
registerScheme();
hardenApp(app);

const desktop = new Desktop(app);

if (claimSingleInstance(app, desktop)) {
  app.on('open-file', (event, path) => {
    event.preventDefault();
    desktop.openFiles([path]);
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  desktop.openFiles(filesAmong(process.argv.slice(1), process.cwd()));
  app
    .whenReady()
    .then(() => desktop.start())
    .then(() => offerCrashReports(app))
    .then(() => offerUpdate())
    .catch((error: unknown) => {
      log.error('Copyscope could not start:', error);
      app.exit(1);
    });
}
