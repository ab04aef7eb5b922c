/** Connections to remote hosts, requested by windows. Each lasts until a window ends it, or this process ends. */
import { toErrorInfo } from '../../core/errors.ts';
import type { RemoteEnding, RemoteState } from '../../core/service/remotes.ts';
import type { WindowEvents } from '../../core/service/service.ts';
import { connect, removeThere } from '../remote/connection.ts';
import { RemoteHosts } from '../remote/hosts.ts';
import { requireHostName } from '../remote/ssh.ts';

export interface RemotesOptions {
  readonly dataFolder: string;
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly events: Pick<WindowEvents, 'remoteChanged'>;
  /** Opens a window on an address; left out if the requesting page goes there. */
  readonly openWindow?: ((address: string) => void) | undefined;
}

interface Kept {
  state: RemoteState;
  /** Ends the connection, or the attempt. */
  stop: AbortController;
  answer: ((isAgreed: boolean) => void) | null;
}

const off = (name: string): RemoteState => ({
  ...{ name, status: 'off', says: [], copied: null, problem: null, address: null },
});

export class Remotes {
  readonly #options: RemotesOptions;
  readonly #hosts: RemoteHosts;
  readonly #kept = new Map<string, Kept>();

  constructor(options: RemotesOptions) {
    this.#options = options;
    this.#hosts = new RemoteHosts(options.dataFolder);
  }

  async list(): Promise<RemoteState[]> {
    const names = new Set([...(await this.#hosts.names()), ...this.#kept.keys()]);
    return [...names].map((name) => this.#kept.get(name)?.state ?? off(name));
  }

  /** Starts connecting, or reopens an open connection's window. The state has the rest. Rejects with `host.name`. */
  async connect(name: string): Promise<void> {
    requireHostName(name);
    const before = this.#kept.get(name)?.state ?? off(name);
    if (before.status === 'open') this.#show(before);
    if (before.status !== 'off') return;
    const kept: Kept = { state: off(name), stop: new AbortController(), answer: null };
    this.#kept.set(name, kept);
    this.#change(kept, { status: 'connecting' });
    void this.#connect(name, kept);
  }

  answer(name: string, isAgreed: boolean): void {
    this.#kept.get(name)?.answer?.(isAgreed);
  }

  /** Rejects as ssh fails. */
  async end(name: string, ending: RemoteEnding): Promise<void> {
    requireHostName(name);
    const kept = this.#kept.get(name);
    kept?.stop.abort();
    kept?.answer?.(false);
    if (ending === 'disconnect') return;
    if (ending === 'remove') await this.#remove(name);
    await this.#hosts.forget(name);
    this.#kept.delete(name);
    this.#options.events.remoteChanged(name, null);
  }

  close(): void {
    for (const { stop } of this.#kept.values()) stop.abort();
  }

  async #connect(name: string, kept: Kept): Promise<void> {
    const { program, environment } = this.#options;
    const { signal } = kept.stop;
    try {
      const connection = await connect({
        ...{ host: name, program, environment, signal },
        port: await this.#hosts.port(name),
        agree: (says) => this.#ask(kept, says),
        onCopied: (done, total) => this.#change(kept, { status: 'copying', copied: { done, total } }),
        onAddress: (address) => this.#change(kept, { address }),
      });
      await this.#hosts.note(name, connection.port);
      this.#change(kept, { status: 'open', says: [], copied: null, address: connection.address });
      this.#show(kept.state);
      const why = await connection.ended;
      this.#change(kept, { ...off(name), problem: why?.toInfo() ?? null });
    } catch (thrown) {
      const problem = signal.aborted ? null : toErrorInfo(thrown);
      this.#change(kept, { ...off(name), problem: problem?.code === 'run.cancelled' ? null : problem });
    }
  }

  async #ask(kept: Kept, says: readonly string[]): Promise<boolean> {
    this.#change(kept, { status: 'asks', says });
    const isAgreed = await new Promise<boolean>((resolve) => {
      kept.answer = resolve;
    });
    kept.answer = null;
    this.#change(kept, { status: 'connecting', says: [] });
    return isAgreed;
  }

  async #remove(name: string): Promise<void> {
    const kept: Kept = { state: off(name), stop: new AbortController(), answer: null };
    this.#kept.set(name, kept);
    this.#change(kept, { status: 'removing' });
    try {
      await removeThere(name, this.#options.environment);
    } catch (thrown) {
      this.#change(kept, { ...off(name), problem: toErrorInfo(thrown) });
      throw thrown;
    }
  }

  #show({ address }: RemoteState): void {
    if (address !== null) this.#options.openWindow?.(address);
  }

  #change(kept: Kept, change: Partial<RemoteState>): void {
    kept.state = { ...kept.state, ...change };
    if (this.#kept.get(kept.state.name) === kept) this.#options.events.remoteChanged(kept.state.name, kept.state);
  }
}
