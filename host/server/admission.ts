/**
 * Decides who may use the server. Every program of this machine, and every web page open in a browser, can reach
 * 127.0.0.1. So each printed link holds a token that works once. The page exchanges it for the session's secret, and
 * sends that with every request. The secret is never a cookie, since browsers send cookies to every port of a host.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { socketProtocol } from '../../core/service/service.ts';

export interface Refusal {
  readonly status: number;
  readonly text: string;
}

const newSecret = (): string => randomBytes(32).toString('base64url');

/** Compares in constant time, by digests, since the lengths may differ. */
function equal(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

export class Admission {
  readonly #port: number | null;
  readonly #session = newSecret();
  #token = newSecret();

  /** `port` is null if the server has a socket, to which ssh forwards any port of another computer. */
  constructor(port: number | null) {
    this.#port = port;
  }

  /** Token that admits the first visitor. It changes each time that it is used. */
  get token(): string {
    return this.#token;
  }

  /** Refuses a foreign Host header, as sent by a page whose name resolves to 127.0.0.1 (DNS rebinding). */
  checkHost(request: IncomingMessage): Refusal | null {
    const [, name = '', port] = /^(127\.0\.0\.1|localhost):(\d{1,5})$/.exec(request.headers.host ?? '') ?? [];
    if (name !== '' && (this.#port === null || Number(port) === this.#port)) return null;
    const own = this.#port === null ? '' : `:${this.#port}`;
    return { status: 421, text: `This server answers only as 127.0.0.1${own} or localhost${own}.` };
  }

  /** Refuses a WebSocket from a page of another origin, which browsers allow. */
  checkOrigin(request: IncomingMessage): Refusal | null {
    if (request.headers.origin === `http://${request.headers.host}`) return null;
    return { status: 403, text: 'Only the page of this server may connect.' };
  }

  checkSession(request: IncomingMessage): Refusal | null {
    return this.#isSession(bearer(request)) ? null : notLetIn;
  }

  /** Reads the secret from the second WebSocket protocol, since a page can't set headers of a WebSocket. */
  checkSocket(request: IncomingMessage): Refusal | null {
    const [protocol, secret] = (request.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/);
    return protocol === socketProtocol && this.#isSession(secret) ? null : notLetIn;
  }

  /** Returns the session's secret for the token, which is used up then, or for the secret itself. */
  redeem(request: IncomingMessage): string | Refusal {
    const given = bearer(request);
    if (this.#isSession(given)) return this.#session;
    if (given === undefined || !equal(given, this.#token)) return notLetIn;
    this.#token = newSecret();
    return this.#session;
  }

  #isSession(given: string | undefined): boolean {
    return given !== undefined && equal(given, this.#session);
  }
}

const notLetIn: Refusal = {
  status: 401,
  text: 'Open the address that "copyscope serve" printed last: it lets this browser in. Each works once.',
};

const bearer = (request: IncomingMessage): string | undefined =>
  /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? '')?.[1];

/**
 * Connections without the session's secret or token. Every program of this machine can open any number of them: if
 * there are too many, the oldest is closed. A browser sends its request at once, and so is answered before that.
 */
export class Strangers {
  readonly #most: number;
  /** Sockets in order of arrival. */
  readonly #sockets = new Set<Socket>();

  constructor(most: number) {
    this.#most = most;
  }

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#sockets.size <= this.#most) return;
    const [oldest] = this.#sockets;
    if (oldest === undefined) return;
    this.#sockets.delete(oldest);
    oldest.destroy();
  }

  /** Makes it the youngest, since it requested a file of the page. */
  renew(socket: Socket): void {
    if (this.#sockets.delete(socket)) this.#sockets.add(socket);
  }

  /** Removes an admitted connection, which keeps its place. */
  admit(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
