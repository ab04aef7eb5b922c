import type { MenuItemConstructorOptions } from 'electron';
import { expect, it, vi } from 'vitest';
import type * as StandIn from './support/electron.ts';

vi.mock('electron', () => import('./support/electron.ts'));

const electron = (await import('electron')) as unknown as typeof StandIn;
const { menuTemplate } = await import('../../electron/menu.ts');
const { isAllowedLink } = await import('../../electron/security.ts');

const actions = {
  openFile: vi.fn(),
  showDataFolder: vi.fn(),
  showLog: vi.fn(),
  showCrashReports: vi.fn(),
  runCommand: vi.fn(),
  chooseTheme: vi.fn(),
};

function items(platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const flat = (list: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
    list.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? flat(item.submenu) : [])]);
  return flat(menuTemplate(actions, platform));
}

const named = (label: string): MenuItemConstructorOptions => {
  const found = items('linux').find((item) => item.label?.startsWith(label));
  if (found === undefined) throw new Error(`no item ${label}`);
  return found;
};
const click = (item: MenuItemConstructorOptions): void => item.click?.(undefined as never, undefined, {} as never);

it.each(['linux', 'win32', 'darwin'] as const)(
  "has every platform role on %s, and no role that isn't the platform's",
  (platform) => {
    const roles = items(platform).map((item) => item.role);
    for (const role of [
      'fileMenu',
      'editMenu',
      'viewMenu',
      'windowMenu',
      'help',
      'zoomIn',
      'togglefullscreen',
    ] as const) {
      expect(roles).toContain(role);
    }
    for (const role of ['appMenu', 'recentDocuments'] as const)
      expect(roles.includes(role)).toBe(platform === 'darwin');
    expect(roles.includes('quit')).toBe(platform !== 'darwin');
  },
);

it('opens files, the data folder, the log, the crash reports and the licences', () => {
  click(named('Open a file'));
  click(named('Show Data'));
  click(named('Show Log'));
  click(named('Show Crash'));
  click(named('Licences'));
  const { chooseTheme: _, ...others } = actions;
  for (const action of Object.values(others)) expect(action).toHaveBeenCalledOnce();
});

it('links only where a link of the page may lead too', () => {
  electron.shell.openExternal.mockClear();
  for (const item of items('linux')) if (/^(CUDA|PyTorch)/.test(item.label ?? '')) click(item);
  const addresses = electron.shell.openExternal.mock.calls.map(([address]: unknown[]) => String(address));
  expect(addresses.length).toBeGreaterThan(2);
  expect(addresses.filter((address) => !isAllowedLink(address))).toEqual([]);
});
