import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'electron';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Channel, connectHost } from '../../core/service/rpc.ts';
import type { WindowEvents } from '../../core/service/service.ts';
import { readWindowState } from '../../electron/windowState.ts';
import { newFolder } from '../support/newFolder.ts';
import { toldWindow } from '../unit/host/support/toldWindow.ts';
import { eventually } from '../unit/support/eventually.ts';
import type * as StandIn from './support/electron.ts';

vi.mock('electron', () => import('./support/electron.ts'));
vi.mock('electron-log/main', () => ({
  default: {
    transports: { file: { maxSize: 0, getFile: () => ({ path: '/log' }) }, console: { level: '' } },
    errorHandler: { startCatching: vi.fn() },
    warn: vi.fn(),
    error: vi.fn(),
  },
}));

const work = newFolder();
vi.stubEnv('COPYSCOPE_DATA', join(work, 'data'));
afterAll(() => {
  electron.app.emit('will-quit');
});

const electron = (await import('electron')) as unknown as typeof StandIn;
electron.state.userData = work;
// The whole main process, as Electron starts it.
await import('../../electron/main.ts');
const { offerCrashReports } = await import('../../electron/logging.ts');
await eventually(() => expect(electron.BrowserWindow.all).toHaveLength(1));
const [window] = electron.BrowserWindow.all;
if (window === undefined) throw new Error('no window');

const experiment = readFileSync(join(import.meta.dirname, '../../assets/examples/overlap/pinned-side-stream.json'));

/** Requests a port like the page, and connects to the host with it. */
function connect(events: Partial<WindowEvents> = {}) {
  const frame = { url: 'copyscope://app/', parent: null, postMessage: vi.fn() };
  electron.ipcMain.emit('copyscope:port', { senderFrame: frame, sender: { mainFrame: frame } });
  const port = frame.postMessage.mock.calls[0]?.[2][0] as InstanceType<typeof StandIn.MessageChannelMain>['port2'];
  const channel: Channel = {
    post: (message) => port.postMessage(message),
    listen: (handler) => {
      port.on('message', ({ data }: { data: unknown }) => handler(data));
      port.start();
    },
  };
  return { service: connectHost(channel, { ...toldWindow(), ...events }).service, close: () => port.close() };
}

