/** The two ways to the host: a WebSocket to the window's server, or a port from the desktop app. */
import { CopyscopeError } from '../../../core/errors.ts';
import { decodeMessage, encodeMessage } from '../../../core/service/codec.ts';
import type { Channel } from '../../../core/service/rpc.ts';
import { socketPath, socketProtocol } from '../../../core/service/service.ts';
import { findSession, isSessionKnown } from '../../common/session.ts';

/** Functions of the desktop app's preload script; absent in a browser. */
export interface DesktopBridge {
  requestPort(): void;
  /** Sends the page's theme to the menu and the title bar. */
  setTheme(theme: DesktopTheme): void;
  /** Receives the theme that the menu requests. */
  onTheme(listener: (theme: DesktopTheme) => void): void;
  /** Receives the id of the command that is chosen in the menu. */
  onCommand(listener: (id: string) => void): void;
}

export type DesktopTheme = 'system' | 'light' | 'dark';

export const desktopBridge = (): DesktopBridge | undefined =>
  (globalThis as typeof globalThis & { copyscope?: DesktopBridge }).copyscope;

export interface OpenChannel {
  readonly channel: Channel;
  close(): void;
}

const portMessage = 'copyscope:port';
const openTimeoutMs = 10_000;

/** Rejects with `connection.failed` if the host can't be reached, `connection.ended` if it refuses the session. */
export function openChannel(): Promise<OpenChannel> {
  const bridge = desktopBridge();
  return bridge === undefined ? openSocket() : openPort(bridge);
}

async function openSocket(): Promise<OpenChannel> {
  const session = await findSession().catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (session === null) throw ended();
  const address = new URL(socketPath, location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address, [socketProtocol, session]);
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    const refuse = (): void => void whyRefused(session).then(reject);
    const timer = setTimeout(() => socket.close(), openTimeoutMs);
    socket.addEventListener('close', refuse);
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      socket.removeEventListener('close', refuse);
      resolve({ channel: socketChannel(socket), close: () => socket.close() });
    });
  });
}

function socketChannel(socket: WebSocket): Channel {
  return {
    post: (message) => socket.send(encodeMessage(message)),
    listen: (handler) =>
      socket.addEventListener('message', (event: MessageEvent<unknown>) => {
        if (event.data instanceof ArrayBuffer) handler(decodeMessage(event.data));
      }),
    onClose: (handler) => socket.addEventListener('close', handler),
  };
}

function openPort(bridge: DesktopBridge): Promise<OpenChannel> {
  return new Promise((resolve, reject) => {
    const receive = (event: MessageEvent<unknown>): void => {
      const port = event.ports[0];
      if (event.source !== window || event.data !== portMessage || port === undefined) return;
      clearTimeout(timer);
      window.removeEventListener('message', receive);
      resolve({ channel: portChannel(port), close: () => port.close() });
    };
    const timer = setTimeout(() => {
      window.removeEventListener('message', receive);
      reject(unreachable());
    }, openTimeoutMs);
    window.addEventListener('message', receive);
    bridge.requestPort();
  });
}

function portChannel(port: MessagePort): Channel {
  return {
    post: (message) => port.postMessage(message),
    listen: (handler) => {
      port.addEventListener('message', (event: MessageEvent<unknown>) => handler(event.data));
      port.start();
    },
    onClose: (handler) => port.addEventListener('close', handler),
  };
}

/** Returns the reason of a refusal, since a socket gives none. */
async function whyRefused(session: string): Promise<CopyscopeError> {
  try {
    return (await isSessionKnown(session)) ? unreachable() : ended();
  } catch (cause) {
    return unreachable(cause);
  }
}

const ended = (): CopyscopeError =>
  new CopyscopeError({
    code: 'connection.ended',
    message: 'Copyscope was started again, or no other window of it is open in this browser.',
    remedy: 'Open the address that it printed last. Then this window goes on where it was.',
  });

const unreachable = (cause?: unknown): CopyscopeError =>
  new CopyscopeError(
    {
      code: 'connection.failed',
      message: 'The host can’t be reached.',
      remedy: 'Check that Copyscope is still running, and open the address it printed.',
    },
    { cause },
  );
