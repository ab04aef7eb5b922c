/**
 * Who may talk to the server. Every local program and every web page that a browser has open can reach 127.0.0.1, so
 * being reachable proves nothing: the first visit brings the one-time token, later ones the cookie it was changed for.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Refusal {
  readonly status: number;
  readonly text: string;
}

const secret = (): string => randomBytes(32).toString('base64url');

/** Compares in constant time; digests, so that lengths may differ. */
function equal(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

export class Admission {
  readonly #port: number;
  readonly #session = secret();
  #token: string | null = secret();

  constructor(port: number) {
    this.#port = port;
  }

  /** The address to open, with the token. */
  get address(): string {
    return `http://127.0.0.1:${this.#port}/?token=${this.#token ?? ''}`;
  }

  /** Refuses a Host other than ours: a page of another name that resolves to 127.0.0.1 (DNS rebinding) has its own. */
  checkHost(request: IncomingMessage): Refusal | null {
    if (this.#hosts.includes(request.headers.host ?? '')) return null;
    return { status: 421, text: `This server answers only as ${this.#hosts.join(' or ')}.` };
  }

  /** Refuses a WebSocket that a page of another origin opens: browsers let it, and send our cookie or not as they like. */
  checkOrigin(request: IncomingMessage): Refusal | null {
    if (request.headers.origin === `http://${request.headers.host}`) return null;
    return { status: 403, text: 'Only the page of this server may connect.' };
  }

  checkSession(request: IncomingMessage): Refusal | null {
    const given = cookie(request, this.#cookieName);
    if (given !== undefined && equal(given, this.#session)) return null;
    return { status: 401, text: 'Open the address that "copyscope serve" printed: it lets this browser in.' };
  }

  /** The Set-Cookie header that the token is changed for, or a refusal. The token works once. */
  redeem(token: string): string | Refusal {
    if (this.#token === null || !equal(token, this.#token)) {
      const text =
        'This address has been used already, or is not complete. Start "copyscope serve" again for a new one.';
      return { status: 403, text };
    }
    this.#token = null;
    return `${this.#cookieName}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`;
  }

  get #hosts(): readonly string[] {
    return [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
  }

  /** Cookies don't tell ports apart: each server has its own name. */
  get #cookieName(): string {
    return `copyscope-${this.#port}`;
  }
}

function cookie(request: IncomingMessage, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