describe('the main process', () => {
  it('opens one hardened window on our own page, shown when it is ready', () => {
    expect(window.options['webPreferences']).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
    });
    expect(window.options['show']).toBe(false);
    expect(window.loadURL).toHaveBeenCalledExactlyOnceWith('copyscope://app/');
    window.emit('ready-to-show');
    expect(window.show).toHaveBeenCalledOnce();
  });

  it('hardens the session and serves the page before the window loads', () => {
    expect(electron.session.defaultSession.handlers.has('copyscope')).toBe(true);
    const { defaultSession } = electron.session;
    expect(defaultSession.permissionCheck(null, 'geolocation')).toBe(false);
    expect(defaultSession.permissionCheck(null, 'clipboard-read')).toBe(false);
    // Needed to copy a picture or figures.
    expect(defaultSession.permissionCheck(null, 'clipboard-sanitized-write')).toBe(true);
    expect(electron.app.enableSandbox).toHaveBeenCalled();
  });

  it('serves the host to the page through its port', async () => {
    const { service, close } = connect();
    expect(await service.about()).toMatchObject({ shell: 'electron', dataFolder: join(work, 'data') });
    expect((await service.examples()).map(({ id }) => id)).toContain('overlap/pinned-side-stream');
    close();
  });

  it('has a run that is opened by a double-click shown by the page', async () => {
    const opened = vi.fn();
    const { service, close } = connect({ opened });
    await service.about();
    const path = join(import.meta.dirname, '../../assets/runs/overlap/pinned-side-stream.arrow');
    electron.app.emit('open-file', { preventDefault: vi.fn() }, path);
    await eventually(() => expect(opened).toHaveBeenCalled());
    expect(electron.app.addRecentDocument).toHaveBeenCalledExactlyOnceWith(path);
    // The run ships with the program, so the same file is not kept twice.
    expect(opened.mock.calls[0]?.[0]).toMatchObject({ kind: 'run', isNew: false });
    close();
  });

  it('adds a file from a second start to the library, and tells the page', async () => {
    const changed = vi.fn();
    const { service, close } = connect({ experimentsChanged: changed });
    await service.about();
    writeFileSync(join(work, 'mine.copyscope.json'), experiment);
    electron.app.emit('second-instance', {}, ['electron', '--flag', 'mine.copyscope.json'], work);
    expect(window.focus).toHaveBeenCalled();
    await eventually(() => expect(changed).toHaveBeenCalled());
    expect((await service.experiments()).map(({ name }) => name)).toEqual(['Pinned source, second stream']);
    close();
  });

  it('says that a file is not there', async () => {
    electron.state.shownErrors.length = 0;
    electron.app.emit('open-file', { preventDefault: vi.fn() }, join(work, 'none.arrow'));
    await eventually(() => expect(electron.state.shownErrors.join()).toContain('none.arrow'));
  });

  it('shows the theme that the page has, and tells the page which one the menu asks for', () => {
    const frame = { url: 'copyscope://app/', parent: null };
    const tell = (theme: unknown, from: object = frame): unknown =>
      electron.ipcMain.emit('copyscope:theme', { senderFrame: from, sender: { mainFrame: from } }, theme);
    tell('dark');
    expect(electron.nativeTheme.themeSource).toBe('dark');
    for (const wrong of ['purple', 7, null, { toString: () => 'light' }]) tell(wrong);
    tell('light', { url: 'https://example.com/', parent: null });
    expect(electron.nativeTheme.themeSource).toBe('dark');
    const menu = electron.Menu.setApplicationMenu.mock.calls.at(-1)?.[0] as { label?: string; submenu?: object[] }[];
    const flat = (items: object[]): Record<string, unknown>[] =>
      items.flatMap((item) => [
        item as Record<string, unknown>,
        ...('submenu' in item && Array.isArray(item.submenu) ? flat(item.submenu) : []),
      ]);
    expect(flat(menu).find(({ checked }) => checked === true)?.['label']).toBe('Dark');
    const light = flat(menu).find(({ label }) => label === 'Light');
    (light?.['click'] as (() => void) | undefined)?.();
    expect(electron.nativeTheme.themeSource).toBe('light');
    expect(window.webContents.send).toHaveBeenLastCalledWith('copyscope:theme', 'light');
  });

  it("keeps the window's state when it closes", () => {
    window.bounds = { x: 50, y: 60, width: 1300, height: 850 };
    window.maximized = true;
    window.emit('close');
    expect(readWindowState(join(work, 'window-state.json'))).toMatchObject({ bounds: window.bounds, maximized: true });
  });

  it('loads the page anew when its process crashes, but not when that would only happen again', () => {
    const { reload } = window.webContents;
    const gone = (reason: string): unknown =>
      electron.app.emit('render-process-gone', {}, window.webContents, { reason, exitCode: 1 });
    const start = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(start);
    gone('clean-exit');
    expect(reload).toHaveBeenCalledTimes(0);
    gone('crashed');
    expect(reload).toHaveBeenCalledTimes(1);
    gone('crashed');
    expect(reload).toHaveBeenCalledTimes(1);
    now.mockReturnValue(start + 60_000);
    gone('launch-failed');
    expect(reload).toHaveBeenCalledTimes(1);
    now.mockRestore();
  });

  it('opens a window for a file if it runs without one', () => {
    window.emit('closed');
    electron.app.emit('open-file', { preventDefault: vi.fn() }, join(work, 'mine.copyscope.json'));
    expect(electron.BrowserWindow.all).toHaveLength(2);
  });

  it('keeps crash reports here, and offers a new one once', async () => {
    expect(electron.crashReporter.start).toHaveBeenCalledExactlyOnceWith({ uploadToServer: false });
    const offer = (): Promise<void> => offerCrashReports(electron.app as unknown as App);
    electron.dialog.showMessageBox.mockClear();
    await offer();
    expect(electron.dialog.showMessageBox).not.toHaveBeenCalled();
    mkdirSync(join(work, 'crashes/completed'), { recursive: true });
    writeFileSync(join(work, 'crashes/completed/1.dmp'), 'MDMP');
    electron.dialog.showMessageBox.mockResolvedValueOnce({ response: 0 });
    await offer();
    expect(electron.shell.openPath).toHaveBeenLastCalledWith(join(work, 'crashes'));
    await offer();
    expect(electron.dialog.showMessageBox).toHaveBeenCalledOnce();
  });

  it('quits with its last window, except on a Mac', () => {
    electron.app.emit('window-all-closed');
    expect(electron.app.quit).toHaveBeenCalledTimes(process.platform === 'darwin' ? 0 : 1);
  });
});
