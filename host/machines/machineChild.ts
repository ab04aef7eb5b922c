/**
 * The engine of another machine, as its supervisor sees every engine process. ssh carries the messages; where the line
 * drops while something is asked of it, another one is made, for as long as it takes.
 */
import { randomUUID } from 'node:crypto';
import { CopyscopeError } from '../../core/errors.ts';
import type { ChildExit, EngineChild } from '../engine/child.ts';
import { Link } from './link.ts';
import { attachCommand } from './places.ts';
import { endings, greeting } from './protocol.ts';
import { type SshProcess, sshError, startSsh } from './ssh.ts';

export type LineState = 'connecting' | 'up' | 'lost';

export interface MachineOptions {
  readonly host: string;
  /** Which build of Copyscope is to answer there. */
  readonly build: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Hears what becomes of the line; `why` where it was lost. */
  readonly onLine?: ((state: LineState, why: CopyscopeError | null) => void) | undefined;
  /** Of a large answer so much has come. */
  readonly onReceived?: ((received: number, total: number) => void) | undefined;
  /** Whether a lost line is made again while something is asked; so it is where left out. */
  readonly triesAgain?: boolean | undefined;
  /** Whether an engine is wanted there at once; so it is where left out. */
  readonly withEngine?: boolean | undefined;
  /** How long the other side waits for a line where it has nothing to do. */
  readonly idleMs?: number | undefined;
  /** Pauses between attempts to get a lost line back; the last one again and again. */
  readonly pausesMs?: readonly number[] | undefined;
}

const standardIdleMs = 60_000;
const standardPausesMs = [1000, 2000, 5000, 10_000, 30_000];
const goodbyeMs = 10_000;
/** How long the last words may take. */
const lastWordsMs = 3000;
/** A login script that says more than this is no login script. */
const mostNoise = 64 * 1024;

export const machineChild = (options: MachineOptions): EngineChild => new MachineChild(options);

