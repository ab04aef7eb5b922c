/**
 * OpenSSH's own server and client on the loopback address, with keys and a home for one test. Each connection has its
 * own sshd, behind a relay that can cut it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { findSshd } from '../../../../scripts/lib/sshd.mjs';
import { standInEnvironment } from '../../../support/recorder.ts';
import { kill, processesOf } from './processes.ts';

export interface RealHost {
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Gives the host another key, as if another computer had replaced it. */
  changeHostKey(changed: boolean): void;
  /** Cuts every connection. */
  cut(): void;
  /** Runs a script as that user, in the user's home. */
  as(script: string): void;
  /** Returns the command lines of the user's processes there. */
  processes(): string[];
  close(): Promise<void>;
}

const sshd = findSshd();
const isRoot = userInfo().uid === 0;
export const noSshd =
  sshd === null || (isRoot && sshd.wrapper === null)
    ? 'no sshd is here: npm test brings one where apt-get can download it'
    : null;

/** A user known only to this sshd if the tests run as root; else the tests' own user. */
const user = isRoot ? { name: 'someone', uid: 54_321 } : { name: userInfo().username, uid: userInfo().uid };

/** `recorder`: a folder with the recorder and its stand-in for CUPTI, added to logins there. */
export async function realHost(recorder: string | null = null): Promise<RealHost> {
  if (sshd === null) throw new Error('there is no sshd');
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-sshd-'));
  const at = (name: string): string => join(folder, name);
  const home = at('home');
  mkdirSync(home);
  chmodSync(folder, 0o711);
  chownSync(home, user.uid, user.uid);
  for (const key of ['host', 'other', 'user']) makeKey(at(key));
  cpSync(at('user.pub'), at('authorized_keys'));
  const login = at('login');
  const path = process.env['PATH'] ?? '';
  const variables = recorder === null ? {} : standInEnvironment(copied(recorder, home));
  const exported = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  writeFileSync(
    login,
    `${exported.join('')}export HOME='${home}' TMPDIR='${home}' PATH='${path}'\ncd "$HOME"\nexec sh -c "$SSH_ORIGINAL_COMMAND"\n`,
  );
  const configure = (hostKey: string): void => writeFileSync(at('sshd_config'), serverConfig(at, hostKey, login));
  configure('host');
  if (isRoot) {
    // sshd keeps its unprivileged half here, for any configuration.
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const users = ['root:x:0:0::/root:/bin/sh', 'sshd:x:54320:54320::/run/sshd:/bin/false'];
    writeFileSync(at('passwd'), [...users, `${user.name}:x:${user.uid}:${user.uid}::${home}:/bin/sh`, ''].join('\n'));
    writeFileSync(at('group'), `root:x:0:\nsshd:x:54320:\n${user.name}:x:${user.uid}:\n`);
  }
  const users = { LD_PRELOAD: sshd.wrapper ?? '', NSS_WRAPPER_PASSWD: at('passwd'), NSS_WRAPPER_GROUP: at('group') };
  const servers = new Set<ChildProcess>();
  const sockets = new Set<Socket>();
  const relay = createServer((socket) => {
    const server = spawn(sshd.path, ['-i', '-e', '-f', at('sshd_config')], {
      env: { ...process.env, ...sshd.env, ...(isRoot ? users : {}) },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    servers.add(server);
    server.once('exit', () => servers.delete(server));
    relayed(socket, server);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const { port } = relay.address() as AddressInfo;
  writeFileSync(at('known_hosts'), `[127.0.0.1]:${port} ${readFileSync(at('host.pub'), 'utf8')}`);
  writeFileSync(at('ssh_config'), clientConfig(at, port, user.name));
  writeFileSync(at('ssh'), `#!/bin/sh\nexec ssh -F '${at('ssh_config')}' "$@"\n`, { mode: 0o755 });
  return {
    home,
    environment: { ...process.env, COPYSCOPE_SSH: at('ssh'), COPYSCOPE_DATA: at('data') },
    changeHostKey: (changed) => configure(changed ? 'other' : 'host'),
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    as: (script) => {
      const who = isRoot ? { uid: user.uid, gid: user.uid } : {};
      execFileSync('sh', ['-c', script], { ...who, cwd: home, env: { HOME: home, PATH: path } });
    },
    processes: () => processesOf(home).map(({ command }) => command),
    close: async () => {
      for (const server of servers) server.kill('SIGKILL');
      for (const { pid } of processesOf(home)) kill(pid);
      await new Promise((resolve) => relay.close(resolve));
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Copies the recorder to a place that the user may read. */
function copied(recorder: string, home: string): string {
  const folder = join(home, 'recorder');
  cpSync(recorder, folder, { recursive: true, filter: (path) => !/CMakeFiles|\.o$/.test(path) });
  return folder;
}

const makeKey = (path: string): void =>
  void execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path], { stdio: 'pipe' });

/** Passes bytes on. If either end closes, both do, like a lost connection. */
function relayed(socket: Socket, { stdin, stdout }: ChildProcess): void {
  if (stdin === null || stdout === null) return;
  const end = (): void => {
    for (const side of [socket, stdin, stdout]) side.destroy();
  };
  socket.pipe(stdin);
  stdout.pipe(socket);
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
