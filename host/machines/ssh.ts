/** The system's ssh: its keys, agents, jump hosts and questions are its own. Nothing secret passes through here. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CopyscopeError } from '../../core/errors.ts';

/** Ends of ssh itself, by its manual: anything else is what the command there ended with. */
const sshFailed = 255;
/** A line that says nothing for three of these is down. */
const aliveSeconds = 15;
const stderrTail = 4096;

export interface SshProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** The end of what it and the command there wrote to stderr. */
  said(): string;
  /** Its exit code, once all of its output was read; null where a signal ended it. Rejects with `host.no-ssh`. */
  readonly ended: Promise<number | null>;
}

/** What may stand for a machine on ssh's command line: a name, user@name or an address, but never an option. */
const namePattern = /^[\p{L}\p{N}_[][^\s'"\\$`;&|<>(){}!*?]{0,199}$/u;

/** Throws `host.name`. */
export function requireHostName(name: string): string {
  if (namePattern.test(name)) return name;
  throw new CopyscopeError({
    code: 'host.name',
    field: 'host',
    message: `${JSON.stringify(name)} is no name that ssh takes for a machine.`,
    remedy: 'Use a name of your ssh configuration, or user@address.',
  });
}

/**
 * Runs one command of a POSIX shell on the machine, whatever its user's login shell is. The command holds no single
 * quotes and no exclamation marks, which some shells read in their own way.
 */
export function startSsh(host: string, command: string, environment: NodeJS.ProcessEnv): SshProcess {
  const program = environment['COPYSCOPE_SSH'] ?? 'ssh';
  const alive = ['-o', `ServerAliveInterval=${aliveSeconds}`, '-o', 'ServerAliveCountMax=3'];
  const child = spawn(program, ['-T', '-C', ...alive, requireHostName(host), `exec sh -c '${command}'`], {
    env: environment,
    stdio: 'pipe',
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-stderrTail);
  });
  // Of a line that has gone 'close' tells.
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', (code) => resolve(code));
    child.once('error', (error) => reject(noSsh(program, error)));
  });
  ended.catch(() => {});
  return { child, said: () => said.trim(), ended };
}

/** Runs a command to its end and gives what it wrote. Rejects with `host.unreachable` or `host.failed` in its own words. */
export async function runSsh(
  host: string,
  command: string,
  environment: NodeJS.ProcessEnv,
  input?: Readable,
): Promise<string> {
  const ssh = startSsh(host, command, environment);
  let out = '';
  ssh.child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  // Where the command ends early it says why; that it takes no more is no reason.
  if (input === undefined) ssh.child.stdin.end();
  else await pipeline(input, ssh.child.stdin).catch(() => {});
  const code = await ssh.ended;
  if (code === 0) return out;
  throw sshError(host, code, ssh.said());
}

/** Why ssh, or what it started there, ended with this code. */
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
