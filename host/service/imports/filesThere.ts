/** Files of other machines on their way into the library: begun here, and asked for by the window until they are in it. */
import type { Imported } from '../../../core/service/service.ts';
import { fileThere } from '../../machines/fileThere.ts';
import { requireHostName } from '../../machines/ssh.ts';
import type { Imports } from './imports.ts';

export interface Arriving {
  readonly ticket: string;
  readonly name: string;
  readonly bytes: number;
}

interface Incoming {
  doneBytes: number;
  readonly stop: AbortController;
  readonly end: Promise<Imported>;
}

/** How long a window waits for the next answer where nothing has ended. */
const answerAfterMs = 250;

export class FilesThere {
  readonly #imports: Imports;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #incoming = new Map<string, Incoming>();

  constructor(imports: Imports, environment: NodeJS.ProcessEnv) {
    this.#imports = imports;
    this.#environment = environment;
  }

  /** Resolves once its first bytes are there. Rejects with `host.*` or `file.*`. */
  async begin(host: string, path: string): Promise<Arriving> {
    const stop = new AbortController();
    const options = { host: requireHostName(host), path, environment: this.#environment, signal: stop.signal };
    const { name, bytes, modifiedAt, parts } = await fileThere(options);
    const ticket = this.#imports.begin({ name, modifiedAt });
    const incoming: Incoming = { doneBytes: 0, stop, end: this.#take(ticket, parts) };
    incoming.end.catch(() => {});
    this.#incoming.set(ticket, incoming);
    return { ticket, name, bytes };
  }

  /** What came of it; or how much has come, where it goes on. Rejects with what is wrong with the file, or its line. */
  async next(ticket: string): Promise<Imported | number> {
    const incoming = this.#incoming.get(ticket);
    // It says in its own words that nobody knows of it.
    if (incoming === undefined) return this.#imports.finish(ticket);
    let timer: NodeJS.Timeout | undefined;
    const later = new Promise<number>((resolve) => {
      timer = setTimeout(() => resolve(incoming.doneBytes), answerAfterMs);
    });
    try {
      const answer = await Promise.race([incoming.end, later]);
      if (typeof answer !== 'number') this.#incoming.delete(ticket);
      return answer;
    } catch (thrown) {
      this.#incoming.delete(ticket);
      throw thrown;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Does nothing where it is over already. */
  cancel(ticket: string): void {
    this.#incoming.get(ticket)?.stop.abort();
    this.#incoming.delete(ticket);
  }

  close(): void {
    for (const ticket of this.#incoming.keys()) this.cancel(ticket);
  }

  async #take(ticket: string, parts: AsyncIterable<Uint8Array>): Promise<Imported> {
    try {
      for await (const part of parts) {
        await this.#imports.part(ticket, part);
        const incoming = this.#incoming.get(ticket);
        if (incoming !== undefined) incoming.doneBytes += part.byteLength;
      }
    } catch (thrown) {
      await this.#imports.cancel(ticket);
      throw thrown;
    }
    return this.#imports.finish(ticket);
  }
}
