/**
 * The secret that lets this window in at the server it came from. It stays in the page's memory and its session storage, which
 * no page of another port can read. A new window gets it from an open one, or for the token of a link that the server printed.
 */
import { sessionPath } from '../../core/service/service.ts';
import { type HostFile, sessionHeaders } from './hostFile.ts';

const name = 'copyscope:session';
/** Another window of this browser answers within milliseconds. */
const answerMs = 1000;

let secret: string | null = null;
let channel: BroadcastChannel | null = null;
/** Tells whoever waits for another window's answer. */
let onHeard: (() => void) | null = null;

/** A file of the host for this window. */
export const hostFile = (path: string): HostFile => ({
  address: new URL(path, location.href).href,
  session: secret,
});

/**
 * Resolves with the session's secret: the one that this window has, or that of the link it was opened by, or that of another
 * window. Null if there is none. Rejects if the server can't be reached.
 */
export async function findSession(): Promise<string | null> {
  channel ??= openChannel();
  await takeLink();
  secret ??= stored();
  if (secret === null) await askWindows(channel);
  return secret;
}

/** Resolves with whether the server knows this secret still; one that it doesn't know is forgotten. Rejects as fetch() does. */
export async function isSessionKnown(given: string): Promise<boolean> {
  const isKnown = (await redeemed(given)) !== null;
  if (!isKnown && secret === given) keep(null);
  return isKnown;
}

/** Changes the link's token for the secret, which the other windows hear too. A token that is used up changes nothing. */
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
    // Without storage the window is let in until it is loaded anew.
  }
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}
