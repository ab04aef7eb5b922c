/** Gives the sandboxed page a port to the host and the menu's requests. Bundled to CommonJS; keep it this small. */
import { contextBridge, ipcRenderer } from 'electron';
import { commandMessage, portMessage, themeMessage } from './origin.ts';

/** The part of the page's window that this file needs. */
declare const window: {
  readonly location: { readonly origin: string };
  postMessage(message: string, targetOrigin: string, transfer: readonly unknown[]): void;
};

// A port can't cross contextBridge, so it is posted to the page, to our own origin only.
ipcRenderer.on(portMessage, (event) => window.postMessage(portMessage, window.location.origin, event.ports));

contextBridge.exposeInMainWorld('copyscope', {
  requestPort: () => ipcRenderer.send(portMessage),
  /** 'system', 'light' or 'dark'. */
  setTheme: (theme: unknown) => ipcRenderer.send(themeMessage, theme),
  onTheme: (listener: (theme: unknown) => void) =>
    void ipcRenderer.on(themeMessage, (_event, theme: unknown) => listener(theme)),
  onCommand: (listener: (id: unknown) => void) =>
    void ipcRenderer.on(commandMessage, (_event, id: unknown) => listener(id)),
});
