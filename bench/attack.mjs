/**
 * Attacks the headless server as another program of the machine could, and runs programs that no machine can finish. Run by
 * hand:
 *
 *   node bench/attack.mjs [server] [engine] [--connections 10000]
 *
 * Measures the server's resident memory during an attack, and how long the authorised window waits for an answer at that
 * time, over its present connection and over a new one. For the engine, checks how a program ends that is interrupted
 * (Ctrl-C) after some seconds, and what is left of it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.mjs';
import { inRoot } from '../scripts/lib/paths.mjs';
import { connectAsWindow, openSocket, sessionOf } from './support/hostClient.mjs';
import { interrupted } from './support/interrupted.mjs';
import { load, withServer } from './support/window.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { connections: { type: 'string', default: '10000' } },
});
const parts = positionals.length === 0 ? ['server', 'engine'] : positionals;
const connections = Number(options.connections);
const work = mkdtempSync(join(tmpdir(), 'copyscope-attack-'));
const residentMB = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Opens a connection that sends `text` and never closes its half; null if the server has no place for it. */
function hold(port, text) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.once('connect', () => {
      socket.write(text);
      resolve(socket);
    });
    socket.on('error', () => resolve(null));
    socket.resume();
  });
}

/** `count` of them, a hundred at a time. */
async function holdMany(port, count, text) {
  const held = [];
  for (let opened = 0; opened < count; opened += 100) {
    held.push(...(await Promise.all(Array.from({ length: 100 }, () => hold(port, text)))));
  }
  return held.filter((socket) => socket !== null);
}

const letGo = (sockets) => {
  for (const socket of sockets) socket.destroy();
};

const attacks = {
  [`${connections} connections that say nothing`]: async ({ port }) => letGo(await holdMany(port, connections, '')),
  [`${connections} requests that never end`]: async ({ port }) =>
    letGo(await holdMany(port, connections, 'GET / HTTP/1.1\r\nHost: ')),
  [`${connections} refused sockets whose half stays open`]: async ({ port }) =>
    letGo(
      await holdMany(
        port,
        connections,
        'GET /rpc HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      ),
    ),
  '500 requests of a byte in 50 ms': async ({ port }) => {
    const held = await holdMany(port, 500, 'GET / HTTP/1.1\r\n');
    for (let sent = 0; sent < 100; sent += 1) {
      for (const socket of held) if (socket.writable) socket.write('x');
      await pause(50);
    }
    letGo(held);
  },
  'a body of 1 GB from a stranger': ({ port }) =>
    pour(port, 'POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n'),
  'a header of 1 GB from a stranger': ({ port }) => pour(port, 'GET / HTTP/1.1\r\nX: '),
  '100,000 requests at once from a stranger': ({ port }) =>
    pour(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(100_000)),
  'a message of 1 GB from a window': async ({ address, session }) => {
    const socket = await openSocket(address, session);
    const ended = new Promise((resolve) => socket.once('close', resolve));
    const piece = Buffer.alloc(16 * 2 ** 20);
    for (let sent = 0; sent < 64 && socket.readyState === socket.OPEN; sent += 1) {
      await new Promise((resolve) => socket.send(piece, { fin: sent === 63 }, resolve));
    }
    await ended;
  },
};

/** Writes it and up to 1 GB after it, until the server ends the connection. */
async function pour(port, text) {
  const socket = await hold(port, text);
  const ended = new Promise((resolve) => socket.once('close', resolve).once('end', resolve));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const piece = Buffer.alloc(2 ** 20, 'x');
  for (let sent = 0; sent < 1024 && !isOver && socket.writable; sent += 1) {
    if (!socket.write(piece)) await Promise.race([ended, new Promise((resolve) => socket.once('drain', resolve))]);
  }
  await ended;
  socket.destroy();
}

/** Sends requests until it is stopped. Returns the longest wait of each kind, and the number of failures. */
function watchWindow(service, address) {
  const longest = { own: 0, fresh: 0 };
  let failures = 0;
  let isOver = false;
  const ask = async (kind, call) => {
    while (!isOver) {
      const began = performance.now();
      await call().catch(() => {
        failures += 1;
      });
      longest[kind] = Math.max(longest[kind], performance.now() - began);
      await pause(20);
    }
  };
  const { port } = new URL(address);
  const fresh = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      let answer = '';
      socket.once('error', reject).once('close', () => (answer.startsWith('HTTP/1.1 200') ? resolve() : reject()));
      socket.on('data', (part) => {
        answer += part;
      });
      socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    });
  const asking = Promise.all([ask('own', () => service.about()), ask('fresh', fresh)]);
  return async () => {
    isOver = true;
    await asking;
    return { ...longest, failures };
  };
}

async function attackServer() {
  await withServer(work, async (address, pid) => {
    const session = await sessionOf(address);
    const { service } = await connectAsWindow(address, session);
    const target = { port: Number(new URL(address).port), address, session };
    await service.runs();
    console.log(`server at rest: ${residentMB(pid).toFixed(0)} MB`);
    for (const [name, attack] of Object.entries(attacks)) {
      const stop = watchWindow(service, address);
      let most = 0;
      const sampling = setInterval(() => {
        most = Math.max(most, residentMB(pid));
      }, 20);
      const began = performance.now();
      await attack(target);
      const took = (performance.now() - began) / 1000;
      const { own, fresh, failures } = await stop();
      clearInterval(sampling);
      console.log(
        `${name}: ${took.toFixed(1)} s, at most ${most.toFixed(0)} MB; the window waited at most ${own.toFixed(0)} ms, ` +
          `${fresh.toFixed(0)} ms for a new connection, without an answer ${failures} times`,
      );
    }
  });
}

async function attackEngine() {
  const { endless, tooLarge } = await load('test/support/heavyPrograms.ts');
  for (const program of [...tooLarge, ...endless]) {
    const path = join(work, 'program.json');
    writeFileSync(path, JSON.stringify(program));
    const args = [inRoot('dist/host/cli.js'), 'run', path, '--engine', 'cpu'];
    const { code, tookMs, left, said } = await interrupted(args, {
      afterMs: 3000,
      environment: { COPYSCOPE_DATA: work },
    });
    const how = tookMs < 0 ? said.trim().split('\n')[0] : `ended ${tookMs.toFixed(0)} ms after Ctrl-C`;
    console.log(`${program.name}: exit code ${code}, ${left} processes left; ${how}`);
  }
}

try {
  await ensureBuilt(['renderer', 'host']);
  if (parts.includes('server')) await attackServer();
  if (parts.includes('engine')) await attackEngine();
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 10 });
}
process.exit();
