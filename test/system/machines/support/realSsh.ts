/**
 * OpenSSH's own server and client on the loopback address, with keys and a home made for one test. A relay stands between
 * them, where a line can be cut at any byte; behind it each connection has an sshd of its own.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { findSshd } from '../../../../scripts/lib/sshd.mjs';
import { standInEnvironment } from '../../../support/recorder.ts';
import { enginesOf, kill, killKeepersOf, processesOf } from './standInSsh.ts';
import { linkTools } from './tools.ts';

/** One way to the machine: a relay of its own, where nobody else's connections pass. */
export interface Way {
  readonly environment: NodeJS.ProcessEnv;
  /** Bytes that the relay has passed on, both ways. */
  readonly bytes: number;
  /** Of the next connection the relay passes on so many bytes, and then neither side hears of the other again. */
  cutAfter(bytes: number): void;
}

export interface RealMachine extends Way {
  readonly home: string;
  /** Of its user. */
  readonly uid: number;
  readonly data: string;
  /** Another way to it, beside this one. */
  anotherWay(): Promise<Way>;
  /** No connection gets through until it is called with false. */
  refuse(refuses: boolean): void;
  /** The machine has another host key, as after somebody has put another one in its place. */
  changeHostKey(changed: boolean): void;
  /** Cuts every connection that is there. */
  cut(): void;
  /** Whether a login finds on its PATH only what every machine must have, and no Node. */
  hideNode(hides: boolean): void;
  /** Does something as that user, in a shell at its home. */
  as(script: string): void;
  /** Ends the processes there that keep what runs, as by somebody else's hand. */
  killKeepers(): void;
  /** The engine processes there are to do nothing until letEngines(); whether they have stopped, and there are any. */
  stopEngines(): boolean;
  letEngines(): void;
  processes(): string[];
  close(): Promise<void>;
}

const sshd = findSshd();
const isRoot = userInfo().uid === 0;
export const noSshd =
  sshd === null || (isRoot && sshd.wrapper === null)
    ? 'no sshd is here: npm test brings one where apt-get can download it'
    : null;

/** As root the machine has another user than the one who runs the tests, whom only this sshd knows. */
const user = isRoot ? { name: 'someone', uid: 54_321 } : { name: userInfo().username, uid: userInfo().uid };

