/**
 * The near end of `copyscope connect`. One ssh session probes the remote host, copies the program there if missing,
 * starts the host there if none runs, and forwards a local port to that host's socket while the session lasts.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { CopyscopeError } from '../../core/errors.ts';
import { shellWord } from '../../core/media.ts';
import { sessionPath } from '../../core/service/service.ts';
import { formatBytes } from '../../core/units.ts';
import { ownNode, type ProgramPackage, pack, readPackage } from './package.ts';
import { type Probe, placesThere, probeScript, readProbe } from './probe.ts';
import { RemoteShell, requireHostName } from './ssh.ts';

export interface ConnectOptions {
  readonly host: string;
  /** Folder of this program. */
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Port of the last time, used again if it is free. */
  readonly port: number | null;
  /** Path of a Node for that host, which is copied there. */
  readonly node?: string | undefined;
  /** Ends the attempt, and the connection. */
  readonly signal: AbortSignal;
  /** Asks before changing anything there; each sentence says what was found or will be done. */
  agree(says: readonly string[]): Promise<boolean>;
  readonly onCopied?: ((done: number, total: number) => void) | undefined;
  /** Called with the new address each time that one was used. */
  readonly onAddress?: ((address: string) => void) | undefined;
}

export interface Connection {
  readonly port: number;
  /** Link that lets one window in. */
  readonly address: string;
  /** Resolves with the reason if the connection is lost, and with null if it was ended here. */
  readonly ended: Promise<CopyscopeError | null>;
}

/** Rejects with `host.*`, or with `run.cancelled` if the user declined or ended it. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { host, program, environment, signal } = options;
  requireHostName(host);
  const own = await readPackage(program);
  const [port, ticket] = [await freePort(options.port), randomBytes(16).toString('hex')];
  const shell = new RemoteShell(host, forwarding(port, ticket), environment);
  const stop = (): void => shell.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const probe = readProbe(host, (await shell.ask(probeScript, /^copyscope probed$/m)).printed);
    await prepare(shell, own, probe, options);
    const start = `exec "$c/${own.build}/start" connect-there ${ticket} ${shellWord(host)}\n`;
    const addressOf = ({ match }: { match: RegExpExecArray }): string => `http://127.0.0.1:${port}/?token=${match[1]}`;
    const address = addressOf(await shell.ask(start, token));
    await requireTunnel(host, port);
    void hearTokens(shell, (next) => options.onAddress?.(addressOf(next)));
    return { port, address, ended: shell.ended.then((why) => (signal.aborted ? null : lost(host, why))) };
  } catch (thrown) {
    shell.close();
    throw signal.aborted ? notConnected(host) : thrown;
  }
}

/** Ends the host there and deletes the copied program. Its library stays. */
export async function removeThere(host: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const shell = new RemoteShell(host, [], environment);
  try {
    await shell.ask(
      `${placesThere}${endHost}rm -rf "$c" && echo "copyscope removed" || exit 9\n`,
      /^copyscope removed$/m,
    );
  } finally {
    shell.close();
  }
}

const token = /^copyscope token ([\w-]+)$/m;

async function hearTokens(shell: RemoteShell, hear: (next: { match: RegExpExecArray }) => void): Promise<void> {
  try {
    for (;;) hear(await shell.ask('', token));
  } catch {
    // The connection has ended, as `ended` reports.
  }
}

/** Returns ssh's options. The far end links this path, which nobody else can guess, to its host's socket. */
const forwarding = (port: number, ticket: string): string[] => [
  ...['-o', 'ExitOnForwardFailure=yes', '-o', 'ControlPath=none'],
  ...['-L', `127.0.0.1:${port}:/var/tmp/copyscope-${ticket}/host`],
];

/** Returns `port` if it is free, else any other. */
async function freePort(port: number | null): Promise<number> {
  const server = createServer();
  try {
    server.listen({ host: '127.0.0.1', port: port ?? 0, exclusive: true });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    if (port === null) throw error;
    return freePort(null);
  } finally {
    server.close();
  }
}

