/** Restrictions of the window's page: no Node, no network, no permissions, no other pages and no other windows. */
import { type App, type Session, shell, type WebContents, type WebPreferences } from 'electron';
import { isAppUrl, parseUrl, startPage } from './origin.ts';

/** Hosts that a link may open in the user's browser. Nothing else leaves the app. */
const linkedHosts: ReadonlySet<string> = new Set([
  'docs.nvidia.com',
  'developer.nvidia.com',
  'nvidia.github.io',
  'docs.pytorch.org',
  'discuss.pytorch.org',
  'pytorch.org',
  'github.com',
  'arrow.apache.org',
  'ui.perfetto.dev',
]);

export function webPreferences(preload?: string): WebPreferences {
  return {
    ...(preload === undefined ? {} : { preload }),
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    safeDialogs: true,
    spellcheck: false,
  };
}

export function isAllowedLink(address: string): boolean {
  const url = parseUrl(address);
  return url?.protocol === 'https:' && url.username === '' && url.port === '' && linkedHosts.has(url.hostname);
}

/** Applies to every page that the app creates, the window's own included. */
export function hardenApp(app: App): void {
  app.enableSandbox();
  app.on('web-contents-created', (_event, contents) => hardenContents(contents));
  app.on('certificate-error', (event, _contents, _url, _error, _certificate, callback) => {
    event.preventDefault();
    callback(false);
  });
  app.on('select-client-certificate', (event, _contents, _url, _list, callback) => {
    event.preventDefault();
    callback();
  });
}

function hardenContents(contents: WebContents): void {
  // Reloading the start page is the only navigation allowed.
  contents.on('will-navigate', (event) => {
    if (withoutFragment(event.url) !== startPage) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame || withoutFragment(event.url) !== startPage) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (isAllowedLink(url)) void shell.openExternal(url);
    return { action: 'deny' };
  });
}

/** Returns true if the address belongs to that server, http or WebSocket. */
const isOf = (origin: string | undefined, address: string): boolean =>
  origin !== undefined && parseUrl(address.replace(/^ws:/, 'http:'))?.origin === origin;

const withoutFragment = (address: string): string => address.replace(/#.*$/s, '');

const clipboardWrite = 'clipboard-sanitized-write';

/**
 * Restricts a session: its only permission is writing to the clipboard on a click or key. Nothing is fetched from a
 * network, and only the page's own data can be saved. A page of a forwarded port reaches only that port, `origin`.
 */
export function hardenSession(session: Session, origin?: string): void {
  session.setPermissionRequestHandler((_contents, permission, callback) => callback(permission === clipboardWrite));
  session.setPermissionCheckHandler((_contents, permission) => permission === clipboardWrite);
  session.setDevicePermissionHandler(() => false);
  session.setUSBProtectedClassesHandler(({ protectedClasses }) => protectedClasses);
  const remote = ['http://*/*', 'https://*/*', 'ws://*/*', 'wss://*/*', 'ftp://*/*', 'file://*/*'];
  session.webRequest.onBeforeRequest({ urls: remote }, ({ url }, callback) => callback({ cancel: !isOf(origin, url) }));
  session.on('will-download', (event, item) => {
    const address = item.getURL();
    const inner = address.startsWith('blob:') ? address.slice('blob:'.length) : '';
    const own = isAppUrl(inner) || isOf(origin, inner);
    if (!own && !address.startsWith('data:')) event.preventDefault();
  });
}
