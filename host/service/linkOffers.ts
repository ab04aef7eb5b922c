/** Links that were followed: each is looked at and offered to the window, which asks before anything is opened. */
import { randomUUID } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { parseLink, refused } from '../../core/service/links.ts';
import type { ExampleSummary, LessonSummary, LinkOffer } from '../../core/service/service.ts';

/** A page can follow many in a second, and nobody answers them: of the files among them the last are remembered. */
const mostFiles = 16;

export interface LinkOffersOptions {
  readonly examples: () => Promise<readonly ExampleSummary[]>;
  readonly lessons: () => Promise<readonly LessonSummary[]>;
  /** Whoever wrote the link may name files below these, and no others. */
  readonly folders: readonly string[];
  readonly offer: (offer: LinkOffer) => void;
}

export class LinkOffers {
  readonly #options: LinkOffersOptions;
  /** Files that were offered and not answered yet, by ticket. */
  readonly #files = new Map<string, string>();

  constructor(options: LinkOffersOptions) {
    this.#options = options;
  }

  /** Rejects with `link.*` where the link is refused. */
  async offer(address: string): Promise<void> {
    this.#options.offer(await this.#read(address));
  }

  /** The file to open, or null where it was declined, or is none. Each offer is answered once. */
  answer(ticket: string, open: boolean): string | null {
    const path = this.#files.get(ticket) ?? null;
    this.#files.delete(ticket);
    return open ? path : null;
  }

  async #read(address: string): Promise<LinkOffer> {
    const link = parseLink(address, process.platform === 'win32');
    const ticket = randomUUID();
    if (link.kind === 'file') {
      const { path, bytes } = await this.#find(link.path);
      this.#remember(ticket, path);
      return { ticket, kind: 'file', path, bytes };
    }
    const { kind, id } = link;
    const title =
      kind === 'example'
        ? (await this.#options.examples()).find((one) => one.id === id)?.name
        : (await this.#options.lessons()).find((one) => one.id === id)?.title;
    if (title === undefined) throw refused('not-found', `names ${kind} ${JSON.stringify(id)}, and there is none`);
    return { ticket, kind, id, title };
  }

  #remember(ticket: string, path: string): void {
    this.#files.set(ticket, path);
    const [oldest] = this.#files.keys();
    if (this.#files.size > mostFiles && oldest !== undefined) this.#files.delete(oldest);
  }

  /** Where the file really is: a symbolic link leads nowhere that its own path could not. */
  async #find(named: string): Promise<{ path: string; bytes: number }> {
    const path = await realpath(named).catch(() => null);
    const entry = path === null ? null : await stat(path).catch(() => null);
    const folders = await Promise.all(this.#options.folders.map((folder) => realpath(folder).catch(() => null)));
    const inside = path !== null && folders.some((folder) => folder !== null && isBelow(path, folder));
    // One that is elsewhere is not told from one that is not there: a link must not be a way to ask.
    if (path === null || !inside) throw refused('place', 'names no file in your own folder');
    if (entry?.isFile() !== true) throw refused('place', 'names something that is no file');
    return { path, bytes: entry.size };
  }
}

function isBelow(path: string, folder: string): boolean {
  const inner = relative(folder, path);
  return inner !== '' && inner !== '..' && !inner.startsWith(`..${sep}`) && !/^([a-z]:|[\\/])/i.test(inner);
}
