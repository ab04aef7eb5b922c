/** A file of another machine, read over ssh, which compresses it. Needs nothing of ours there. */
import { basename } from 'node:path/posix';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { CopyscopeError } from '../../core/errors.ts';
import { shellWord } from '../../core/media.ts';
import { sshError, startSsh } from './ssh.ts';

export interface FileThere {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
  /** Where the line drops it goes on at the byte that is missing, for as long as that takes. */
  readonly parts: AsyncIterable<Uint8Array>;
}

export interface FileThereOptions {
  readonly host: string;
  readonly path: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Hears why a line was lost. */
  readonly onLost?: ((why: CopyscopeError) => void) | undefined;
  readonly pausesMs?: readonly number[] | undefined;
}

/** A login script that says more than this is no login script. */
const mostNoise = 64 * 1024;
const standardPausesMs = [1000, 2000, 5000, 10_000, 30_000];

/** Rejects with `file.not-found` or `file.failed`, as ssh fails, and with `run.cancelled`. */
export async function fileThere(options: FileThereOptions): Promise<FileThere> {
  const first = await open(options, 0);
  const { bytes, modifiedAt } = first;
  return { name: basename(options.path), bytes, modifiedAt, parts: parts(options, first) };
}

async function* parts(options: FileThereOptions, first: Opened): AsyncGenerator<Uint8Array> {
  let [opened, done]: [Opened, number] = [first, 0];
  for (;;) {
    for await (const part of opened.content) {
      done += part.byteLength;
      yield part;
    }
    const why = await opened.ended;
    if (done === first.bytes) return;
    if (isOff(options.signal)) throw cancelled();
    options.onLost?.(why);
    opened = await openAgain(options, done);
    if (opened.bytes !== first.bytes || opened.modifiedAt.getTime() !== first.modifiedAt.getTime()) {
      opened.close();
      throw changed(options);
    }
  }
}

/** A line that can't be had is tried again; a file that is gone is not. */
async function openAgain(options: FileThereOptions, from: number): Promise<Opened> {
  const pauses = options.pausesMs ?? standardPausesMs;
  for (let attempt = 0; ; attempt += 1) {
    await pause(pauses[Math.min(attempt, pauses.length - 1)], null, { signal: options.signal }).catch(() => {
      throw cancelled();
    });
    try {
      return await open(options, from);
    } catch (thrown) {
      if (!(thrown instanceof CopyscopeError && thrown.code === 'host.unreachable')) throw thrown;
    }
  }
}

interface Opened {
  readonly bytes: number;
  readonly modifiedAt: Date;
  readonly content: AsyncIterable<Uint8Array>;
  /** Why there is no more. */
  readonly ended: Promise<CopyscopeError>;
  close(): void;
}

async function open({ host, path, environment, signal }: FileThereOptions, from: number): Promise<Opened> {
  if (isOff(signal)) throw cancelled();
  const ssh = startSsh(host, 'exec sh -s', environment);
  const stop = (): void => void ssh.child.kill();
  signal?.addEventListener('abort', stop, { once: true });
  // It has not ended as long as there is something to read, which nobody does any more.
  const close = (): void => {
    stop();
    ssh.child.stdout.destroy();
  };
  // It is asked for when there is no more to read: until then nobody would hear of a rejection.
  const ended = ssh.ended
    .then(
      (code) => sshError(host, code, ssh.said()),
      (noSsh: CopyscopeError) => noSsh,
    )
    .finally(() => signal?.removeEventListener('abort', stop));
  Readable.from([script(path, from)]).pipe(ssh.child.stdin);
  const stream = ssh.child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = Buffer.alloc(0);
  while (true) {
    const said = /^copyscope-file (\w+)(?: (\d+) (\d+))?\n/m.exec(head.toString('latin1'));
    if (said !== null) {
      const [line, found, bytes, seconds] = said;
      if (found !== 'found') throw unreadable(host, path, found === 'missing');
      const rest = head.subarray(said.index + line.length);
      const modifiedAt = new Date(Number(seconds) * 1000);
      return { bytes: Number(bytes), modifiedAt, content: content(rest, stream, close), ended, close };
    }
    const next = head.byteLength > mostNoise ? { done: true as const, value: undefined } : await stream.next();
    if (next.done === true) {
      close();
      const why = await ended;
      throw isOff(signal) ? cancelled() : why;
    }
    head = Buffer.concat([head, next.value]);
  }
}

async function* content(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  close: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    if (first.byteLength > 0) yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    close();
  }
}

const isOff = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** Crosses as the shell's input: what is in a path is no command, and not cut by anything on the way. */
const script = (path: string, from: number): string => `
f=${shellWord(path)}
case "$f" in "~/"*) f="$HOME/\${f#??}" ;; esac
cd "$HOME"
if ! test -f "$f"; then echo "copyscope-file missing"; exit 0; fi
if ! test -r "$f"; then echo "copyscope-file closed"; exit 0; fi
bytes=$(wc -c < "$f")
seconds=$(stat -L -c %Y "$f" 2>/dev/null || stat -L -f %m "$f" 2>/dev/null || echo 0)
echo "copyscope-file found $((bytes)) $seconds"
exec tail -c +${from + 1} -- "$f"
`;

const cancelled = (): CopyscopeError =>
  new CopyscopeError({ code: 'run.cancelled', message: 'The file was not read to its end.' });

const unreadable = (host: string, path: string, isMissing: boolean): CopyscopeError =>
  new CopyscopeError({
    code: isMissing ? 'file.not-found' : 'file.failed',
    message: isMissing ? `${host} has no file ${path}.` : `Your user on ${host} may not read ${path}.`,
    remedy: 'Give its path there; one that is not whole begins at your own folder.',
  });

const changed = ({ host, path }: FileThereOptions): CopyscopeError =>
  new CopyscopeError({
    code: 'file.failed',
    message: `${path} on ${host} was changed while it was read.`,
    remedy: 'Read it again once it is written.',
  });
