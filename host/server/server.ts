/**
 * Serves the window to a browser on this machine: the built page at /, the session at /session, the service at /rpc,
 * the files of runs below /runs and bundles below /bundles, on 127.0.0.1 only. The page's own files hold no secret and
 * are public; everything else needs the session's secret.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import sirv from 'sirv';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { CopyscopeError } from '../../core/errors.ts';
import { decodeMessage, encodeMessage, maxMessageBytes } from '../../core/service/codec.ts';
import { type Channel, serveWindow } from '../../core/service/rpc.ts';
import { bundleOfPath, runOfPath, sessionPath, socketPath } from '../../core/service/service.ts';
import type { Host } from '../service/host.ts';
import { Admission, type Refusal, Strangers } from './admission.ts';
import { sendBundle, sendRunFile } from './runFiles.ts';

/** A window that reads nothing is disconnected before its waiting messages fill the memory. */
const maxWaitingBytes = 2 * maxMessageBytes;
const unsupportedData = 1003;
const invalidPayload = 1007;

function socketChannel(socket: WebSocket): Channel {
  return {
    post: (message) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > maxWaitingBytes) socket.terminate();
      else socket.send(encodeMessage(message));
    },
    listen: (handler) => {
      socket.on('message', (data, isBinary) => {
        if (!isBinary) return socket.close(unsupportedData, 'Messages are binary.');
        const message = decoded(data);
        if (message === null) return socket.close(invalidPayload, 'The message could not be read.');
        return handler(message.value);
      });
    },
    onClose: (handler) => void socket.once('close', handler),
  };
}

function decoded(data: RawData): { readonly value: unknown } | null {
  try {
    return { value: decodeMessage(Array.isArray(data) ? Buffer.concat(data) : data) };
  } catch {
    return null;
  }
}

/**
 * Returns the policy: the page may load only from this server. Inline styles are allowed, since the component library
 * sets its theme in a style element and positions in style attributes. Inline scripts and evaluated code are not.
 */
function contentSecurityPolicy(port: number | string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port}`,
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** Headers of every answer of the server. */
const securityHeaders = (port: number | string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': contentSecurityPolicy(port),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  // Together with the header above this lets workers of the page share the memory of a run instead of copying it.
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), usb=()',
  'Cache-Control': 'no-cache',
});

export interface ServerOptions {
  readonly host: Pick<Host, 'service' | 'addWindow' | 'runFile' | 'bundle'>;
  /** Folder of the built page, dist/renderer. */
  readonly pageFolder: string;
  /** By default, or for 0, any free port. */
  readonly port?: number | undefined;
  /** Path of a Unix socket to listen on in place of a port. */
  readonly socket?: string | undefined;
  /** Called with the new link each time that one was used. */
  readonly onAddress?: ((address: string) => void) | undefined;
}

export interface RunningServer {
  /** Port, or 0 if it listens on a socket. */
  readonly port: number;
  /** Link to open. Its token admits the first visitor and nobody else; then there is a new link. */
  readonly address: string;
  /** Token of the link. */
  readonly token: string;
  /** Number of connected windows. */
  readonly windows: number;
  /** Closes every connection and the port, but not the host. */
  close(): Promise<void>;
}

const maxWindows = 32;
const heartbeatMs = 30_000;
/** Limit of unknown connections. It equals the system's queue, so that accepting a full queue drops none. */
const mostStrangers = 512;
/** Browsers also send cookies of other servers on this machine. */
const maxHeaderBytes = 64 * 1024;

/** Rejects with `server.page-missing` or `server.port-taken`. */
export async function startServer({
  host,
  pageFolder,
  port = 0,
  socket: path,
  onAddress,
}: ServerOptions): Promise<RunningServer> {
  if (!existsSync(join(pageFolder, 'index.html'))) throw pageMissing(pageFolder);
  // Serves only files found at the start: no path of a request is looked up on the disk.
  const page = sirv(pageFolder, { dev: false, etag: true, dotfiles: false });
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 2000,
  });
  const strangers = new Strangers(mostStrangers);
  server.on('connection', (socket) => strangers.add(socket));
  const taken = path === undefined ? await listen(server, port) : await listenOn(server, path);
  const admission = new Admission(path === undefined ? taken : null);
  const ownHeaders = securityHeaders(taken);
  // The page behind a socket is reached through the browser's port.
  const headersFor = ({ headers: { host: name = '' } }: IncomingMessage) =>
    path === undefined ? ownHeaders : securityHeaders(/:(\d{1,5})$/.exec(name)?.[1] ?? 0);
  const addressNow = (): string => `http://127.0.0.1:${taken}/?token=${admission.token}`;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });

  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(headersFor(request))) response.setHeader(name, value);
    answer(request, response, { admission, strangers, page, host, onToken: () => onAddress?.(addressNow()) });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnread(error, socket, ownHeaders));
  server.on('upgrade', (request, socket, head) => {
    const refusal = admitSocket(request, admission, sockets.clients.size);
    if (refusal !== null) return refuseSocket(socket, refusal);
    strangers.admit(request.socket);
    return sockets.handleUpgrade(request, socket, head, (opened) => serveSocket(opened, host));
  });
  const heartbeat = setInterval(() => dropSilent(sockets), heartbeatMs).unref();

  return {
    port: taken,
    get address() {
      return addressNow();
    },
    get token() {
      return admission.token;
    },
    get windows() {
      return sockets.clients.size;
    },
    close: () => {
      clearInterval(heartbeat);
      return closeAll(server, sockets);
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portTaken(port, error)));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function listenOn(server: Server, path: string): Promise<0> {
  server.listen({ path });
  await once(server, 'listening');
  return 0;
}

