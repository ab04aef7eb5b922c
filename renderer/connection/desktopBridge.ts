/** What the desktop app's preload script offers; nothing in a browser. */
export interface DesktopBridge {
  requestPort(): void;
  /** Tells the menu and the title bar which theme the page shows. */
  setTheme(theme: DesktopTheme): void;
  /** Hears what the menu asks for. */
  onTheme(listener: (theme: DesktopTheme) => void): void;
  /** Hears that the menu's Licences was chosen. */
  onLicences(listener: () => void): void;
}

export type DesktopTheme = 'system' | 'light' | 'dark';

export const desktopBridge = (): DesktopBridge | undefined =>
  (globalThis as typeof globalThis & { copyscope?: DesktopBridge }).copyscope;
