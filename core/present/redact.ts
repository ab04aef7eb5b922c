/**
 * Removes from a report everything that says where and for whom something ran: folders, home directories, names of
 * users and hosts, environment variables and command line options. A path keeps its file name, since readers look for
 * "train.py(12)".
 */
import type { Run } from '../trace/run.ts';

export const leftOutMark = '…';

const address = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>()]+/gi;
const userAtHost = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*/g;
/** Matches 'WANDB_API_KEY=…'. CUDA_LAUNCH_BLOCKING stays, because it affects the run. */
const variable = /\b(?!CUDA_LAUNCH_BLOCKING)([A-Z][A-Z0-9_]{2,})=(?:"[^"]*"|'[^']*'|[^\s,;]+)/g;
/** Matches 'C:\Users\ann\train.py' and '\\host\share\train.py'. Folder names may contain spaces. */
const windowsPath = /(?:\b[A-Za-z]:[\\/]|\\\\)(?:[^\\/:*?"<>|()[\],;'\r\n]+[\\/])*[^\\/\s:*?"<>|()[\],;']*/g;
/** Matches '/home/ann/train.py', '~/train.py', '../train.py'. GB/s doesn't match: a word precedes its slash. */
const posixPath =
  /(?<![\w.:/<])(?:~[\w.-]*|\.{1,2})?\/(?:[^/:*?"<>|()[\],;'=\r\n]*[^/\s:*?"<>|()[\],;'=]\/)*[^/\s:*?"<>|()[\],;'=]+\/?/g;
/** Folders before a file's name, as in 'src/ann/train.py'. */
const folders = /(?<![\w./\\-])(?:[\w.@+-]+[\\/])+(?=[\w.@+-]+\.[A-Za-z]\w{0,9}\b)/g;
/** Matches '--data imagenet' and '--user=ann'. */
const option = /(^|\s)(--[A-Za-z][\w-]*)(?:=(?:"[^"]*"|'[^']*'|\S+)|\s+(?!-)(?:"[^"]*"|'[^']*'|\S+))/g;
const home = /(?:[\\/](?:home|Users)[\\/])([^\\/\s:"'<>|()]+)/g;

/** Every text with something to redact matches this, and most texts don't. */
const suspicious = /[/\\@=]|\s--/;

export class Redactor {
  /** Names of users from home directories. Removed elsewhere too. */
  readonly #users: RegExp | null;

  constructor(texts: Iterable<string>) {
    const users = new Set<string>();
    for (const text of texts) for (const [, name = ''] of text.matchAll(home)) if (name.length > 1) users.add(name);
    this.#users =
      users.size === 0 ? null : new RegExp(`(?<![\\w-])(?:${[...users].map(escaped).join('|')})(?![\\w-])`, 'g');
  }

  text(text: string): string {
    const known = this.#users === null ? text : text.replace(this.#users, leftOutMark);
    if (!suspicious.test(known)) return known;
    return known
      .replace(address, leftOutMark)
      .replace(userAtHost, leftOutMark)
      .replace(variable, (_, name: string) => `${name}=${leftOutMark}`)
      .replace(windowsPath, lastPart)
      .replace(posixPath, lastPart)
      .replace(folders, '')
      .replace(option, (_, before: string, name: string) => `${before}${name} ${leftOutMark}`);
  }

  /** Redacts the texts of any plain JSON value. Keys belong to the format, and stay. */
  value<Value>(value: Value): Value {
    if (typeof value === 'string') return this.text(value) as Value;
    if (Array.isArray(value)) return value.map((one) => this.value(one)) as Value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.value(one)])) as Value;
  }

  /** Redacts the texts of the run's description, lanes and rows. Columns aren't copied. */
  run({ info, trace }: Run): Run {
    const lanes = trace.lanes.map((lane) => ({ ...lane, name: this.text(lane.name) }));
    return { info: this.value(info), trace: { ...trace, lanes, names: trace.names.map((name) => this.text(name)) } };
  }
}

/** Yields all texts of a run, in which a Redactor looks for user names. */
export function* textsOf({ info, trace }: Run): Generator<string> {
  yield JSON.stringify(info).replaceAll('\\\\', '\\');
  yield* trace.names;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');

/** Returns the file name of a path. A folder's name is removed: it may be that of a user or a customer. */
function lastPart(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return /\.[A-Za-z]\w{0,9}$/.test(name) ? name : leftOutMark;
}
