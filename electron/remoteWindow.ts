/** The window of a remote host: its page at a forwarded port, without the desktop app's own port to a host. */
import { BrowserWindow, nativeTheme, session } from 'electron';
import { hardenSession, webPreferences } from './security.ts';
import { usualSize } from './windowState.ts';

/** Calls `onProblem` if the page can't be loaded. */
export function openRemoteWindow(address: string, onProblem: (error: unknown) => void): BrowserWindow {
  const { origin, port } = new URL(address);
  // Each host has its own session, which reaches only its port.
  const own = session.fromPartition(`persist:remote-${port}`);
  hardenSession(own, origin);
  const window = new BrowserWindow({
    ...usualSize,
    title: 'Copyscope',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#101418' : '#ffffff',
    webPreferences: { ...webPreferences(), session: own },
  });
  window.loadURL(address).catch(onProblem);
  return window;
}
