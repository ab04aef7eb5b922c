/**
 * The two messages that a page can send: a request for a port, and the theme that it shows. The sender is checked, and
 * each side of the port then speaks core/service's RPC, which validates every call.
 */
import { type IpcMain, type IpcMainEvent, MessageChannelMain, type MessagePortMain, type WebFrameMain } from 'electron';
import type { Channel } from '../core/service/rpc.ts';
import { isAppUrl, portMessage, themeMessage } from './origin.ts';
import { type Theme, themes } from './windowState.ts';

/** Called for each port that was given to a page of ours. */
export type OnPort = (channel: Channel) => void;

export function answerPortRequests(ipc: IpcMain, onPort: OnPort, onRefused: (reason: string) => void): void {
  ipc.on(portMessage, (event) => {
    const frame = event.senderFrame;
    const problem = refusal(event, frame);
    if (frame === null || problem !== null) {
      onRefused(problem ?? 'the page has gone');
      return;
    }
    const { port1, port2 } = new MessageChannelMain();
    onPort(portChannel(port1));
    frame.postMessage(portMessage, null, [port2]);
  });
}

/** Passes on the theme that our page shows; drops any other content of this message. */
export function answerThemes(ipc: IpcMain, onTheme: (theme: Theme) => void): void {
  ipc.on(themeMessage, (event, given: unknown) => {
    const theme = themes.find((one) => one === given);
    if (theme !== undefined && refusal(event, event.senderFrame) === null) onTheme(theme);
  });
}

/** Returns the reason to refuse a request, or null. Only the top frame of a page from our own scheme gets a port. */
function refusal(event: IpcMainEvent, frame: WebFrameMain | null): string | null {
  if (frame === null) return 'the page has gone';
  if (!isAppUrl(frame.url)) return `${JSON.stringify(frame.url.slice(0, 200))} is not a page of Copyscope`;
  if (frame.parent !== null || frame !== event.sender.mainFrame) return 'only the top frame may ask';
  return null;
}

function portChannel(port: MessagePortMain): Channel {
  return {
    post: (message) => port.postMessage(message),
    listen: (handler) => {
      port.on('message', (event) => handler(event.data));
      port.start();
    },
    onClose: (handler) => port.on('close', handler),
  };
}
