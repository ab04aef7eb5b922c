import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { CopyscopeError } from '../../../core/errors.ts';
import { decodeMessage, encodeMessage, maxMessageBytes } from '../../../core/service/codec.ts';
import { connectHost } from '../../../core/service/rpc.ts';
import type { HostService, WindowEvents } from '../../../core/service/service.ts';
import { type RunningServer, startServer } from '../../../host/server/server.ts';
import { Windows } from '../../../host/service/windows.ts';
import { holdPort } from '../../support/heldPort.ts';
import { newFolder } from '../../support/newFolder.ts';
import { eventually } from '../../unit/support/eventually.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

let folder: string;
let server: RunningServer;
let windows: Windows;
let addresses: string[];
const runs = vi.fn(async () => []);
const bundle = async (ticket: string): Promise<Readable> => {
  if (ticket === 'mine') return Readable.from(['a bundle']);
  throw new CopyscopeError({ code: 'bundle.gone', message: 'It is gone.' });
};

/** Sends a request unchanged: node:http doesn't normalise the path, as fetch() would. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // A connection of its own: the server may close one that was kept while the next request is on its way.
    const own = { agent: false, host: '127.0.0.1', port: server.port };
    const sent = httpRequest({ ...own, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}

const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });
const token = (): string => new URL(server.address).searchParams.get('token') ?? '';

/** Returns the session's secret for the token of the current link. */
const secret = async (): Promise<string> => (await ask('/session', bearer(token()))).text;
const letIn = async (): Promise<Record<string, string>> => bearer(await secret());

const origin = (): string => `http://127.0.0.1:${server.port}`;

/** Returns the status of a refused socket; 101 if it is accepted. */
function connectStatus(headers: Record<string, string>, protocols: readonly string[], path = '/rpc'): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, [...protocols], { headers });
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('unexpected-response', (_request, response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', () => {});
  });
}

const openSocket = async (): Promise<WebSocket> => openSocketWith(await secret());

