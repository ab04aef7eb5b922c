/** Opens the one window and keeps its state. */
import { BrowserWindow, nativeTheme, screen, session } from 'electron';
import { startPage } from './origin.ts';
import { hardenSession, webPreferences } from './security.ts';
import {
  readWindowState,
  smallestSize,
  usableBounds,
  usualSize,
  type WindowState,
  writeWindowState,
} from './windowState.ts';

export interface WindowOptions {
  readonly preload: string;
  readonly stateFile: string;
  readonly onProblem: (message: string, error: unknown) => void;
}

/** Moving and resizing report many times a second; the state is saved when they stop. */
const saveDelayMs = 500;

export function openWindow({ preload, stateFile, onProblem }: WindowOptions): BrowserWindow {
  const saved = readWindowState(stateFile);
  nativeTheme.themeSource = saved?.theme ?? 'system';
  const workAreas = screen.getAllDisplays().map((display) => display.workArea);
  const window = new BrowserWindow({
    ...usableBounds(saved, workAreas),
    minWidth: smallestSize.width,
    minHeight: smallestSize.height,
    show: false,
    title: 'Copyscope',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#101418' : '#ffffff',
    webPreferences: webPreferences(preload),
  });
  if (saved?.maximized === true) window.maximize();
  window.once('ready-to-show', () => window.show());
  keepState(window, stateFile, onProblem);
  window.loadURL(startPage).catch((error: unknown) => onProblem('The page could not be loaded', error));
  return window;
}

function keepState(window: BrowserWindow, file: string, onProblem: WindowOptions['onProblem']): void {
  let timer: NodeJS.Timeout | undefined;
  const save = (): void => {
    clearTimeout(timer);
    try {
      writeWindowState(file, stateOf(window));
    } catch (error) {
      onProblem("The window's state could not be saved", error);
    }
  };
  const saveSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(save, saveDelayMs);
  };
  window.on('resize', saveSoon);
  window.on('move', saveSoon);
  window.on('maximize', saveSoon);
  window.on('unmaximize', saveSoon);
  nativeTheme.on('updated', saveSoon);
  window.on('close', save);
  window.on('closed', () => {
    clearTimeout(timer);
    nativeTheme.off('updated', saveSoon);
  });
}

function stateOf(window: BrowserWindow): WindowState {
  const { x, y, width, height } = window.getNormalBounds();
  return { bounds: { x, y, width, height }, maximized: window.isMaximized(), theme: nativeTheme.themeSource };
}

/** Calls `onProblem` if the page can't be loaded. */
export function openRemoteWindow(address: string, onProblem: (error: unknown) => void): BrowserWindow {
  const { origin, port } = new URL(address);
  // Each host has its own session, which reaches only its port.
  const own = session.fromPartition(`persist:remote-${port}`);
  hardenSession(own, origin);
  const window = new BrowserWindow({
    ...usualSize,
    title: 'Copyscope',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#101418' : '#ffffff',
    webPreferences: { ...webPreferences(), session: own },
  });
  window.loadURL(address).catch(onProblem);
  return window;
}