interface Served {
  readonly admission: Admission;
  readonly strangers: Strangers;
  readonly page: ReturnType<typeof sirv>;
  readonly host: ServerOptions['host'];
  readonly onToken: () => void;
}

/** Sockets whose request is being answered. */
const busy = new WeakSet<Socket>();

function answer(request: IncomingMessage, response: ServerResponse, served: Served): void {
  const { socket } = request;
  // No browser sends a request before the previous answer. A thousand at once would open a thousand files.
  if (busy.has(socket)) socket.destroy();
  else {
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
    respond(request, response, served);
  }
}

function respond(request: IncomingMessage, response: ServerResponse, served: Served): void {
  const { admission, strangers, page, host } = served;
  const path = request.url ?? '';
  const [run, bundle] = [runOfPath(path), bundleOfPath(path)];
  const isPage = run === null && bundle === null;
  const refusal = admission.checkHost(request) ?? checkRequest(request);
  const orRefuse = (no: Refusal | null): void => void (no !== null && refuse(response, no));
  if (refusal !== null) refuse(response, refusal);
  else if (path === sessionPath) letIn(request, response, served);
  else if (isPage) {
    strangers.renew(request.socket);
    // sirv doesn't handle a file that was deleted since the start, as by a new build.
    response.once('pipe', (file: Readable) => file.once('error', () => response.destroy()));
    page(request, response, () => refuse(response, { status: 404, text: 'There is no such file.' }));
  } else {
    const stranger = admission.checkSession(request);
    if (stranger === null) strangers.admit(request.socket);
    if (stranger !== null) refuse(response, stranger);
    else if (run !== null) void sendRunFile(host, run, request, response).then(orRefuse);
    else void sendBundle(host, bundle ?? '', response).then(orRefuse);
  }
}

/** Answers with the session's secret for the token of a link. */
function letIn(request: IncomingMessage, response: ServerResponse, { admission, strangers, onToken }: Served): void {
  const before = admission.token;
  const secret = admission.redeem(request);
  if (typeof secret === 'string') {
    strangers.admit(request.socket);
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }).end(secret);
    if (admission.token !== before) onToken();
  } else refuse(response, secret);
}

function checkRequest(request: IncomingMessage): Refusal | null {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, text: 'Only GET and HEAD are served.' };
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  return hasBody ? { status: 413, text: 'No request here has a body.' } : null;
}

function refuse(response: ServerResponse, { status, text }: Refusal): void {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', Connection: 'close' };
  response.writeHead(status, headers).end(`${text}\n`);
}

function admitSocket(request: IncomingMessage, admission: Admission, open: number): Refusal | null {
  if (request.url !== socketPath) return { status: 404, text: `The socket is at ${socketPath}.` };
  const refusal = admission.checkHost(request) ?? admission.checkOrigin(request) ?? admission.checkSocket(request);
  if (refusal !== null) return refusal;
  return open < maxWindows ? null : { status: 503, text: `${maxWindows} windows are open, and no more are served.` };
}

function refuseSocket(socket: Duplex, { status, text }: Refusal, headers: Readonly<Record<string, string>> = {}): void {
  const body = `${text}\n`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => socket.destroy());
  // The other side may never close its half, and the server's time-outs don't apply to upgrade requests.
  socket.end(
    `HTTP/1.1 ${status} Refused\r\n${lines.join('')}Connection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

const unread: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    text:
      `The headers of this request have more than ${maxHeaderBytes / 1024} KB. Other servers of this machine have set that ` +
      'many cookies. They are cleared now: load the page again.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, text: 'The request did not come to its end.' },
};

/**
 * Refuses an unreadable request. Clears cookies too large for any server of this host name, with which a page of
 * another port could lock the window out.
 */
function refuseUnread(
  { code = '' }: NodeJS.ErrnoException,
  socket: Duplex,
  headers: Readonly<Record<string, string>>,
): void {
  if (!socket.writable) return void socket.destroy();
  const refusal = unread[code] ?? { status: 400, text: 'This is no request of HTTP.' };
  refuseSocket(socket, refusal, refusal.status === 431 ? { ...headers, 'Clear-Site-Data': '"cookies"' } : headers);
}

/** Sockets that have answered since the last heartbeat. */
const alive = new WeakSet<WebSocket>();

function serveSocket(socket: WebSocket, host: ServerOptions['host']): void {
  alive.add(socket);
  socket.on('pong', () => alive.add(socket));
  // ws closes a socket after an error such as a frame that is too large; 'close' handles the rest.
  socket.on('error', () => {});
  const remove = host.addWindow(serveWindow(socketChannel(socket), host.service).events);
  socket.once('close', remove);
}

function dropSilent(sockets: WebSocketServer): void {
  for (const socket of sockets.clients) {
    if (!alive.delete(socket)) socket.terminate();
    else socket.ping();
  }
}

async function closeAll(server: Server, sockets: WebSocketServer): Promise<void> {
  for (const socket of sockets.clients) socket.close(1001, 'Copyscope is closing.');
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Repeated, since a connection becomes idle only after its last answer.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const last = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
  }, 1000);
  await closed;
  clearInterval(idle);
  clearTimeout(last);
}

const pageMissing = (folder: string): CopyscopeError =>
  new CopyscopeError({
    code: 'server.page-missing',
    message: `The window is not built: ${folder} has no index.html.`,
    remedy: 'Build it with: npm run build',
  });

const portTaken = (port: number, error: NodeJS.ErrnoException): CopyscopeError =>
  new CopyscopeError(
    {
      code: 'server.port-taken',
      field: '--port',
      message: `port ${port} of 127.0.0.1 can't be used (${error.code ?? error.message}).`,
      remedy: 'Choose another port, or leave --port out.',
    },
    { cause: error },
  );
