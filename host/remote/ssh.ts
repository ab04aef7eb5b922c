/** A POSIX shell on a remote host through the system's ssh, with its keys, agents, jump hosts and questions. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { CopyscopeError } from '../../core/errors.ts';

/** Valid hosts on ssh's command line: a name, user@name or an address, but never an option. */
const pattern = /^[\p{L}\p{N}_[][^\s'"\\$`;&|<>(){}!*?]{0,199}$/u;

/** Throws `host.name`. */
export function requireHostName(name: string): string {
  if (pattern.test(name)) return name;
  throw new CopyscopeError({
    code: 'host.name',
    field: 'host',
    message: `${JSON.stringify(name)} is no name that ssh takes for a host.`,
    remedy: 'Use a name of your ssh configuration, or user@address.',
  });
}

/** Exit code of ssh itself, by its manual. Any other is that of the remote command. */
const sshFailed = 255;
/** A connection counts as lost if it is silent for three times this long. */
const aliveSeconds = 15;
const stderrTail = 4096;
/** A login script that prints more than this is refused. */
const mostPrinted = 1024 * 1024;
const chunkBytes = 64 * 1024;

export class RemoteShell {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<CopyscopeError>;
  #printed = '';
  #said = '';
  #onPrinted: () => void = () => {};

  /** Starts ssh with these options. Throws `host.name`. */
  constructor(host: string, options: readonly string[], environment: NodeJS.ProcessEnv) {
    const program = environment['COPYSCOPE_SSH'] ?? 'ssh';
    const alive = ['-o', `ServerAliveInterval=${aliveSeconds}`, '-o', 'ServerAliveCountMax=3'];
    const words = ['-T', '-C', ...alive, ...options, requireHostName(host), 'exec sh -s'];
    const child = spawn(program, words, { env: environment, stdio: 'pipe' });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#printed = (this.#printed + text).slice(-mostPrinted);
      this.#onPrinted();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-stderrTail);
    });
    // The end of the process reports the reason of a broken pipe.
    child.stdin.on('error', () => {});
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', (code) => resolve(sshError(host, code, this.#said.trim())));
      child.once('error', (error) => resolve(noSsh(program, error)));
    });
  }

  /** Resolves with the reason when ssh has ended, also if it was closed here. */
  get ended(): Promise<CopyscopeError> {
    return this.#ended;
  }

  /**
   * Sends commands, and resolves when their output matches, with the match and all output until then. Rejects with the
   * reason if ssh ends before.
   */
  async ask(commands: string, answer: RegExp): Promise<{ readonly match: RegExpExecArray; readonly printed: string }> {
    this.#child.stdin.write(commands);
    const found = new Promise<{ match: RegExpExecArray; printed: string }>((resolve) => {
      const look = (): void => {
        const match = answer.exec(this.#printed);
        if (match === null) return;
        const end = match.index + match[0].length;
        const printed = this.#printed.slice(0, end);
        this.#printed = this.#printed.slice(end);
        this.#onPrinted = () => {};
        resolve({ match, printed });
      };
      this.#onPrinted = look;
      look();
    });
    return this.#unlessEnded(found);
  }

  /** Sends bytes; `onSent` receives the number sent so far. */
  async send(bytes: Uint8Array, onSent?: (bytes: number) => void): Promise<void> {
    for (let from = 0; from < bytes.byteLength; from += chunkBytes) {
      const isTaken = this.#child.stdin.write(bytes.subarray(from, from + chunkBytes));
      if (!isTaken) await this.#unlessEnded(once(this.#child.stdin, 'drain'));
      onSent?.(Math.min(from + chunkBytes, bytes.byteLength));
    }
  }

  close(): void {
    this.#child.kill();
  }

  async #unlessEnded<Value>(value: Promise<Value>): Promise<Value> {
    const ended = this.#ended.then((why): never => {
      throw why;
    });
    return Promise.race([value, ended]);
  }
}

/** Returns the error for this exit code of ssh or of the remote command. */
export function sshError(host: string, code: number | null, said: string): CopyscopeError {
  if (code === sshFailed) {
    return new CopyscopeError({
      code: 'host.unreachable',
      message: `ssh could not reach ${host}: ${said === '' ? 'it gave no reason.' : said}`,
      remedy: `Try it by hand: ssh ${host}`,
    });
  }
  const how = code === null ? 'was ended by a signal' : `ended with exit code ${code}`;
  return new CopyscopeError({
    code: 'host.failed',
    message: `${host}: ${said === '' ? `the command there ${how}.` : said}`,
  });
}

const noSsh = (program: string, error: Error): CopyscopeError =>
  new CopyscopeError(
    {
      code: 'host.no-ssh',
      message: `${program} could not be started: ${error.message}.`,
      remedy: 'Install the OpenSSH client of your system.',
    },
    { cause: error },
  );