/** `recorder`: a folder of the recorder with its stand-in for CUPTI, which a login there then has. */
export async function realMachine(recorder: string | null = null): Promise<RealMachine> {
  if (sshd === null) throw new Error('there is no sshd');
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-sshd-'));
  const at = (name: string): string => join(folder, name);
  const home = at('home');
  mkdirSync(home);
  chmodSync(folder, 0o711);
  chownSync(home, user.uid, user.uid);
  for (const key of ['host', 'other', 'user']) makeKey(at(key));
  execFileSync('cp', [at('user.pub'), at('authorized_keys')]);
  const login = at('login');
  const variables = recorder === null ? {} : standInEnvironment(copied(recorder, home));
  const exported = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  const setPath = (path: string): void =>
    writeFileSync(
      login,
      `${exported.join('')}export HOME='${home}' PATH='${path}'\ncd "$HOME"\nexec sh -c "$SSH_ORIGINAL_COMMAND"\n`,
    );
  const path = process.env['PATH'] ?? '';
  setPath(path);
  linkTools(at('tools'));
  const configure = (hostKey: string): void => writeFileSync(at('sshd_config'), serverConfig(at, hostKey, login));
  configure('host');
  if (isRoot) {
    // It keeps its unprivileged half in here, whatever its configuration says.
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const users = ['root:x:0:0::/root:/bin/sh', 'sshd:x:54320:54320::/run/sshd:/bin/false'];
    writeFileSync(at('passwd'), [...users, `${user.name}:x:${user.uid}:${user.uid}::${home}:/bin/sh`, ''].join('\n'));
    writeFileSync(at('group'), `root:x:0:\nsshd:x:54320:\n${user.name}:x:${user.uid}:\n`);
  }
  const users = { LD_PRELOAD: sshd.wrapper ?? '', NSS_WRAPPER_PASSWD: at('passwd'), NSS_WRAPPER_GROUP: at('group') };

  let refuses = false;
  const relays: Server[] = [];
  const servers = new Set<ChildProcess>();
  const sockets = new Set<Socket>();
  const openWay = async (): Promise<Way> => {
    let [passed, limit] = [0, Number.POSITIVE_INFINITY];
    const relay = createServer((socket) => {
      if (refuses) return void socket.destroy();
      const server = spawn(sshd.path, ['-i', '-e', '-f', at('sshd_config')], {
        env: { ...process.env, ...sshd.env, ...(isRoot ? users : {}) },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      servers.add(server);
      server.once('exit', () => servers.delete(server));
      const most = limit;
      limit = Number.POSITIVE_INFINITY;
      relayed(socket, server, most, (bytes) => {
        passed += bytes;
      });
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const { port } = relay.address() as AddressInfo;
    relays.push(relay);
    appendFileSync(
      at('known_hosts'),
      `[127.0.0.1]:${port} ${execFileSync('cat', [at('host.pub')], { encoding: 'utf8' })}`,
    );
    const [configuration, ssh] = [at(`ssh_config-${port}`), at(`ssh-${port}`)];
    writeFileSync(configuration, clientConfig(at, port, user.name));
    writeFileSync(ssh, `#!/bin/sh\nexec ssh -F '${configuration}' "$@"\n`);
    chmodSync(ssh, 0o755);
    return {
      environment: { ...process.env, COPYSCOPE_SSH: ssh, COPYSCOPE_DATA: at('data') },
      get bytes() {
        return passed;
      },
      cutAfter: (bytes) => {
        limit = bytes;
      },
    };
  };
  const way = await openWay();

  return {
    home,
    uid: user.uid,
    data: at('data'),
    environment: way.environment,
    get bytes() {
      return way.bytes;
    },
    cutAfter: way.cutAfter,
    anotherWay: openWay,
    refuse: (whether) => {
      refuses = whether;
    },
    changeHostKey: (changed) => configure(changed ? 'other' : 'host'),
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    hideNode: (hides) => setPath(hides ? at('tools') : path),
    as: (script) => {
      const who = isRoot ? { uid: user.uid, gid: user.uid } : {};
      execFileSync('sh', ['-c', script], { ...who, cwd: home, env: { HOME: home, PATH: path } });
    },
    killKeepers: () => killKeepersOf(home),
    stopEngines: () => {
      const pids = enginesOf(home);
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      return pids.length > 0 && pids.every(isStopped);
    },
    letEngines: () => {
      for (const pid of enginesOf(home)) process.kill(pid, 'SIGCONT');
    },
    processes: () => processesOf(home).map(({ command }) => command),
    close: async () => {
      for (const server of servers) server.kill('SIGKILL');
      for (const { pid } of processesOf(home)) kill(pid);
      await Promise.all(relays.map((relay) => new Promise((resolve) => relay.close(resolve))));
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** By its state in the system, which is behind its name: that may have spaces and brackets of its own. */
const isStopped = (pid: number): boolean => /\) T [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** Where its user may read it. */
function copied(recorder: string, home: string): string {
  const folder = join(home, 'recorder');
  cpSync(recorder, folder, { recursive: true, filter: (path) => !/CMakeFiles|\.o$/.test(path) });
  return folder;
}

const makeKey = (path: string): void =>
  void execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path], { stdio: 'pipe' });

/** Passes bytes on, so many; then both ends are closed, as where a line drops. */
function relayed(socket: Socket, server: ChildProcess, most: number, onPassed: (bytes: number) => void): void {
  const { stdin, stdout } = server;
  if (stdin === null || stdout === null) return;
  let left = most;
  const end = (): void => {
    socket.destroy();
    stdin.destroy();
    stdout.destroy();
  };
  const pass = (bytes: Buffer, on: (some: Buffer) => void): void => {
    const some = bytes.subarray(0, Math.max(0, left));
    left -= bytes.byteLength;
    onPassed(some.byteLength);
    on(some);
    if (left <= 0) end();
  };
  socket.on('data', (bytes) => pass(bytes, (some) => void stdin.write(some)));
  stdout.on('data', (bytes: Buffer) => pass(bytes, (some) => void socket.write(some)));
  stdout.on('end', () => socket.end());
  for (const side of [socket, stdin, stdout]) side.on('error', end);
  socket.on('close', end);
}

const serverConfig = (at: (name: string) => string, hostKey: string, login: string): string => `
HostKey ${at(hostKey)}
AuthorizedKeysFile ${at('authorized_keys')}
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PidFile none
ForceCommand sh ${login}
${sshd?.options.join('\n') ?? ''}
`;

const clientConfig = (at: (name: string) => string, port: number, name: string): string => `
Host box
  HostName 127.0.0.1
  Port ${port}
  User ${name}
  IdentityFile ${at('user')}
  IdentitiesOnly yes
  UserKnownHostsFile ${at('known_hosts')}
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
  BatchMode yes
`;
