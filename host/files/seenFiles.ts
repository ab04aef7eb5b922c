/**
 * Caches facts that lists show of files, from one start to the next: a file is read again only if its size or time has
 * changed. The cache is a file itself, which may be damaged or missing: then everything is read again.
 */
import { readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { z } from 'zod';
import { checkShape } from '../../core/shape/checkShape.ts';
import { writeWholeSync } from './files.ts';

const maxBytes = 64 * 1024 * 1024;
const format = 'copyscope/seen-files';
/** Raised whenever a list shows something else of the same file. */
const version = 1;

/** By list, then by path: size and time of the file, and its facts. */
const listsSchema = z.record(z.string(), z.record(z.string(), z.tuple([z.string(), z.unknown()])));
type Lists = z.infer<typeof listsSchema>;

const memorySchema = z.object({
  format: z.literal(format),
  version: z.literal(version),
  /** Version of the program: another one may show other facts, and has other built-in files. */
  program: z.string(),
  lists: listsSchema,
});

export interface FileState {
  /** -1 if there is no such file. */
  readonly bytes: number;
  readonly modifiedAt: Date;
}

export interface SeenList<Said> {
  /** Returns the facts of a file, read with `read` unless they are cached for its current state. */
  of(path: string, read: (file: FileState) => Promise<Said>): Promise<Said>;
  /** Forgets every other file. */
  keepOnly(paths: readonly string[]): void;
}

/** A file changed again within this time may keep its size and time. */
const unsettledMs = 2000;
/** Delay, so that opening a window isn't slowed. */
const writeAfterMs = 3000;

export class SeenFiles {
  readonly #path: string | null;
  readonly #program: string;
  /** Lists from the cache file; a list that is not used stays as it is. */
  #before: Lists | null = null;
  readonly #now = new Map<string, () => Lists[string]>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `path` is the cache file; with null the cache ends with this session. `program` is the program's version. */
  constructor(path: string | null, program = '') {
    this.#path = path;
    this.#program = program;
  }

  /** `schema` validates cached facts; `isSure` returns true for facts that need no second reading. */
  list<Said>(name: string, schema: z.ZodType<Said>, isSure: (said: Said) => boolean = () => true): SeenList<Said> {
    let seen: Map<string, Seen<Said>> | null = null;
    const recalled = (): Map<string, Seen<Said>> => {
      if (seen !== null) return seen;
      const list = new Map(believed(this.#recall()[name] ?? {}, schema));
      this.#now.set(name, () => lasting(list));
      seen = list;
      return list;
    };
    return {
      of: async (path, read) => {
        const { stamp, settled, ...file } = await stateOf(path);
        const known = recalled().get(path);
        if (known?.stamp === stamp) return known.said;
        const said = await read(file);
        if (isSure(said)) recalled().set(path, { stamp, said, lasts: settled });
        else recalled().delete(path);
        this.#writeSoon();
        return said;
      },
      keepOnly: (paths) => {
        const kept = new Set(paths);
        const gone = [...recalled().keys()].filter((path) => !kept.has(path));
        for (const path of gone) recalled().delete(path);
        if (gone.length > 0) this.#writeSoon();
      },
    };
  }

  /** Writes pending changes. */
  close(): void {
    if (this.#timer !== undefined) this.#write();
  }

  #recall(): Lists {
    this.#before ??= this.#path === null ? {} : readMemory(this.#path, this.#program);
    return this.#before;
  }

  #writeSoon(): void {
    if (this.#path !== null) this.#timer ??= setTimeout(() => this.#write(), writeAfterMs).unref();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#path === null) return;
    const now = [...this.#now].map(([name, list]) => [name, list()] as const);
    const lists: Lists = { ...this.#recall(), ...Object.fromEntries(now) };
    try {
      writeWholeSync(this.#path, `${JSON.stringify({ format, version, program: this.#program, lists })}\n`);
    } catch {
      // The cache only saves time: the next start reads the files.
    }
  }
}

interface Seen<Said> {
  readonly stamp: string;
  readonly said: Said;
  /** True if it is kept after this session. */
  readonly lasts: boolean;
}

function* believed<Said>(list: Lists[string], schema: z.ZodType<Said>): Generator<[string, Seen<Said>]> {
  for (const [path, [stamp, value]] of Object.entries(list)) {
    const shape = checkShape(schema, value);
    if (shape.ok) yield [path, { stamp, said: shape.value, lasts: true }];
  }
}

const lasting = (list: ReadonlyMap<string, Seen<unknown>>): Lists[string] =>
  Object.fromEntries([...list].flatMap(([path, { stamp, said, lasts }]) => (lasts ? [[path, [stamp, said]]] : [])));

/** Returns an empty cache if there is no valid one. */
function readMemory(path: string, program: string): Lists {
  try {
    if (statSync(path).size > maxBytes) return {};
    const memory = memorySchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return memory.program === program ? memory.lists : {};
  } catch {
    return {};
  }
}

/** Returns size and time of a file, and whether a change would show in them. */
async function stateOf(path: string): Promise<FileState & { readonly stamp: string; readonly settled: boolean }> {
  const found = await stat(path).catch(() => null);
  if (found === null) return { bytes: -1, modifiedAt: new Date(0), stamp: '', settled: false };
  const { size: bytes, mtime: modifiedAt, mtimeMs } = found;
  // Electron gives all files in the program's archive the time of its start. They change only with the program.
  if (path.includes(`.asar${sep}`)) return { bytes, modifiedAt, stamp: `${bytes}`, settled: true };
  return { bytes, modifiedAt, stamp: `${bytes} ${mtimeMs}`, settled: Date.now() - mtimeMs > unsettledMs };
}
