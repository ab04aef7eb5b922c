/** The application menu: the platform's own roles, and Copyscope's additions. */
import { Menu, type MenuItemConstructorOptions, nativeTheme, shell } from 'electron';
import { menuCommands } from '../core/service/service.ts';
import { type Theme, themes } from './windowState.ts';

export interface MenuActions {
  readonly openFile: () => void;
  readonly showDataFolder: () => void;
  readonly showLog: () => void;
  readonly showCrashReports: () => void;
  /** Makes the page run one of its commands. */
  readonly runCommand: (id: string) => void;
  /** Makes the page use the theme. */
  readonly chooseTheme: (theme: Theme) => void;
}

const { open, licences } = menuCommands;

const themeNames = { system: 'System', light: 'Light', dark: 'Dark' } as const;

const links = [
  ['CUDA: Asynchronous Concurrent Execution', 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/'],
  ['CUDA: API Synchronization Behavior', 'https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html'],
  ['CUDA: Stream Synchronization', 'https://docs.nvidia.com/cuda/cuda-runtime-api/stream-sync-behavior.html'],
  ['PyTorch: CUDA Semantics', 'https://docs.pytorch.org/docs/stable/notes/cuda.html'],
] as const;

export function buildMenu(actions: MenuActions, platform: NodeJS.Platform): Menu {
  return Menu.buildFromTemplate(menuTemplate(actions, platform));
}

export function menuTemplate(actions: MenuActions, platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  return [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      role: 'fileMenu',
      submenu: [
        { label: `${open.name}…`, accelerator: acceleratorOf(open.keys), click: actions.openFile },
        ...(isMac ? [recentFiles] : []),
        { label: 'Show Data Folder', click: actions.showDataFolder },
        { type: 'separator' },
        isMac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    { role: 'viewMenu', submenu: viewMenu(actions) },
    { role: 'windowMenu' },
    { role: 'help', submenu: helpMenu(actions, isMac) },
  ];
}

/** Windows lists them in the task bar. */
const recentFiles: MenuItemConstructorOptions = {
  role: 'recentDocuments',
  submenu: [{ role: 'clearRecentDocuments' }],
};

/** Writes the binding 'mod O' as Electron does. */
const acceleratorOf = ([binding = '']: string[]): string => binding.replace('mod', 'CmdOrCtrl').replaceAll(' ', '+');

function viewMenu({ chooseTheme }: MenuActions): MenuItemConstructorOptions[] {
  const themeItems = themes.map(
    (theme): MenuItemConstructorOptions => ({
      label: themeNames[theme],
      type: 'radio',
      checked: nativeTheme.themeSource === theme,
      click: () => chooseTheme(theme),
    }),
  );
  return [
    { label: 'Theme', submenu: themeItems },
    { type: 'separator' },
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
    { role: 'reload' },
    { role: 'toggleDevTools' },
  ];
}

function helpMenu(actions: MenuActions, isMac: boolean): MenuItemConstructorOptions[] {
  return [
    ...links.map(([label, address]) => ({ label, click: () => void shell.openExternal(address) })),
    { type: 'separator' },
    { label: 'Show Log', click: actions.showLog },
    { label: 'Show Crash Reports', click: actions.showCrashReports },
    { label: licences.name, click: () => actions.runCommand(licences.id) },
    ...(isMac ? [] : [{ role: 'about' } as const]),
  ];
}
