import { expect, it, vi } from 'vitest';
import type * as StandIn from './support/electron.ts';

vi.mock('electron', () => import('./support/electron.ts'));

it('gives the page a port and the theme, and forwards the port to its own origin only', async () => {
  const electron = (await import('electron')) as unknown as typeof StandIn;
  const postMessage = vi.fn();
  vi.stubGlobal('window', { location: { origin: 'copyscope://app' }, postMessage });
  await import('../../electron/preload.ts');
  expect(Object.keys(electron.contextBridge.exposed)).toEqual(['copyscope']);
  const bridge = electron.contextBridge.exposed['copyscope'] as Record<string, (...args: unknown[]) => unknown>;
  expect(Object.keys(bridge)).toEqual(['requestPort', 'setTheme', 'onTheme', 'onCommand']);

  expect(bridge['requestPort']?.('injected')).toBeUndefined();
  expect(electron.ipcRenderer.send).toHaveBeenCalledExactlyOnceWith('copyscope:port');

  bridge['setTheme']?.('dark');
  expect(electron.ipcRenderer.send).toHaveBeenLastCalledWith('copyscope:theme', 'dark');
  const heard = vi.fn();
  expect(bridge['onTheme']?.(heard)).toBeUndefined();
  electron.ipcRenderer.emit('copyscope:theme', { sender: 'hidden' }, 'light');
  expect(heard).toHaveBeenCalledExactlyOnceWith('light');

  const asked = vi.fn();
  bridge['onCommand']?.(asked);
  electron.ipcRenderer.emit('copyscope:command', { sender: 'hidden' }, 'Window.licences');
  expect(asked).toHaveBeenCalledExactlyOnceWith('Window.licences');

  const port = {};
  electron.ipcRenderer.emit('copyscope:port', { ports: [port] });
  expect(postMessage).toHaveBeenCalledExactlyOnceWith('copyscope:port', 'copyscope://app', [port]);
});
