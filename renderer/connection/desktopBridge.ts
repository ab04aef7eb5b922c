/** Functions of the desktop app's preload script; absent in a browser. */
export interface DesktopBridge {
  requestPort(): void;
  /** Sends the page's theme to the menu and the title bar. */
  setTheme(theme: DesktopTheme): void;
  /** Receives the theme that the menu requests. */
  onTheme(listener: (theme: DesktopTheme) => void): void;
  /** Called when the menu's Licences is chosen. */
  onLicences(listener: () => void): void;
}

export type DesktopTheme = 'system' | 'light' | 'dark';

export const desktopBridge = (): DesktopBridge | undefined =>
  (globalThis as typeof globalThis & { copyscope?: DesktopBridge }).copyscope;
