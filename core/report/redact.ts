/**
 * Takes out of a report what says where and for whom something ran: folders, home directories, names of users and hosts,
 * environment variables and options of command lines. Of a path the file's own name stays: "train.py(12)" is what a reader
 * looks for.
 */
import type { Run } from '../trace/run.ts';

export const leftOutMark = '…';

const address = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>()]+/gi;
const userAtHost = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*/g;
/** As 'WANDB_API_KEY=…'. What CUDA is told to do is part of what ran. */
const variable = /\b(?!CUDA_LAUNCH_BLOCKING)([A-Z][A-Z0-9_]{2,})=(?:"[^"]*"|'[^']*'|[^\s,;]+)/g;
/** As 'C:\Users\ann\train.py' and '\\host\share\train.py'. Folders may have spaces in their names. */
const windowsPath = /(?:\b[A-Za-z]:[\\/]|\\\\)(?:[^\\/:*?"<>|()[\],;'\r\n]+[\\/])*[^\\/\s:*?"<>|()[\],;']*/g;
/** As '/home/ann/train.py', '~/train.py', '../train.py'. A quotient or a unit, as GB/s, has a word before the slash. */
const posixPath =
  /(?<![\w.:/<])(?:~[\w.-]*|\.{1,2})?\/(?:[^/:*?"<>|()[\],;'=\r\n]*[^/\s:*?"<>|()[\],;'=]\/)*[^/\s:*?"<>|()[\],;'=]+\/?/g;
/** Folders before a file's name, as in 'src/ann/train.py'. */
const folders = /(?<![\w./\\-])(?:[\w.@+-]+[\\/])+(?=[\w.@+-]+\.[A-Za-z]\w{0,9}\b)/g;
/** As '--data imagenet' and '--user=ann'. */
const option = /(^|\s)(--[A-Za-z][\w-]*)(?:=(?:"[^"]*"|'[^']*'|\S+)|\s+(?!-)(?:"[^"]*"|'[^']*'|\S+))/g;
const home = /(?:[\\/](?:home|Users)[\\/])([^\\/\s:"'<>|()]+)/g;

/** What every text may hold that is redacted; most texts hold none of it. */
const suspicious = /[/\\@=]|\s--/;

export class Redactor {
  /** Names of users, found in their home directories: they may stand elsewhere too. */
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

  /** Any plain JSON value with its texts redacted. Keys are the format's own, and stay. */
  value<Value>(value: Value): Value {
    if (typeof value === 'string') return this.text(value) as Value;
    if (Array.isArray(value)) return value.map((one) => this.value(one)) as Value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.value(one)])) as Value;
  }

  /** The run with the texts of its description, its lanes and its rows redacted. Columns are the same memory. */
  run({ info, trace }: Run): Run {
    const lanes = trace.lanes.map((lane) => ({ ...lane, name: this.text(lane.name) }));
    return { info: this.value(info), trace: { ...trace, lanes, names: trace.names.map((name) => this.text(name)) } };
  }
}

/** All texts of a run, for a Redactor that is to know its users. */
export function* textsOf({ info, trace }: Run): Generator<string> {
  yield JSON.stringify(info).replaceAll('\\\\', '\\');
  yield* trace.names;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');

/** Of a folder nothing is left: its name may be that of a user or a customer. */
function lastPart(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return /\.[A-Za-z]\w{0,9}$/.test(name) ? name : leftOutMark;
}