/** Waits until the host that runs there has ended, for 10 s at most. */
const endHost = 'if runs; then kill "$p"; n=0; while runs && test $n -lt 50; do sleep 0.2; n=$((n+1)); done; fi\n';

/** Copies the program if it is missing, and ends a host of another version. */
async function prepare(shell: RemoteShell, own: ProgramPackage, probe: Probe, options: ConnectOptions): Promise<void> {
  const { host, agree, onCopied } = options;
  const { system, arch, gpus } = probe;
  const isOther = probe.running !== null && probe.running !== own.build;
  const isMissing = !probe.builds.includes(own.build);
  if (!isMissing && !isOther) return;
  const says = [`${host}: ${system} ${arch}, ${gpus.length === 0 ? 'no GPU that nvidia-smi lists' : gpus.join(', ')}.`];
  let archive: Uint8Array | null = null;
  if (isMissing) {
    const nodeThere = options.node === undefined ? probe.node : null;
    const node = nodeThere === null ? (options.node ?? ownNode(probe)) : null;
    if (nodeThere === null && node === null) throw noNode(host, probe);
    archive = await pack(own, probe, { node, nodeThere });
    const size = formatBytes(archive.byteLength);
    says.push(`Copyscope ${own.build} (${size}, compressed) will be copied to ~/.cache/copyscope there.`);
    if (node !== null) says.push(`A Node is part of it: ${node}.`);
    if (!own.files.some((file) => file.arch === arch)) {
      says.push(`No native engine is built here for ${system} ${arch}: only the simulator runs there.`);
    }
  }
  if (isOther) says.push(`Copyscope ${probe.running} runs there. It will be ended with what it does.`);
  if (!(await agree(says))) throw notConnected(host);
  if (archive !== null) {
    const { byteLength } = archive;
    await shell.ask(unpack(own.build, byteLength), /^copyscope ready$/m);
    await shell.send(archive, (sent) => onCopied?.(sent, byteLength));
    await shell.ask('', /^copyscope copied$/m);
  }
  if (isOther) await shell.ask(`${endHost}echo "copyscope ended"\n`, /^copyscope ended$/m);
}

/** Moves the complete copy to its place. If that fails the shell exits, since the next bytes are no commands. */
const unpack = (build: string, bytes: number): string =>
  `umask 077; t="$c/.${build}.$$"; mkdir -p "$t" || exit 9; echo "copyscope ready"; ` +
  `head -c ${bytes} | tar -xzf - -C "$t" && rm -rf "$c/${build}" && mv "$t" "$c/${build}" && echo "copyscope copied" || { rm -rf "$t"; exit 9; }\n`;

/** Rejects with `host.no-forwarding` if the ssh server there doesn't forward to sockets. */
async function requireTunnel(host: string, port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${sessionPath}`, { signal: AbortSignal.timeout(30_000) }).catch(
    () => null,
  );
  if (answer?.status === 401) return;
  throw new CopyscopeError({
    code: 'host.no-forwarding',
    message: `The ssh server of ${host} forwards no port to a socket.`,
    remedy: 'It has to allow AllowTcpForwarding and AllowStreamLocalForwarding, as it does by default.',
  });
}

const lost = (host: string, { message }: CopyscopeError): CopyscopeError =>
  new CopyscopeError({
    code: 'host.lost',
    message: `The line to ${host} was lost. ${message}`,
    remedy: `The host there keeps running. Connect again: copyscope connect ${host}`,
  });

const notConnected = (host: string): CopyscopeError =>
  new CopyscopeError({ code: 'run.cancelled', message: `There is no connection to ${host}.` });

const noNode = (host: string, { system, arch }: Probe): CopyscopeError =>
  new CopyscopeError({
    code: 'host.no-node',
    message: `${host} has no Node 20.19 or newer, and this one doesn't run on ${system} ${arch}.`,
    remedy: 'Install one there, or name a Node for that system with --node FILE, which is copied.',
  });
