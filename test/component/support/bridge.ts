/** The desktop app's port between window and host. In component tests its other end is the host in memory. */
import { type Channel, serveWindow } from '../../../core/service/rpc.ts';
import type { DesktopBridge } from '../../../renderer/store/connection/channel.ts';
import type { MemoryHost } from './memoryHost.ts';

let current: MemoryHost | null = null;

const bridge: DesktopBridge = {
  requestPort() {
    const { port1, port2 } = new MessageChannel();
    if (current !== null) current.events = serveWindow(channelOf(port1), current.service).events;
    window.postMessage('copyscope:port', '*', [port2]);
  },
  setTheme() {},
  onTheme() {},
  onCommand() {},
};

(globalThis as typeof globalThis & { copyscope?: DesktopBridge }).copyscope = bridge;

/** Sets the host of the next connection. */
export function serve(host: MemoryHost): void {
  if (current !== null) current.events = null;
  current = host;
}

const channelOf = (port: MessagePort): Channel => ({
  post: (message) => port.postMessage(message),
  listen: (handler) => {
    port.addEventListener('message', ({ data }) => handler(data));
    port.start();
  },
  onClose: (handler) => port.addEventListener('close', handler),
});
