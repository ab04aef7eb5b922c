/** The keeper of another machine, asked directly: for what no engine process answers. */
import { type BirpcReturn, createBirpc } from 'birpc';
import { withError } from '../../core/service/errorEnvelope.ts';
import type { EngineChild } from '../engine/child.ts';
import { type MachineOptions, machineChild } from './machineChild.ts';
import type { KeeperEvents, KeeperFunctions } from './protocol.ts';

export interface KeeperClient {
  readonly rpc: BirpcReturn<KeeperFunctions, Partial<KeeperEvents>, false>;
  readonly child: EngineChild;
}

/** Whoever makes it ends it, by its child. */
export function keeperClient(options: MachineOptions, events: Partial<KeeperEvents> = {}): KeeperClient {
  const child = machineChild(options);
  const rpc = createBirpc<KeeperFunctions, Partial<KeeperEvents>, false>(events, {
    proxify: false,
    post: (message: unknown) => child.post(message),
    on: (receive) => child.onMessage((message) => void receive(message as never)),
    deserialize: withError,
    timeout: -1,
  });
  child.onExit(({ reason }) => rpc.$close(reason));
  return { rpc, child };
}
