/** The desktop app once Electron is ready: one host, one window, its menu, and the files to open. */
import { join } from 'node:path';
import {
  type App,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  type OpenDialogOptions,
  session,
  shell,
} from 'electron';
import { describeError, toErrorInfo } from '../core/errors.ts';
import { serveWindow } from '../core/service/rpc.ts';
import { dataFolder, programFolder, programVersion } from '../host/paths.ts';
import { createHost, type Host } from '../host/service/host.ts';
import { forkUtilityEngine } from './engineChild.ts';
import { answerPortRequests, answerThemes } from './ipc.ts';
import { log } from './logging.ts';
import { buildMenu, type MenuActions } from './menu.ts';
import { commandMessage, themeMessage } from './origin.ts';
import { serveRenderer } from './protocol.ts';
import { hardenSession } from './security.ts';
import { fileFilters } from './singleInstance.ts';
import { openRemoteWindow, openWindow } from './window.ts';
import type { Theme } from './windowState.ts';

export class Desktop {
  readonly #app: App;
  readonly #program = programFolder();
  readonly #host: Host;
  #window: BrowserWindow | undefined;
  /** Files to open that were named before the app was ready. */
  #waiting: string[] | null = [];

  constructor(app: App) {
    this.#app = app;
    this.#host = createHost({
      about: {
        version: programVersion(this.#program),
        shell: 'electron',
        platform: process.platform,
        dataFolder: dataFolder(),
      },
      assetsFolder: join(this.#program, 'assets'),
      openRemote: (address) =>
        void openRemoteWindow(address, (error) => log.error('The window of a remote host could not be loaded:', error)),
      spawnEngine: () => forkUtilityEngine(join(this.#program, 'dist/host/engine-process.js')),
    });
  }

  readonly currentWindow = (): BrowserWindow | undefined => this.#window;

  readonly openFiles = (paths: readonly string[]): void => {
    if (this.#waiting !== null) return void this.#waiting.push(...paths);
    // On a Mac the app may run without a window.
    if (paths.length > 0 && this.#window === undefined) this.#openWindow();
    for (const path of paths) void this.#open(path);
  };

  /** Call once, when the app is ready. */
  start(): void {
    hardenSession(session.defaultSession);
    serveRenderer(session.defaultSession, join(this.#program, 'dist/renderer'), this.#host);
    answerPortRequests(
      ipcMain,
      (channel) => {
        const connection = serveWindow(channel, this.#host.service);
        const remove = this.#host.addWindow(connection.events);
        channel.onClose?.(remove);
      },
      (reason) => log.warn(`A request for a port was refused: ${reason}.`),
    );
    answerThemes(ipcMain, (theme) => this.#showTheme(theme));
    this.#app.on('activate', () => {
      if (BrowserWindow.getAllWindows().length === 0) this.#openWindow();
    });
    this.#app.on('will-quit', () => this.#host.close());
    this.#openWindow();
    // Read while the page loads, which requests them first.
    void this.#host.service.runs().catch(() => {});
    const named = this.#waiting ?? [];
    this.#waiting = null;
    this.openFiles(named);
  }

  #openWindow(): void {
    const window = openWindow({
      preload: join(this.#program, 'dist/electron/preload.cjs'),
      stateFile: join(this.#app.getPath('userData'), 'window-state.json'),
      onProblem: (message, error) => log.error(`${message}:`, error),
    });
    window.once('closed', () => {
      if (this.#window === window) this.#window = undefined;
    });
    this.#window = window;
    // Built after the window, which reads the theme that the menu shows.
    this.#buildMenu();
  }

  #buildMenu(): void {
    Menu.setApplicationMenu(buildMenu(this.#menuActions(), process.platform));
  }

  /** Applies the page's theme to the title bar, the menu and the system's own elements. */
  #showTheme(theme: Theme): void {
    if (nativeTheme.themeSource === theme) return;
    nativeTheme.themeSource = theme;
    this.#buildMenu();
  }

  #menuActions(): MenuActions {
    return {
      openFile: () => void this.#chooseFile(),
      showDataFolder: () => void shell.openPath(dataFolder()),
      chooseTheme: (theme) => {
        nativeTheme.themeSource = theme;
        // The page keeps its own choice, which would otherwise override the system's.
        this.#window?.webContents.send(themeMessage, theme);
      },
      runCommand: (id) => this.#window?.webContents.send(commandMessage, id),
      showCrashReports: () => void shell.openPath(this.#app.getPath('crashDumps')),
      showLog: () => void shell.openPath(log.transports.file.getFile().path),
    };
  }

  async #chooseFile(): Promise<void> {
    const options: OpenDialogOptions = { filters: fileFilters, properties: ['openFile', 'multiSelections'] };
    const chosen = await (this.#window === undefined
      ? dialog.showOpenDialog(options)
      : dialog.showOpenDialog(this.#window, options));
    this.openFiles(chosen.filePaths);
  }

  async #open(path: string): Promise<void> {
    try {
      await this.#host.openFile(path);
      this.#app.addRecentDocument(path);
    } catch (thrown) {
      log.warn(`${path} could not be opened:`, thrown);
      dialog.showErrorBox('The file could not be opened', describeError(toErrorInfo(thrown)));
    }
  }
}
