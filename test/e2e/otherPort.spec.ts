/** A page of another server on this machine, visited in a browser that has a Copyscope window open. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { test as base, expect } from './support/test.ts';
import { Window } from './support/window.ts';

interface Hostile {
  readonly address: string;
  /** Requests of browsers. */
  readonly requests: IncomingMessage[];
}

const test = base.extend<{ hostile: Hostile }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that one needs from the pattern.
  hostile: async ({}, use) => {
    const requests: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      requests.push(request);
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Hostile</title>');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await use({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests });
    server.closeAllConnections();
    server.close();
  },
});

/** Returns the status with which the server refuses a client that can claim to be any page; 101 if it accepts it. */
function connected(url: URL, cookie: string, protocols: string[]): Promise<number> {
  const headers = { Host: url.host, Origin: url.origin, Cookie: cookie };
  const socket = new WebSocket(`ws://${url.host}/rpc`, protocols, { headers });
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101)).once('error', () => {});
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
  }).finally(() => socket.terminate()) as Promise<number>;
}

test('a page of another port learns no secret and is refused, and the window goes on', async ({
  page,
  context,
  server,
  hostile,
}) => {
  const window = new Window(page);
  await page.goto(await server.address());
  await window.ready();
  const own = new URL(page.url());
  const secret = await page.evaluate(() => sessionStorage.getItem('copyscope:session'));
  expect(secret).toMatch(/^[\w-]{43}$/);
  // The token is gone from the address, which may be copied or shared.
  expect(own.search).toBe('');

  const attacker = await context.newPage();
  await attacker.goto(hostile.address);
  const found = await attacker.evaluate(async (origin) => {
    const asked = new BroadcastChannel('copyscope:session');
    const heard: unknown[] = [];
    asked.onmessage = ({ data }) => heard.push(data);
    asked.postMessage({});
    const answers = [];
    for (const path of ['/session', '/runs/imported/run', '/bundles/x', '/']) {
      for (const mode of ['cors', 'no-cors'] as const) {
        const answer = fetch(origin + path, { mode, credentials: 'include' });
        answers.push(await answer.then((one) => one.text()).catch((error: Error) => error.name));
      }
    }
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, ['copyscope', 'x']);
    const opened = await new Promise((resolve) => {
      socket.onopen = () => resolve(true);
      socket.onclose = () => resolve(false);
    });
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.src = origin;
    const popup = open(origin);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const read = (look: () => unknown): unknown => {
      try {
        return look();
      } catch (error) {
        return (error as Error).name;
      }
    };
    return {
      heard,
      answers: [...new Set(answers)],
      opened,
      cookies: document.cookie,
      stored: sessionStorage.length + localStorage.length,
      frame: read(() => frame.contentWindow?.sessionStorage.length),
      popup: read(() => popup?.sessionStorage.length),
    };
  }, own.origin);
  expect(found).toMatchObject({ heard: [], opened: false, cookies: '', stored: 0, frame: 'SecurityError' });
  // The page can't reach the popup; browsers name that error differently.
  expect(found.popup).toMatch(/Error$/);
  expect(found.answers).toEqual(['TypeError']);

  // Its server acts like the browser, with everything that the browser has sent it.
  const sent = hostile.requests.map(({ headers }) => headers.cookie ?? '').join('; ');
  expect(sent).not.toContain(secret);
  for (const protocols of [[], ['copyscope'], ['copyscope', 'A'.repeat(43)]])
    expect(await connected(own, sent, protocols)).toBe(401);
  const asked = await fetch(new URL('/runs/imported/run', own), { headers: { Cookie: sent, Origin: own.origin } });
  expect(asked.status).toBe(401);

  await window.open('Pinned source, second stream');
  await window.run();
  await page.reload();
  await window.ready();
});
