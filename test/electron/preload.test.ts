import { expect, it, vi } from 'vitest';
import type * as StandIn from './support/electron.ts';

vi.mock('electron', () => import('./support/electron.ts'));

it('gives the page one function, and forwards the port to its own origin only', async () => {
  const electron = (await import('electron')) as unknown as typeof StandIn;
  const postMessage = vi.fn();
  vi.stubGlobal('window', { location: { origin: 'copyscope://app' }, postMessage });
  await import('../../electron/preload.ts');
  expect(Object.keys(electron.contextBridge.exposed)).toEqual(['copyscope']);
  const bridge = electron.contextBridge.exposed['copyscope'] as Record<string, (...args: unknown[]) => unknown>;
  expect(Object.keys(bridge)).toEqual(['requestPort']);

  expect(bridge['requestPort']?.('injected')).toBeUndefined();
  expect(electron.ipcRenderer.send).toHaveBeenCalledExactlyOnceWith('copyscope:port');

  const port = {};
  electron.ipcRenderer.emit('copyscope:port', { ports: [port] });
  expect(postMessage).toHaveBeenCalledExactlyOnceWith('copyscope:port', 'copyscope://app', [port]);
});