class MachineChild implements EngineChild {
  readonly #options: MachineOptions;
  readonly #session = randomUUID();
  readonly #link: Link;
  /** Calls without an answer, by birpc's ids. Pings are no reason to keep a line. */
  readonly #asked = new Set<string>();
  #ssh: SshProcess | null = null;
  /** Whether there is a keeper there for this session. */
  #isKnown = false;
  #attempts = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #exit: ChildExit | null = null;
  #receive: (message: unknown) => void = () => {};
  #onExit: (exit: ChildExit) => void = () => {};

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#link = new Link({
      onMessage: (message) => {
        if (isReply(message)) this.#asked.delete(message.i);
        this.#receive(message);
      },
      onUp: () => {
        if (this.#exit !== null) return void this.#link.bye();
        this.#attempts = 0;
        options.onLine?.('up', null);
      },
      onProgress: (received, total) => options.onReceived?.(received, total),
    });
    this.#connect();
  }

  post(message: unknown): void {
    if (this.#exit !== null) return;
    if (isCall(message) && message.m !== 'ping') this.#asked.add(message.i);
    this.#link.send(message);
  }

  onMessage(handler: (message: unknown) => void): void {
    this.#receive = handler;
  }

  onExit(handler: (exit: ChildExit) => void): void {
    this.#onExit = handler;
    if (this.#exit !== null) handler(this.#exit);
  }

  /** Ends what is in progress there, where there is a line to say so. */
  kill(): void {
    if (this.#exit !== null) return;
    const ssh = this.#ssh;
    if (ssh !== null && this.#link.bye()) {
      // It ends well once the keeper has heard it.
      this.#letEnd(ssh).then((code) => code !== 0 && this.#sayGoodbye());
      this.#end(null);
    } else {
      this.#end(this.#isKnown ? leftRunning(this.#options.host) : null);
      if (this.#isKnown && this.#asked.size === 0) this.#sayGoodbye();
    }
  }

  leave(): void {
    if (this.#exit !== null) return;
    if (this.#asked.size === 0 || !this.#isKnown) this.kill();
    else {
      if (this.#ssh !== null && this.#link.leave()) void this.#letEnd(this.#ssh);
      this.#end(leftRunning(this.#options.host));
    }
  }

  /** Gives ssh the time to bring the last words across, and its exit code. */
  async #letEnd(ssh: SshProcess): Promise<number | null> {
    this.#ssh = null;
    setTimeout(() => ssh.child.kill(), lastWordsMs).unref();
    return ssh.ended.catch(() => null);
  }

  #connect(): SshProcess {
    const { host, build, environment, withEngine = true, idleMs = standardIdleMs } = this.#options;
    const how = this.#isKnown ? 'again' : withEngine ? 'engine' : 'new';
    if (this.#exit === null) this.#options.onLine?.('connecting', null);
    const ssh = startSsh(host, attachCommand(build, this.#session, how, idleMs), environment);
    this.#ssh = ssh;
    const { stdin, stdout } = ssh.child;
    let noise = Buffer.alloc(0);
    const greet = (bytes: Buffer): void => {
      noise = Buffer.concat([noise, bytes]);
      const at = noise.indexOf(greeting);
      if (at < 0) {
        if (noise.byteLength > mostNoise) ssh.child.kill();
        return;
      }
      this.#isKnown = true;
      stdout.off('data', greet);
      stdout.pause();
      stdout.unshift(noise.subarray(at + greeting.length));
      this.#link.attach({ input: stdout, output: stdin, close: () => ssh.child.kill() });
      stdout.resume();
    };
    stdout.on('data', greet);
    ssh.ended.then(
      (code) => this.#lineEnded(ssh, endError(host, code, ssh.said())),
      (error: CopyscopeError) => this.#lineEnded(ssh, error),
    );
    return ssh;
  }

  #lineEnded(ssh: SshProcess, why: CopyscopeError): void {
    if (this.#exit !== null || this.#ssh !== ssh) return;
    this.#ssh = null;
    const isGone = !this.#isKnown || why.code === 'host.session-gone';
    if (isGone) this.#end(why);
    else if (this.#asked.size > 0 && this.#options.triesAgain !== false) this.#tryAgain(why);
    else {
      this.#end(why);
      this.#sayGoodbye();
    }
  }

  /** The keeper there may wait for this side to have its last answer: one attempt to tell it, that nobody waits for. */
  #sayGoodbye(): void {
    const { child } = this.#connect();
    setTimeout(() => child.kill(), goodbyeMs).unref();
  }

  #tryAgain(why: CopyscopeError): void {
    if (this.#attempts === 0) this.#options.onLine?.('lost', why);
    // Whoever heard it may have left: a line would now tell the other side that nothing is wanted.
    if (this.#exit !== null) return;
    const pauses = this.#options.pausesMs ?? standardPausesMs;
    const pauseMs = pauses[Math.min(this.#attempts, pauses.length - 1)] ?? 0;
    this.#attempts += 1;
    this.#pause = setTimeout(() => this.#connect(), pauseMs);
  }

  /** Tells its owner, after what is under way, as a process's end comes. */
  #end(reason: CopyscopeError | null): void {
    if (this.#exit !== null) return;
    clearTimeout(this.#pause);
    this.#ssh?.child.kill();
    this.#exit = { code: null, signal: 'SIGKILL', stderr: '', ...(reason === null ? {} : { reason }) };
    const exit = this.#exit;
    setImmediate(() => this.#onExit(exit));
  }
}

function endError(host: string, code: number | null, said: string): CopyscopeError {
  if (code === endings.notSetUp) return notSetUp(host);
  if (code === endings.noSession) return sessionGone(host);
  return sshError(host, code, said);
}

interface Call {
  readonly t: 'q';
  readonly m: string;
  readonly i: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const isCall = (message: unknown): message is Call =>
  isObject(message) && message['t'] === 'q' && typeof message['i'] === 'string';
const isReply = (message: unknown): message is { readonly i: string } =>
  isObject(message) && message['t'] === 's' && typeof message['i'] === 'string';

const notSetUp = (host: string): CopyscopeError =>
  new CopyscopeError({
    code: 'host.not-set-up',
    message: `${host} does not have this version of Copyscope.`,
    remedy: `Set it up with: copyscope host add ${host}`,
  });

const sessionGone = (host: string): CopyscopeError =>
  new CopyscopeError({
    code: 'host.session-gone',
    message: `What was in progress on ${host} is not there any more: the machine was started anew, what kept it there was ended, another node answers, or it waited too long.`,
    remedy: `copyscope host fetch ${host} gets what was kept, and what a program there had recorded.`,
  });

const leftRunning = (host: string): CopyscopeError =>
  new CopyscopeError({
    code: 'host.left',
    message: `What was in progress on ${host} goes on there.`,
    remedy: `Get it later with: copyscope host fetch ${host}`,
  });
