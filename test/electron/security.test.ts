import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as StandIn from './support/electron.ts';

vi.mock('electron', () => import('./support/electron.ts'));

const electron = (await import('electron')) as unknown as typeof StandIn;
const { hardenApp, hardenSession, isAllowedLink, webPreferences } = await import('../../electron/security.ts');
const { openRemoteWindow } = await import('../../electron/window.ts');
const { StandInEvent, WebContents } = await import('./support/electron.ts');

it('the web preferences isolate the page, sandbox it and give it no Node', () => {
  expect(webPreferences('/preload.cjs')).toMatchObject({
    preload: '/preload.cjs',
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    navigateOnDragDrop: false,
  });
});

describe('every page', () => {
  let contents: InstanceType<typeof WebContents>;

  beforeAll(() => hardenApp(electron.app as never));
  beforeEach(() => {
    electron.shell.openExternal.mockClear();
    contents = new WebContents();
    electron.app.emit('web-contents-created', {}, contents);
  });

  const isPrevented = (name: string, ...args: ConstructorParameters<typeof StandInEvent>): boolean => {
    const event = new StandInEvent(...args);
    contents.emit(name, event);
    return event.defaultPrevented;
  };

  it('is sandboxed before any window exists', () => {
    expect(electron.app.enableSandbox).toHaveBeenCalled();
  });

  it.each([
    'https://example.com/',
    'http://127.0.0.1:8080/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'copyscope://app/other.html',
    'copyscope://other/',
    'copyscope://app.evil/',
    'copyscope://app@evil/',
    'data:text/html,<script>',
    '',
  ])('may not navigate to %s', (url) => {
    expect(isPrevented('will-navigate', url)).toBe(true);
    expect(isPrevented('will-frame-navigate', url)).toBe(true);
  });

  it('may reload the start page, in the top frame only', () => {
    expect(isPrevented('will-navigate', 'copyscope://app/')).toBe(false);
    expect(isPrevented('will-navigate', 'copyscope://app/#run')).toBe(false);
    expect(isPrevented('will-frame-navigate', 'copyscope://app/', true)).toBe(false);
    expect(isPrevented('will-frame-navigate', 'copyscope://app/', false)).toBe(true);
  });

  it('is never redirected and attaches no webview', () => {
    expect(isPrevented('will-redirect', 'copyscope://app/')).toBe(true);
    expect(isPrevented('will-attach-webview')).toBe(true);
  });

  it('opens no window, and only listed https links in the browser', () => {
    expect(contents.openHandler({ url: 'https://docs.nvidia.com/cuda/' })).toEqual({ action: 'deny' });
    expect(electron.shell.openExternal).toHaveBeenCalledWith('https://docs.nvidia.com/cuda/');
    electron.shell.openExternal.mockClear();
    for (const url of ['https://evil.example/', 'http://docs.nvidia.com/', 'file:///bin/sh', 'copyscope://app/']) {
      expect(contents.openHandler({ url })).toEqual({ action: 'deny' });
    }
    expect(electron.shell.openExternal).not.toHaveBeenCalled();
  });

  it('trusts no bad certificate', () => {
    const event = new StandInEvent();
    const callback = vi.fn();
    electron.app.emit('certificate-error', event, contents, 'https://x', 'bad', {}, callback);
    expect(event.defaultPrevented).toBe(true);
    expect(callback).toHaveBeenCalledWith(false);
  });
});

it.each([
  ['https://docs.pytorch.org/docs/stable/notes/cuda.html', true],
  ['https://docs.nvidia.com.evil.example/', false],
  ['https://docs.nvidia.com:8443/', false],
  ['https://user@docs.nvidia.com/', false],
  ['docs.nvidia.com', false],
  ['ms-settings:', false],
])('the link %s is allowed: %s', (url, allowed) => expect(isAllowedLink(url)).toBe(allowed));

describe('the session', () => {
  const session = electron.session.defaultSession;
  beforeAll(() => hardenSession(session as never));

  it.each(['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'fullscreen', 'hid'])(
    'refuses %s, asked for or checked',
    (permission) => {
      const granted = vi.fn();
      session.permissionRequest(null, permission, granted);
      expect(granted).toHaveBeenCalledExactlyOnceWith(false);
      expect(session.permissionCheck(null, permission)).toBe(false);
      expect(session.devicePermission()).toBe(false);
    },
  );

  it('lets a click or a key write to the clipboard', () => {
    const granted = vi.fn();
    session.permissionRequest(null, 'clipboard-sanitized-write', granted);
    expect(granted).toHaveBeenCalledExactlyOnceWith(true);
    expect(session.permissionCheck(null, 'clipboard-sanitized-write')).toBe(true);
  });

  it('cancels every request that would leave the app', () => {
    expect(session.blocked?.cancels('http://127.0.0.1:4711/')).toBe(true);
    for (const start of ['http://', 'https://', 'ws://', 'wss://', 'file://']) {
      expect(session.blocked?.urls.some((url) => url.startsWith(start))).toBe(true);
    }
  });

  it('for a remote host reaches its forwarded port and nothing else', () => {
    openRemoteWindow('http://127.0.0.1:4711/?token=x', () => {});
    const own = electron.session.fromPartition('persist:remote-4711');
    for (const url of ['http://127.0.0.1:4711/a.js', 'ws://127.0.0.1:4711/rpc']) {
      expect(own.blocked?.cancels(url)).toBe(false);
    }
    for (const url of ['http://127.0.0.1:4712/', 'http://127.0.0.1:4711.evil.example/', 'file:///etc/passwd']) {
      expect(own.blocked?.cancels(url)).toBe(true);
    }
    const opened = electron.BrowserWindow.all.at(-1);
    expect(opened?.options['webPreferences']).toMatchObject({ sandbox: true, session: own });
    expect(opened?.options['webPreferences']).not.toHaveProperty('preload');
  });

  it('saves only what the page made itself', () => {
    const isRefused = (url: string): boolean => {
      const event = new StandInEvent();
      session.emit('will-download', event, { getURL: () => url });
      return event.defaultPrevented;
    };
    expect(isRefused('blob:copyscope://app/6e4f')).toBe(false);
    expect(isRefused('data:text/csv,a')).toBe(false);
    expect(isRefused('https://example.com/a.zip')).toBe(true);
    expect(isRefused('blob:https://example.com/6e4f')).toBe(true);
  });
});
