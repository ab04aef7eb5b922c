/**
 * The secret that authorises this window at its server. It stays in the page's memory and session storage, which no
 * page of another port can read. A new window gets it from an open one, or in exchange for the token of a printed link.
 */
import { sessionPath } from '../../core/service/service.ts';

/** A file that the host serves to this window and its workers. */
export interface HostFile {
  readonly address: string;
  /** Secret that the server requires; null in the desktop app, which serves only its own page. */
  readonly session: string | null;
}

/** Returns the headers that carry a session's secret. */
export const sessionHeaders = (session: string | null): Readonly<Record<string, string>> =>
  session === null ? {} : { Authorization: `Bearer ${session}` };

/** Rejects as fetch() does. Sends no cookies, since pages of other ports may have set too many. */
export const fetchHostFile = ({ address, session }: HostFile, signal?: AbortSignal): Promise<Response> =>
  fetch(address, {
    credentials: 'omit',
    headers: sessionHeaders(session),
    ...(signal === undefined ? {} : { signal }),
  });

const name = 'copyscope:session';
/** Another window of this browser answers within milliseconds. */
const answerMs = 1000;

let secret: string | null = null;
let channel: BroadcastChannel | null = null;
/** Called when another window answers. */
let onHeard: (() => void) | null = null;

/** Returns a file of the host for this window. */
export const hostFile = (path: string): HostFile => ({
  address: new URL(path, location.href).href,
  session: secret,
});

/**
 * Resolves with the session's secret from this window, from the link that opened it, or from another window; null if
 * there is none. Rejects if the server can't be reached.
 */
export async function findSession(): Promise<string | null> {
  channel ??= openChannel();
  await takeLink();
  secret ??= stored();
  if (secret === null) await askWindows(channel);
  return secret;
}

/** Resolves with true if the server still knows this secret; forgets the secret if not. Rejects as fetch() does. */
export async function isSessionKnown(given: string): Promise<boolean> {
  const isKnown = (await redeemed(given)) !== null;
  if (!isKnown && secret === given) keep(null);
  return isKnown;
}

/** Exchanges the link's token for the secret, and sends that to the other windows. A used token changes nothing. */
async function takeLink(): Promise<void> {
  const token = new URLSearchParams(location.search).get('token');
  if (token === null) return;
  const found = await redeemed(token);
  history.replaceState(history.state, '', location.pathname + location.hash);
  if (found === null) return;
  keep(found);
  channel?.postMessage({ secret: found });
}

async function redeemed(given: string): Promise<string | null> {
  const headers = sessionHeaders(given);
  const answer = await fetch(new URL(sessionPath, location.href), { headers, cache: 'no-store' });
  if (answer.ok) return answer.text();
  if (answer.status === 401) return null;
  throw new Error(`the server answered ${answer.status}`);
}

function openChannel(): BroadcastChannel {
  const opened = new BroadcastChannel(name);
  opened.addEventListener('message', ({ data }: MessageEvent<{ secret?: unknown }>) => {
    if (typeof data.secret !== 'string') {
      if (secret !== null) opened.postMessage({ secret });
    } else if (secret === null) {
      keep(data.secret);
      onHeard?.();
    }
  });
  return opened;
}

function askWindows(others: BroadcastChannel): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, answerMs);
    onHeard = () => {
      clearTimeout(timer);
      resolve();
    };
    others.postMessage({});
  });
}

function keep(next: string | null): void {
  secret = next;
  try {
    if (next === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, next);
  } catch {
    // Without storage the secret lasts until the page reloads.
  }
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}
