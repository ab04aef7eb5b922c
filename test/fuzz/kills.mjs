/**
 * Server, engine process and window are killed (SIGKILL) at random moments of saves, imports, runs, deletions, exports and
 * bundles. After each kill all that was confirmed must be there, nothing by halves, and nothing left behind by what has
 * ended. Run by hand:
 *
 *   node test/fuzz/kills.mjs [--count 500] [--seed 1] [--minutes 60]
 *
 * The window is a process that speaks as the page does; a page in a real browser is killed in test/e2e/killed.spec.ts. A
 * host that is killed before and within each single change on the disk is in test/system/host/killed.test.ts.
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { ensureBuilt } from '../../scripts/build.mjs';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { connectAsWindow, sessionOf } from '../support/hostClient.mjs';
import { addressOf, load } from '../support/window.mjs';

const [{ Random }, { decodeRun, encodeRun }, { example, smallRun }] = await Promise.all([
  load('test/unit/support/random.ts'),
  load('core/trace/arrow.ts'),
  load('test/unit/host/support/runs.ts'),
]);

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
  },
});
const seed = Number(options.seed);
const until = Date.now() + Number(options.minutes) * 60_000;
const numbers = new Random(seed);
const random = () => numbers.next();
const below = (count) => numbers.below(count);
const oneOf = (list) => list[below(list.length)];
const work = mkdtempSync(join(tmpdir(), 'copyscope-kills-'));
const dataFolder = join(work, 'data');

// Processes

let server = null;

async function startServer() {
  const child = spawn(process.execPath, [inRoot('dist/host/cli.js'), 'serve'], {
    env: { ...process.env, COPYSCOPE_DATA: dataFolder, XDG_DATA_HOME: join(work, 'home') },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const address = await addressOf(child);
  const session = await sessionOf(address);
  server = { child, address, session, ...(await connectAsWindow(address, session)) };
  await server.service.devices(false);
}

const enginesOf = ({ child }) => {
  try {
    const listed = execFileSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' });
    return listed.trim().split(/\s+/).map(Number);
  } catch {
    return [];
  }
};

const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', resolve));

/** Resolves when no process has this number any more. */
async function gone(pid) {
  for (;;) {
    try {
      process.kill(pid, 0);
      if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return;
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

let window = null;

/** A window of the server; what it is asked is sent by ask(). */
async function openWindow() {
  const { address, session } = server;
  const child = fork(join(import.meta.dirname, 'killedWindow.mjs'), [], {
    serialization: 'advanced',
    env: { ...process.env, ADDRESS: address, SESSION: session },
  });
  const waiting = new Map();
  child.on('message', ({ id, result, error }) => {
    waiting.get(id)?.({ result, error });
    waiting.delete(id);
  });
  child.once('exit', () => {
    for (const settle of waiting.values()) settle({ error: { code: 'window.killed' } });
    waiting.clear();
  });
  let calls = 0;
  const ask = (method, args) =>
    new Promise((resolve) => {
      if (!child.connected) return resolve({ error: { code: 'window.killed' } });
      calls += 1;
      waiting.set(calls, resolve);
      child.send({ id: calls, method, args }, () => {});
    });
  window = { child, ask };
  await ask('ready', []);
}

// What must be there. Each thing has the states that it may be in: one, or two as long as an answer is out.

const experiments = new Map();
const runs = new Map();
/** Names of what may have come under an id that nobody was told: `whole` says what it looks like. */
let unanswered = [];
let made = 0;
const absent = null;

const experimentState = (name, description, draft) => ({ name, description, draft });
const runState = (name, note, title) => ({ name, note, title });
const state = (map, id) => map.get(id).at(-1);
const present = (map) => [...map.keys()].filter((id) => state(map, id) !== absent);

/** Asks, and learns of what is there then. */
async function change(map, id, next, method, args) {
  map.set(id, [state(map, id), next]);
  const { error } = await window.ask(method, args);
  if (error === undefined) map.set(id, [next]);
  return error;
}

async function create(map, next, method, args) {
  const pending = { map, states: [next] };
  unanswered.push(pending);
  const { result, error } = await window.ask(method, args);
  if (error !== undefined) return error;
  unanswered = unanswered.filter((one) => one !== pending);
  map.set(result, [next]);
  return undefined;
}

const document = (name, description = '') => ({ ...example(), name, description });
const runFile = (name) => encodeRun(smallRun(document(name), 'cpu'));
const note = (text) => ({ id: `n${text}`, iteration: 0, startNs: 1, endNs: 2, row: null, text });

/** Ids are made from names. */
const named = (states, id) => states.find(({ name }) => id.includes(name));

let bundle = null;
/** What a bundle brings: all of it, or nothing. */
const bundled = { experiments: ['be-1', 'be-2'], runs: ['br-1', 'br-2'] };

const actions = {
  save: async () => {
    made += 1;
    const name = `e${made}`;
    return create(experiments, experimentState(name, '', null), 'saveExperiment', [null, document(name)]);
  },
  saveAgain: async () => {
    const id = oneOf(present(experiments));
    made += 1;
    const { name, draft } = state(experiments, id);
    const next = experimentState(name, `d${made}`, draft);
    return change(experiments, id, next, 'saveExperiment', [id, document(name, `d${made}`)]);
  },
  draft: async () => {
    const id = oneOf(present(experiments));
    made += 1;
    const { name, description } = state(experiments, id);
    const draft = { changedAt: '2026-11-20T09:00:00.000Z', experiment: document(name, `t${made}`) };
    return change(experiments, id, experimentState(name, description, `t${made}`), 'keepDraft', [id, draft]);
  },
  run: async () => {
    made += 1;
    const name = `s${made}`;
    const engine = oneOf(['sim', 'cpu']);
    const request = { experiment: document(name), engine, iterations: 1 };
    return create(runs, runState(name, undefined, undefined), 'runToEnd', [request]);
  },
  importRun: async () => {
    made += 1;
    const name = `r${made}`;
    return create(runs, runState(name, undefined, undefined), 'importRun', [`${name}.arrow`, runFile(name)]);
  },
  importBundle: async () => {
    const states = {
      experiments: bundled.experiments.map((name) => experimentState(name, '', null)),
      runs: bundled.runs.map((name) => runState(name, 'here', `Title of ${name}`)),
    };
    const pending = { together: states };
    unanswered.push(pending);
    const { result, error } = await window.ask('importBundle', [bundle]);
    if (error !== undefined) return error;
    unanswered = unanswered.filter((one) => one !== pending);
    for (const id of result.experiments) experiments.set(id, [named(states.experiments, id)]);
    for (const id of result.runs) runs.set(id, [named(states.runs, id)]);
    return undefined;
  },
  notes: async () => {
    const id = oneOf(present(runs));
    made += 1;
    const { name, note: before, title } = state(runs, id);
    const base = { format: 'copyscope/notes', version: 1, notes: before === undefined ? [] : [note(before)] };
    const notes = { ...base, notes: [note(`w${made}`)] };
    const by = '6f1c1f0e-6a5b-4f3c-8a9e-0d1c2b3a4f5e';
    return change(runs, id, runState(name, `w${made}`, title), 'saveNotes', [id, { notes, base, by }]);
  },
  rename: async () => {
    const id = oneOf(present(runs));
    made += 1;
    const { name, note: before } = state(runs, id);
    return change(runs, id, runState(name, before, `T${made}`), 'renameRun', [id, `T${made}`]);
  },
  remove: async () => {
    const items = {
      experiments: random() < 0.7 ? [oneOf(present(experiments))] : [],
      runs: random() < 0.7 ? [oneOf(present(runs))] : [],
      sweeps: [],
    };
    const touched = [...items.experiments.map((id) => [experiments, id]), ...items.runs.map((id) => [runs, id])];
    const before = touched.map(([map, id]) => state(map, id));
    for (const [map, id] of touched) map.set(id, [state(map, id), absent]);
    const { result, error } = await window.ask('deleteItems', [items, random() < 0.5]);
    if (error !== undefined) return error;
    for (const [map, id] of touched) map.set(id, [absent]);
    if (random() < 0.5) return undefined;
    for (const [at, [map, id]] of touched.entries()) map.set(id, [absent, before[at]]);
    const restored = await window.ask('restoreItems', [result]);
    if (restored.error !== undefined) return restored.error;
    for (const [at, [map, id]] of touched.entries()) map.set(id, [before[at]]);
    return undefined;
  },
  exportRun: async () => {
    const { result, error } = await window.ask('fetchRun', [oneOf(present(runs))]);
    if (error === undefined) decodeRun(result);
    return error;
  },
  exportBundle: async () => {
    const items = { experiments: [oneOf(present(experiments))], runs: [oneOf(present(runs))], sweeps: [] };
    const { result, error } = await window.ask('fetchBundle', [items]);
    if (error === undefined) gunzipSync(result);
    return error;
  },
};

/** So that the library stays about as long as it is. */
function nextAction() {
  if (present(experiments).length < 3) return 'save';
  if (present(runs).length < 3) return 'importRun';
  if (present(experiments).length + present(runs).length > 24) return 'remove';
  return oneOf(Object.keys(actions));
}

// What is there

async function found({ service }) {
  const kept = { experiments: new Map(), runs: new Map() };
  for (const { id, name, hasDraft, problem } of await service.experiments()) {
    if (problem !== undefined) throw new Error(`experiment ${id}: ${problem.message}`);
    const { description } = JSON.parse(await service.readExperiment(id));
    const draft = hasDraft ? await service.readDraft(id) : null;
    if (hasDraft && draft === null) throw new Error(`the draft of ${id} can't be read`);
    const typed = draft === null ? null : JSON.parse(draft.experiment).description;
    kept.experiments.set(id, experimentState(name, description ?? '', typed));
  }
  for (const { id, name, title, builtIn, status, error } of await service.runs()) {
    if (builtIn || status === 'running') continue;
    // One that the engine's end ended has no file.
    if (error?.code === 'engine.lost') continue;
    decodeRun(new Uint8Array(await service.readRun(id)));
    const { notes } = await service.readNotes(id);
    kept.runs.set(id, runState(name, notes[0]?.text, title));
  }
  return kept;
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Holds what is there against what may be, and takes it over. */
function settle(kept) {
  const problems = [];
  const strangers = { experiments: [], runs: [] };
  for (const [kind, map] of [
    ['experiments', experiments],
    ['runs', runs],
  ]) {
    for (const [id, states] of map) {
      const now = kept[kind].get(id) ?? absent;
      // The id of what was deleted may be another's by now: that one comes up as a stranger.
      const isFree = now !== absent && states.every((one) => !same(one, now)) && states.includes(absent);
      if (!isFree && !states.some((one) => same(one, now)))
        problems.push(`${id} is ${JSON.stringify(now)}, and not ${JSON.stringify(states)}`);
      if (now === absent || isFree) map.delete(id);
      else map.set(id, [now]);
    }
    for (const [id, now] of kept[kind]) if (!map.has(id)) strangers[kind].push([id, now]);
  }
  const take = (kind, wanted) => {
    const at = strangers[kind].findIndex(([, now]) => same(now, wanted));
    if (at < 0) return false;
    const [[id, now]] = strangers[kind].splice(at, 1);
    (kind === 'runs' ? runs : experiments).set(id, [now]);
    return true;
  };
  for (const pending of unanswered) {
    if (pending.together === undefined) {
      take(pending.map === runs ? 'runs' : 'experiments', pending.states[0]);
      continue;
    }
    const all = Object.entries(pending.together).flatMap(([kind, states]) => states.map((one) => take(kind, one)));
    if (new Set(all).size > 1) problems.push(`a bundle is there in part: ${all}`);
  }
  for (const [id, now] of [...strangers.experiments, ...strangers.runs])
    problems.push(`nobody made ${id}: ${JSON.stringify(now)}`);
  unanswered = [];
  return problems;
}

/** Files that belong to nothing. */
function leftBehind() {
  const files = readdirSync(dataFolder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataFolder.length + 1));
  const known = new Set([
    'serve.json',
    'titles.json',
    'cache/seen-files.json',
    ...[...experiments.keys()].flatMap((id) => [`experiments/${id}.json`, `drafts/${id}.json`]),
    ...[...runs.keys()].flatMap((id) => [`runs/${id}.arrow`, `notes/${id}.json`]),
  ]);
  // What can be taken back is kept for the server that runs.
  const own = new RegExp(`^deleted/${server.child.pid}-`);
  const titles = existsSync(join(dataFolder, 'titles.json'))
    ? Object.keys(JSON.parse(readFileSync(join(dataFolder, 'titles.json'), 'utf8')).titles)
    : [];
  return [
    ...files.filter((path) => !known.has(path) && !own.test(path)),
    ...titles.filter((id) => !runs.has(id)).map((id) => `the title of ${id}`),
  ];
}

// Rounds

async function prepare() {
  await startServer();
  await openWindow();
  for (const name of bundled.experiments) await window.ask('saveExperiment', [null, document(name)]);
  for (const name of bundled.runs) {
    const { result } = await window.ask('importRun', [`${name}.arrow`, runFile(name)]);
    const base = { format: 'copyscope/notes', version: 1, notes: [] };
    const by = '6f1c1f0e-6a5b-4f3c-8a9e-0d1c2b3a4f5e';
    await window.ask('saveNotes', [result, { notes: { ...base, notes: [note('here')] }, base, by }]);
    await window.ask('renameRun', [result, `Title of ${name}`]);
  }
  const all = await found(server);
  const items = { experiments: [...all.experiments.keys()], runs: [...all.runs.keys()], sweeps: [] };
  bundle = (await window.ask('fetchBundle', [items])).result;
  await window.ask('deleteItems', [items, true]);
}

const mostWaitMs = 500;
const counts = {};
const during = {};

async function round() {
  const victim = oneOf(['server', 'server', 'engine', 'window']);
  const killed = new Promise((resolve) =>
    setTimeout(async () => {
      const engines = enginesOf(server);
      if (victim === 'server') server.child.kill('SIGKILL');
      else if (victim === 'window') window.child.kill('SIGKILL');
      else for (const pid of engines) process.kill(pid, 'SIGKILL');
      resolve(engines);
    }, below(mostWaitMs)),
  );
  let action = '';
  let isOver = false;
  void killed.then(() => {
    isOver = true;
    during[action] = (during[action] ?? 0) + 1;
  });
  while (!isOver) {
    action = nextAction();
    const error = await actions[action]();
    if (error === undefined || isOver) continue;
    if (!/^(connection\.|window\.killed|engine\.lost)/.test(error.code)) return [`${action}: ${JSON.stringify(error)}`];
    await killed;
  }
  const engines = await killed;
  counts[victim] = (counts[victim] ?? 0) + 1;
  if (victim === 'server') {
    await ended(server.child);
    window.child.kill('SIGKILL');
    for (const pid of engines) await gone(pid);
    await startServer();
    await openWindow();
  } else if (victim === 'window') {
    await ended(window.child);
    await openWindow();
  }
  const problems = settle(await found(server));
  // What others wait for is cleared away when a server starts.
  return victim === 'server' ? [...problems, ...leftBehind().map((what) => `left behind: ${what}`)] : problems;
}

try {
  await ensureBuilt(['renderer', 'host']);
  await prepare();
  let rounds = 0;
  for (; rounds < Number(options.count) && Date.now() < until; rounds += 1) {
    const problems = await round();
    if (problems.length === 0) continue;
    console.error(`seed ${seed}, kill ${rounds + 1}:\n${problems.join('\n')}`);
    process.exitCode = 1;
    break;
  }
  const text = (of) =>
    Object.entries(of)
      .map(([name, times]) => `${name} ${times}`)
      .join(', ');
  console.log(`seed ${seed}: ${rounds} kills (${text(counts)}); during: ${text(during)}`);
} finally {
  window?.child.kill('SIGKILL');
  if (server !== null) {
    server.child.kill('SIGTERM');
    await ended(server.child);
  }
  rmSync(work, { recursive: true, force: true, maxRetries: 10 });
}
process.exit();
