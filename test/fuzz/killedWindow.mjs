/** The window of kills.mjs: a process of its own, which asks the server what it is told to over the page's connection. */
import { bearer, connectAsWindow, importFile } from '../support/hostClient.mjs';

// Not as arguments, which every user of the machine can read.
const { ADDRESS: address, SESSION: session } = process.env;
/** By id: who waits for the end of a run. */
const waiting = new Map();
const over = new Map();
const events = {
  runChanged: (id, run) => {
    if (run === null || run.status === 'running') return;
    over.set(id, run);
    waiting.get(id)?.();
  },
};
const { service, socket } = await connectAsWindow(address, session, events);
socket.once('close', () => process.exit());

async function fetched(path) {
  const answer = await fetch(new URL(path, address), { headers: bearer(session) });
  if (!answer.ok) throw Object.assign(new Error(await answer.text()), { code: `connection.${answer.status}` });
  return new Uint8Array(await answer.arrayBuffer());
}

const own = {
  ready: async () => {},
  runToEnd: async (request) => {
    const { id } = await service.startRun(request);
    while (!over.has(id)) await new Promise((resolve) => waiting.set(id, resolve));
    const run = over.get(id);
    if (run.status !== 'complete') throw run.error;
    return id;
  },
  importRun: async (name, file) => (await importFile(service, name, file)).run.id,
  importBundle: async (file) => (await importFile(service, 'b.copyscope', file)).items,
  fetchRun: (id) => fetched(`/runs/${id}`),
  fetchBundle: async (items) => fetched(`/bundles/${await service.packBundle(items)}`),
};

process.on('message', async ({ id, method, args }) => {
  try {
    process.send({ id, result: await (own[method] ?? service[method])(...args) }, () => {});
  } catch (thrown) {
    const { code = 'connection.failed', message } = thrown;
    process.send?.({ id, error: { code, message } }, () => {});
  }
});
process.once('disconnect', () => process.exit());
