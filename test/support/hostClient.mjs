/** A window's side of the service, without a window: what a program of this machine can ask a server that let it in. */
import { WebSocket } from 'ws';
import { load } from './window.mjs';

const [{ connectHost }, { decodeMessage, encodeMessage }] = await Promise.all([
  load('core/service/rpc.ts'),
  load('core/service/codec.ts'),
]);

const noEvents = new Proxy({}, { get: () => () => {} });

/** Headers that show the session's secret, or the token of a link. */
export const bearer = (secret) => ({ Authorization: `Bearer ${secret}` });

/** Returns the session's secret for the token of the link. */
export async function sessionOf(address) {
  const { origin, searchParams } = new URL(address);
  const answer = await fetch(`${origin}/session`, { headers: bearer(searchParams.get('token')) });
  if (!answer.ok) throw new Error(`the server let nobody in: ${answer.status} ${await answer.text()}`);
  return answer.text();
}

/** Opens a window's socket. */
export async function openSocket(address, session) {
  const { host } = new URL(address);
  const socket = new WebSocket(`ws://${host}/rpc`, ['copyscope', session], { headers: { Origin: `http://${host}` } });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.on('error', () => {});
  return socket;
}

/** Connects as the page does. `events` hears what happens; what it leaves out is not heard. */
export async function connectAsWindow(address, session, events = {}) {
  const socket = await openSocket(address, session);
  const channel = {
    post: (message) => socket.readyState === socket.OPEN && socket.send(encodeMessage(message)),
    listen: (handler) => void socket.on('message', (data) => handler(decodeMessage(data))),
    onClose: (handler) => void socket.once('close', handler),
  };
  const heard = new Proxy(events, { get: (own, name) => own[name] ?? noEvents[name] });
  return { service: connectHost(channel, heard).service, socket };
}
