/** A window's side of the service, without a window: what a program of this machine can ask a server that let it in. */
import { WebSocket } from 'ws';
import { load } from './window.mjs';

const [{ connectHost }, { decodeMessage, encodeMessage }] = await Promise.all([
  load('core/service/rpc.ts'),
  load('core/service/codec.ts'),
]);

const noEvents = new Proxy({}, { get: () => () => {} });

/** The cookie that the address with the token is changed for. */
export async function cookieOf(address) {
  const answer = await fetch(address, { redirect: 'manual' });
  const [pair] = (answer.headers.get('set-cookie') ?? '').split(';');
  if (!pair) throw new Error(`the server let nobody in: ${answer.status} ${await answer.text()}`);
  return pair;
}

/** Connects as the page does. `events` hears what happens; what it leaves out is not heard. */
export async function connectAsWindow(address, cookie, events = {}) {
  const { host } = new URL(address);
  const socket = new WebSocket(`ws://${host}/rpc`, { headers: { Cookie: cookie, Origin: `http://${host}` } });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.on('error', () => {});
  const channel = {
    post: (message) => socket.readyState === socket.OPEN && socket.send(encodeMessage(message)),
    listen: (handler) => void socket.on('message', (data) => handler(decodeMessage(data))),
    onClose: (handler) => void socket.once('close', handler),
  };
  const heard = new Proxy(events, { get: (own, name) => own[name] ?? noEvents[name] });
  return { service: connectHost(channel, heard).service, socket };
}

/** Sends a file in parts, as the window does. */
export async function importFile(service, name, file) {
  const ticket = await service.beginImport({ name, modifiedAt: '2026-11-20T09:00:00.000Z' });
  for (let from = 0; from < file.length; from += 1 << 16)
    await service.importPart(ticket, file.slice(from, from + (1 << 16)));
  return service.endImport(ticket);
}
