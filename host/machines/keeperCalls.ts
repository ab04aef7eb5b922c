/** What a keeper does besides running, as typed calls. */
import { createBirpc } from 'birpc';
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
  child.onExit(({ reason }) => {
    hasEnded = true;
    rpc.$close(reason);
  });
  return {
    call: (name, ...args) => rpc.$call(name, ...args),
    get hasEnded() {
      return hasEnded;
    },
    tell: (name, id) => void rpc.$callEvent(name, id),
    close: () => child.kill(),
    leave: () => child.leave?.(),
  };
}
