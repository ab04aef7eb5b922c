/**
 * Replaces node_modules/electron for a built main process, which Node then runs unchanged. Opens no window: when the
 * page is "loaded" it requests a port like the page, makes a few calls, prints the results and ends. The engine process
 * is a real one, forked by Node.
 */
const { fork } = require('node:child_process');
const { EventEmitter } = require('node:events');
const { MessageChannel } = require('node:worker_threads');

const seen = { scheme: null, preferences: null, url: null, answers: {}, events: [] };

class PortMain extends EventEmitter {
  constructor(port) {
    super();
    this.port = port;
    port.on('close', () => this.emit('close'));
  }
  start() {
    this.port.on('message', (data) => this.emit('message', { data }));
  }
  postMessage(message) {
    this.port.postMessage(message);
  }
}

class MessageChannelMain {
  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = new PortMain(port1);
    this.port2 = new PortMain(port2);
  }
}

const app = Object.assign(new EventEmitter(), {
  enableSandbox: () => {},
  requestSingleInstanceLock: () => true,
  whenReady: async () => {},
  getPath: () => process.env.COPYSCOPE_DATA,
  getAppPath: () => process.cwd(),
  getName: () => 'Copyscope',
  getVersion: () => '0',
  isReady: () => true,
  isPackaged: false,
  quit: () => {},
  exit: (code) => process.exit(code),
});
const ipcMain = Object.assign(new EventEmitter(), { handle: () => {} });

class BrowserWindow extends EventEmitter {
  static getAllWindows() {
    return [];
  }
  constructor({ webPreferences }) {
    super();
    seen.preferences = webPreferences;
  }
  async loadURL(url) {
    seen.url = url;
    askForPort();
  }
}

const session = {
  defaultSession: Object.assign(new EventEmitter(), {
    protocol: { handle: (scheme) => Object.assign(seen, { scheme }) },
    webRequest: { onBeforeRequest: () => {} },
    setPermissionRequestHandler: () => {},
    setPermissionCheckHandler: () => {},
    setDevicePermissionHandler: () => {},
    setUSBProtectedClassesHandler: () => {},
    setPreloads: () => {},
    getPreloads: () => [],
  }),
};

const utilityProcess = {
  fork(script) {
    const child = fork(script, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    return Object.assign(child, { postMessage: (message) => child.send(message) });
  },
};

function askForPort() {
  const frame = { url: 'copyscope://app/', parent: null, postMessage: (_name, _data, [port]) => converse(port) };
  ipcMain.emit('copyscope:port', { senderFrame: frame, sender: { mainFrame: frame } });
}

/** Returns a page's side of birpc: calls are { t: 'q', i, m, a }, answers { t: 's', i, r | e }. */
function converse(port) {
  const waiting = new Map();
  const call = (m, ...a) =>
    new Promise((resolve) => {
      const i = String(waiting.size);
      waiting.set(i, resolve);
      port.postMessage({ t: 'q', i, m, a });
    });
  let runEnded;
  const ended = new Promise((resolve) => {
    runEnded = resolve;
  });
  port.on('message', ({ data }) => {
    if (data.t === 's') waiting.get(data.i)(data.e ?? data.r);
    else if (data.m === 'runChanged' && data.a[1].status !== 'running') runEnded(data.a[1]);
  });
  port.start();
  talk(call, ended).then(finish, (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  });
}

async function talk(call, ended) {
  seen.answers.about = await call('about');
  seen.answers.devices = await call('devices', false);
  const experiment = await call('readExample', 'overlap/pinned-side-stream');
  seen.answers.started = await call('startRun', { experiment, engine: 'sim' });
  seen.answers.ended = await ended;
  seen.answers.unknown = await call('eval', '1');
}

function finish() {
  process.stdout.write(JSON.stringify(seen));
  app.emit('will-quit');
  process.stdout.write('', () => process.exit(0));
}

const Menu = { buildFromTemplate: (template) => template, setApplicationMenu: () => {} };
const [dialog, net, shell] = [{}, {}, {}];
const nativeTheme = Object.assign(new EventEmitter(), { themeSource: 'system' });
const protocol = { registerSchemesAsPrivileged: () => {} };
const screen = { getAllDisplays: () => [] };
const webContents = { getAllWebContents: () => [] };

// Plain names only, so that an ES module can import them by name.
module.exports = {
  app,
  BrowserWindow,
  Menu,
  MessageChannelMain,
  dialog,
  ipcMain,
  nativeTheme,
  net,
  protocol,
  screen,
  session,
  shell,
  utilityProcess,
  webContents,
};
