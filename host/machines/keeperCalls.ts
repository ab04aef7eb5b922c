/** What a keeper does besides running, as typed calls. */
import { createBirpc } from 'birpc';
import type { CopyscopeError } from '../../core/errors.ts';
import { withError } from '../../core/service/errorEnvelope.ts';
import { type MachineOptions, machineChild } from './machineChild.ts';
import type { KeeperEvents, KeeperFunctions } from './protocol.ts';

export interface KeeperCalls {
  call<Name extends keyof KeeperFunctions>(
    name: Name,
    ...args: Parameters<KeeperFunctions[Name]>
  ): Promise<Awaited<ReturnType<KeeperFunctions[Name]>>>;
  /** Without an answer: what it is about says whether it was heard. */
  tell(name: 'cancel' | 'endProgram', id: string): void;
  /** Whether it can't be called any more: the line has gone for good, or was closed. */
  readonly hasEnded: boolean;
  close(): void;
  /** What is in progress goes on there, and is kept until it is fetched. */
  leave(): void;
}

export function keeperOf(options: MachineOptions, events: Partial<KeeperEvents> = {}): KeeperCalls {
  const child = machineChild({ withEngine: false, ...options });
  const rpc = createBirpc<KeeperFunctions, Partial<KeeperEvents>, false>(events, {
    proxify: false,
    post: (message: unknown) => child.post(message),
    on: (receive) => child.onMessage((message) => void receive(message as never)),
    deserialize: withError,
    timeout: -1,
  });
  let hasEnded = false;
  let why: CopyscopeError | undefined;
  child.onExit(({ reason }) => {
    hasEnded = true;
    why = reason;
    rpc.$close(reason);
  });
  return {
    // What is called after the end learns the same as what was called before it.
    call: (name, ...args) => (why === undefined ? rpc.$call(name, ...args) : Promise.reject(why)),
    get hasEnded() {
      return hasEnded;
    },
    tell: (name, id) => void rpc.$callEvent(name, id),
    close: () => child.kill(),
    leave: () => child.leave?.(),
  };
}
