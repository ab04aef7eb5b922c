/**
 * A stand-in for the `electron` module with the parts that electron/ uses, which records its calls. Tests install it
 * with vi.mock('electron', () => import('./support/electron.ts')), so that no Electron binary is needed.
 */
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { vi } from 'vitest';

/** An event for Electron's listeners. */
export class StandInEvent {
  defaultPrevented = false;
  readonly url: string;
  readonly isMainFrame: boolean;

  constructor(url = '', isMainFrame = true) {
    this.url = url;
    this.isMainFrame = isMainFrame;
  }

  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

export const state = { hasLock: true, userData: '', shownErrors: [] as string[], chosenFiles: [] as string[] };

class App extends EventEmitter {
  readonly enableSandbox = vi.fn();
  readonly quit = vi.fn();
  readonly exit = vi.fn();
  readonly requestSingleInstanceLock = vi.fn(() => state.hasLock);
  readonly whenReady = vi.fn(async () => {});
  readonly getPath = vi.fn((name: string) =>
    name === 'crashDumps' ? join(state.userData, 'crashes') : state.userData,
  );
  readonly addRecentDocument = vi.fn();
  isPackaged = false;
}
export const app = new App();

export class WebContents extends EventEmitter {
  openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' });
  readonly reload = vi.fn();
  readonly send = vi.fn();
  readonly mainFrame: Record<string, unknown> = {};

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }
}

export class BrowserWindow extends EventEmitter {
  static readonly all: BrowserWindow[] = [];
  static getAllWindows(): BrowserWindow[] {
    return BrowserWindow.all;
  }

  readonly webContents = new WebContents();
  readonly options: Record<string, unknown>;
  maximized = false;
  bounds = { x: 10, y: 20, width: 1200, height: 800 };
  readonly show = vi.fn();
  readonly focus = vi.fn();
  readonly restore = vi.fn();
  readonly isMinimized = vi.fn(() => false);
  readonly loadURL = vi.fn(async (_url: string) => {});

  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    BrowserWindow.all.push(this);
    app.emit('web-contents-created', {}, this.webContents);
  }

  maximize(): void {
    this.maximized = true;
  }
  isMaximized(): boolean {
    return this.maximized;
  }
  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return this.bounds;
  }
}

type Handler = (request: Request) => Promise<Response>;

class Session extends EventEmitter {
  readonly handlers = new Map<string, Handler>();
  readonly protocol = { handle: (scheme: string, handler: Handler) => void this.handlers.set(scheme, handler) };
  permissionRequest: (contents: unknown, permission: string, callback: (granted: boolean) => void) => void = (
    _contents,
    _permission,
    callback,
  ) => callback(true);
  permissionCheck: (contents: unknown, permission: string) => boolean = () => true;
  devicePermission: () => boolean = () => true;
  usbClasses: (details: { protectedClasses: string[] }) => string[] = () => [];
  blocked: { urls: string[]; cancels: (url: string) => boolean } | null = null;
  readonly webRequest = {
    onBeforeRequest: (
      { urls }: { urls: string[] },
      listener: (details: { url: string }, callback: (answer: { cancel: boolean }) => void) => void,
    ) => {
      const cancels = (url: string): boolean => {
        let isCancelled = false;
        listener({ url }, ({ cancel }) => {
          isCancelled = cancel;
        });
        return isCancelled;
      };
      this.blocked = { urls, cancels };
    },
  };

  setPermissionRequestHandler(handler: Session['permissionRequest']): void {
    this.permissionRequest = handler;
  }
  setPermissionCheckHandler(handler: Session['permissionCheck']): void {
    this.permissionCheck = handler;
  }
  setDevicePermissionHandler(handler: () => boolean): void {
    this.devicePermission = handler;
  }
  setUSBProtectedClassesHandler(handler: Session['usbClasses']): void {
    this.usbClasses = handler;
  }
}
const partitions = new Map<string, Session>();
export const session = {
  defaultSession: new Session(),
  fromPartition: (name: string): Session => {
    const found = partitions.get(name) ?? new Session();
    partitions.set(name, found);
    return found;
  },
};

export const crashReporter = { start: vi.fn() };

export const protocol = { registerSchemesAsPrivileged: vi.fn() };

export const net = {
  fetch: vi.fn(async (address: string) => {
    const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
    const path = fileURLToPath(address);
    const type = types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    return new Response(await readFile(path), { headers: { 'Content-Type': type } });
  }),
};

export const shell = {
  openExternal: vi.fn(async () => {}),
  openPath: vi.fn(async () => ''),
};
export const ipcMain = new EventEmitter();

class NativeTheme extends EventEmitter {
  themeSource = 'system';
  shouldUseDarkColors = false;
}
export const nativeTheme = new NativeTheme();

export const screen = {
  displays: [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
  getAllDisplays: () => screen.displays,
};

export const dialog = {
  showErrorBox: vi.fn((title: string, content: string) => void state.shownErrors.push(`${title}: ${content}`)),
  showMessageBox: vi.fn(async (_options: unknown) => ({ response: 1 })),
  showOpenDialog: vi.fn(async () => ({ canceled: false, filePaths: state.chosenFiles })),
};

export const Menu = { buildFromTemplate: vi.fn((template: unknown) => template), setApplicationMenu: vi.fn() };

/** A port of the main process: Electron passes events with `data`, Node the message itself. */
class PortMain extends EventEmitter {
  readonly port: MessagePort;
  constructor(port: MessagePort) {
    super();
    this.port = port;
    port.on('close', () => this.emit('close'));
  }
  start(): void {
    this.port.on('message', (data: unknown) => this.emit('message', { data }));
  }
  postMessage(message: unknown): void {
    this.port.postMessage(message);
  }
  close(): void {
    this.port.close();
  }
}

export class MessageChannelMain {
  readonly port1: PortMain;
  readonly port2: PortMain;
  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = new PortMain(port1);
    this.port2 = new PortMain(port2);
  }
}

/** A utility process that runs nothing and is driven by tests. */
export class UtilityProcess extends EventEmitter {
  pid: number | undefined = undefined;
  readonly stderr = new EventEmitter();
  readonly postMessage = vi.fn();
  readonly kill = vi.fn();
}
export const utilityProcess = { forked: [] as UtilityProcess[], fork: vi.fn(forkStandIn) };

function forkStandIn(_script: string, _args: string[], _options: object): UtilityProcess {
  const child = new UtilityProcess();
  utilityProcess.forked.push(child);
  return child;
}

export const contextBridge = { exposed: {} as Record<string, unknown>, exposeInMainWorld: vi.fn(exposeStandIn) };

function exposeStandIn(name: string, value: unknown): void {
  contextBridge.exposed[name] = value;
}

class IpcRenderer extends EventEmitter {
  readonly send = vi.fn();
}
export const ipcRenderer = new IpcRenderer();
