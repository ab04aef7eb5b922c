/** A window's side of the service without a window, for requests of local programs to a server. */
import { WebSocket } from 'ws';
import { load } from './window.mjs';

const [{ connectHost }, { decodeMessage, encodeMessage }] = await Promise.all([
  load('core/service/rpc.ts'),
  load('core/service/codec.ts'),
]);

const noEvents = new Proxy({}, { get: () => () => {} });

/** Returns headers with the session's secret, or with the token of a link. */
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

/** Connects like the page. `events` receives events; missing handlers are ignored. */
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
