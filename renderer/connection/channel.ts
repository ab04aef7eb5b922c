/** The two ways to the host: a WebSocket to the server the window came from, or a port from the desktop app. */
import { CopyscopeError } from '../../core/errors.ts';
import { decodeMessage, encodeMessage } from '../../core/service/codec.ts';
import type { Channel } from '../../core/service/rpc.ts';
import { type DesktopBridge, desktopBridge } from './desktopBridge.ts';

export interface OpenChannel {
  readonly channel: Channel;
  close(): void;
}

const portMessage = 'copyscope:port';
const openTimeoutMs = 10_000;

/** Rejects with a CopyscopeError `connection.failed` where the host can't be reached, `connection.ended` where it knows us no longer. */
export function openChannel(): Promise<OpenChannel> {
  const bridge = desktopBridge();
  return bridge === undefined ? openSocket() : openPort(bridge);
}

function openSocket(): Promise<OpenChannel> {
  const address = new URL('/rpc', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.hash = '';
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    const refuse = (): void => void whyRefused().then(reject);
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

/** A socket doesn't say why it was refused; the page's own address does. */
async function whyRefused(): Promise<CopyscopeError> {
  try {
    const { status } = await fetch(new URL('/', location.href), { method: 'HEAD', cache: 'no-store' });
    return status === 401 || status === 403 ? ended() : unreachable();
  } catch {
    return unreachable();
  }
}

/** Copyscope was started again: it knows this browser no longer. */
const ended = (): CopyscopeError =>
  new CopyscopeError({
    code: 'connection.ended',
    message: 'Copyscope was started again, and this window’s session ended with the one before.',
    remedy: 'Open the address that the new one printed. Then this window goes on where it was.',
  });

const unreachable = (): CopyscopeError =>
  new CopyscopeError({
    code: 'connection.failed',
    message: 'The host can’t be reached.',
    remedy: 'Check that Copyscope is still running, and open the address it printed.',
  });