async function openSocketWith(session: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, ['copyscope', session], {
    headers: { Origin: origin() },
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return socket;
}

async function runFile(id: string): Promise<{ path: string; bytes: number }> {
  if (id === 'going') throw new CopyscopeError({ code: 'run.running', message: 'The run is still in progress.' });
  if (id !== 'imported/run') throw new CopyscopeError({ code: 'run.not-found', message: 'There is no such run.' });
  return { path: join(folder, 'run.arrow'), bytes: 19 };
}

beforeEach(async () => {
  folder = newFolder();
  mkdirSync(join(folder, 'page/assets'), { recursive: true });
  writeFileSync(join(folder, 'page/index.html'), '<!doctype html><title>Copyscope</title>');
  writeFileSync(join(folder, 'page/assets/app.js'), 'export {};');
  writeFileSync(join(folder, 'page/.secret'), 'hidden');
  writeFileSync(join(folder, 'outside.txt'), 'outside');
  writeFileSync(join(folder, 'run.arrow'), 'ARROW1 and the rest');
  windows = new Windows();
  addresses = [];
  const service = { runs } as unknown as HostService;
  server = await startServer({
    host: { service, addWindow: (events) => windows.add(events), runFile, bundle },
    pageFolder: join(folder, 'page'),
    onAddress: (address) => addresses.push(address),
  });
});

afterEach(async () => {
  await server.close();
});

it('a bundle goes to clients with a session, and to nobody else', async () => {
  expect((await ask('/bundles/mine')).status).toBe(401);
  const session = await letIn();
  const sent = await ask('/bundles/mine', session);
  expect(sent).toMatchObject({ status: 200, text: 'a bundle' });
  expect(sent.headers['content-type']).toBe('application/gzip');
  expect((await ask('/bundles/none', session)).status).toBe(404);
  expect((await ask('/bundles/mine', { ...session, Host: 'evil.example' })).status).toBe(421);
});

describe('the file of a run', () => {
  it('the file of a run is streamed with its length to clients with a session', async () => {
    const session = await letIn();
    const answer = await ask('/runs/imported/run', session);
    expect(answer).toMatchObject({ status: 200, text: 'ARROW1 and the rest' });
    expect(answer.headers).toMatchObject({ 'content-length': '19', 'cache-control': 'no-store' });
    expect(await ask('/runs/imported/run', session, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it("the file of a run is refused without the session, to another Host, and if it doesn't exist", async () => {
    const session = await letIn();
    expect((await ask('/runs/imported/run')).status).toBe(401);
    expect((await ask('/runs/imported/run', { ...session, Host: 'evil.example' })).status).toBe(421);
    for (const id of ['other', '../run', '%2e%2e/run', 'imported/run.arrow', 'imported/run?x=1', '']) {
      expect((await ask(`/runs/${id}`, session)).status).toBe(404);
    }
    expect(await ask('/runs/going', session)).toMatchObject({
      status: 409,
      text: expect.stringContaining('in progress'),
    });
  });
});

describe('the headless server', () => {
  it('serves the files of the page to everybody, and sets no cookie', async () => {
    const page = await ask('/');
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Copyscope') });
    expect(await ask(new URL(server.address).search.replace(/^/, '/'))).toMatchObject({ status: 200, text: page.text });
    expect(await ask('/assets/app.js')).toMatchObject({ status: 200, text: 'export {};' });
    const { headers } = await ask('/session', bearer(token()));
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['cache-control']).toBe('no-store');
  });

  it('lets in the first visitor with the token of its link, and has a new link then', async () => {
    const first = token();
    const session = await secret();
    expect(session).toMatch(/^[\w-]{43}$/);
    expect(token()).not.toBe(first);
    expect(addresses).toEqual([server.address]);
    expect(await secret()).toBe(session);
    // A window checks with this request if its session is still valid.
    expect(await ask('/session', bearer(session))).toMatchObject({ status: 200, text: session });
  });

  it('gives the secret once if 60 visitors race for it with one token', async () => {
    const one = bearer(token());
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask('/session', one)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(59);
  });
});

it('the server lets in a window of its own page, over which the service answers and events arrive', async () => {
  const socket = await openSocket();
  const heard = vi.fn();
  const events = { experimentsChanged: heard } as unknown as WindowEvents;
  const { service } = connectHost(
    {
      post: (message) => socket.send(encodeMessage(message)),
      listen: (handler) => void socket.on('message', (data: Buffer) => handler(decodeMessage(data))),
    },
    events,
  );
  expect(await service.runs()).toEqual([]);
  windows.experimentsChanged();
  await eventually(() => expect(heard).toHaveBeenCalledTimes(1));
  socket.terminate();
});

describe('the headless server refuses', () => {
  it('the token a second time', async () => {
    const used = token();
    await secret();
    expect(await ask('/session', bearer(used))).toMatchObject({ status: 401, text: expect.stringContaining('last') });
  });

  it.each(['', 'wrong', 'A'.repeat(43)])('the wrong token "%s", and the right one counts still', async (wrong) => {
    expect(await ask('/session', bearer(wrong))).toMatchObject({ status: 401 });
    expect(await secret()).toMatch(/^[\w-]{43}$/);
  });

  it('a secret that comes as a cookie, in the address, or for another server', async () => {
    const session = await secret();
    const service = {} as HostService;
    const host = { service, addWindow: () => () => {}, runFile, bundle };
    const other = await startServer({ host, pageFolder: join(folder, 'page') });
    const theirs = await fetch(`http://127.0.0.1:${other.port}/session`, {
      headers: bearer(new URL(other.address).searchParams.get('token') ?? ''),
    }).then((answer) => answer.text());
    await other.close();
    const cookies = { Cookie: `copyscope=${session}; copyscope-${server.port}=${session}; session=${session}` };
    for (const headers of [{}, cookies, bearer(theirs), { Authorization: `Basic ${session}` }]) {
      expect(await ask('/runs/imported/run', headers)).toMatchObject({ status: 401 });
      expect(await ask(`/runs/imported/run?token=${session}`, headers)).toMatchObject({ status: 401 });
      expect(await ask('/bundles/mine', headers)).toMatchObject({ status: 401 });
      expect(await ask('/session', headers)).toMatchObject({ status: 401 });
      for (const protocols of [[], ['copyscope'], ['copyscope', theirs], [session], ['other', session]])
        expect(await connectStatus({ ...headers, Origin: origin() }, protocols)).toBe(401);
    }
  });

  it.each(['evil.example', '127.0.0.1', 'localhost:1', '127.0.0.1.evil.example:80'])('the Host %s', async (host) => {
    expect(await ask('/', { Host: host })).toMatchObject({ status: 421 });
    expect(await ask('/session', { ...bearer(token()), Host: host })).toMatchObject({ status: 421 });
    expect(await secret()).toMatch(/^[\w-]{43}$/);
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1', 'http://127.0.0.1:1'])(
    'a socket from the Origin %s',
    async (from) => {
      expect(await connectStatus({ Origin: from }, ['copyscope', await secret()])).toBe(403);
    },
  );

  it('a socket without Origin, with a wrong Host, or at another path', async () => {
    const session = ['copyscope', await secret()];
    expect(await connectStatus({}, session)).toBe(403);
    expect(await connectStatus({ Origin: 'http://evil.example', Host: 'evil.example' }, session)).toBe(421);
    expect(await connectStatus({ Origin: origin() }, session, '/other')).toBe(404);
    expect(await connectStatus({ Origin: origin() }, session)).toBe(101);
  });

  it.each([
    '/../outside.txt',
    '/..%2foutside.txt',
    '/%2e%2e/outside.txt',
    '/assets/../../outside.txt',
    '/assets/..%5c..%5coutside.txt',
    '//etc/passwd',
    '/.secret',
    '/assets',
    '/assets/',
    '/%00',
    '/%',
  ])('the path %s', async (path) => {
    const { status, text } = await ask(path, await letIn());
    expect([400, 404]).toContain(status);
    expect(text).not.toMatch(/outside$|hidden|app\.js/);
  });

  it('other methods and bodies', async () => {
    const session = await letIn();
    expect(await ask('/', session, 'POST', 'x')).toMatchObject({ status: 405 });
    expect(await ask('/', session, 'DELETE')).toMatchObject({ status: 405 });
    expect(await ask('/', { ...session, 'Content-Length': '1' }, 'GET', 'x')).toMatchObject({ status: 413 });
  });

  it('headers that are too large, and clears the cookies that may have made them so', async () => {
    const cookies = { Cookie: `a=${'x'.repeat(40_000)}` };
    expect(await ask('/', cookies)).toMatchObject({ status: 200 });
    const { status, headers } = await ask('/', { Cookie: `a=${'x'.repeat(70_000)}` });
    expect(status).toBe(431);
    expect(headers).toMatchObject({ 'clear-site-data': '"cookies"', 'x-content-type-options': 'nosniff' });
    expect((await ask('/', { Host: 'evil.example' })).headers['clear-site-data']).toBeUndefined();
  });

  it('a message that is announced with 1 GB, before any of it has come', async () => {
    const socket = await openSocket();
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const header = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4]);
    (socket as unknown as { _socket: Socket })._socket.write(header);
    expect(await closed).toBe(1009);
  });

  it('a message whose pieces come to more than one may have', async () => {
    const socket = await openSocket();
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const piece = Buffer.alloc(maxMessageBytes / 4);
    for (let sent = 0; sent < 5; sent += 1) socket.send(piece, { fin: false });
    expect(await closed).toBe(1009);
  });

  it.each([
    ['a text frame', 'text', 1003],
    ['a frame that is no message', Buffer.of(0xc1), 1007],
    ['a frame that is too large', Buffer.alloc(maxMessageBytes + 1), 1009],
  ])('%s, by closing the socket', async (_name, frame, code) => {
    const socket = await openSocket();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.send(frame);
    expect(await closed).toBe(code);
  });
});

it.each([
  ['the page', '/'],
  ['a script', '/assets/app.js'],
  ['a refusal', '/runs/imported/run'],
  ['a missing file', '/none'],
])('every answer of the headless server carries the security headers: %s', async (_name, path) => {
  const { headers } = await ask(path);
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain(`ws://127.0.0.1:${server.port}`);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe|\*/);
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

/** Opens a connection that sends only `text`, and never closes its half. Resolves when it is open. */
function hold(text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.once('connect', () => socket.write(text, () => resolve(socket))).once('error', reject);
  });
}

const closedByServer = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.resume().once('end', resolve).once('error', resolve));

describe('the headless server goes on for its window', () => {
  const held: Socket[] = [];
  const holdMany = async (count: number, text: string): Promise<void> => {
    for (let opened = 0; opened < count; opened += 1) {
      const socket = await hold(text);
      // A refused connection may be reset.
      held.push(socket.on('error', () => {}));
    }
  };
  afterEach(() => {
    for (const socket of held.splice(0)) socket.destroy();
  });

  it.each([
    ['say nothing', ''],
    ['never end their request', 'GET / HTTP/1.1\r\nHost: '],
  ])('while more connections %s than it accepts', async (_name, text) => {
    const session = await secret();
    const socket = await openSocketWith(session);
    await holdMany(700, text);
    expect(await ask('/')).toMatchObject({ status: 200 });
    expect(await ask('/runs/imported/run', bearer(session))).toMatchObject({ status: 200 });
    expect(await connectStatus({ Origin: origin() }, ['copyscope', session])).toBe(101);
    // The open window stayed connected.
    const answered = new Promise((resolve) => socket.once('pong', resolve));
    socket.ping();
    await answered;
    socket.terminate();
    // The oldest connection was closed first.
    const first = held[0]?.resume();
    await eventually(() => expect(first?.readableEnded === true || first?.destroyed).toBe(true));
  });

  it('while one client asks for the page a thousand times before its first answer', async () => {
    const socket = await hold(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`.repeat(1000));
    held.push(socket.on('error', () => {}));
    await closedByServer(socket);
    expect(await ask('/')).toMatchObject({ status: 200 });
  });
});

describe('the headless server as a whole', () => {
  it('goes on where a file of the page has gone, as when the program is built anew', async () => {
    const session = await letIn();
    rmSync(join(folder, 'page/assets/app.js'));
    await expect(ask('/assets/app.js', session)).rejects.toThrow();
    expect(await ask('/', session)).toMatchObject({ status: 200 });
  });

  it('listens on 127.0.0.1 only and frees its port when it closes, even with open connections', async () => {
    const { port, release } = await holdPort();
    const service = {} as HostService;
    const startThere = async (): Promise<void> => {
      await server.close();
      const host = { service, addWindow: () => () => {}, runFile, bundle };
      server = await startServer({ host, pageFolder: join(folder, 'page'), port });
    };
    try {
      await startThere();
      const socket = await openSocket();
      const closed = new Promise((resolve) => socket.once('close', resolve));
      await startThere();
      expect(await closed).toBe(1001);
      expect(server.port).toBe(port);
    } finally {
      release();
    }
  });

  it('says when its port is taken or the page is not built', async () => {
    const host = { service: {} as HostService, addWindow: () => () => {}, runFile, bundle };
    await expect(startServer({ host, pageFolder: join(folder, 'page'), port: server.port })).rejects.toMatchObject({
      code: 'server.port-taken',
    });
    await expect(startServer({ host, pageFolder: folder })).rejects.toMatchObject({ code: 'server.page-missing' });
  });
});
