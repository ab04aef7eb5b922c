/** Remote hosts: their states from the host, and the window's requests. */
import { create } from 'zustand';
import type { RemoteEnding, RemoteState } from '../../core/service/remotes.ts';
import { attempt, host } from './host.ts';
import { announce } from './notify.ts';
import { state } from './store.ts';

export const useRemotes = create<{ readonly hosts: readonly RemoteState[] }>()(() => ({ hosts: [] }));

/** Hosts that this window asked for, and enters once they are open. */
const wanted = new Set<string>();

export const listRemotes = (): Promise<void> =>
  attempt('The remote hosts could not be listed', async () => useRemotes.setState({ hosts: await host().remotes() }));

export const connectRemote = (name: string): Promise<void> =>
  attempt(`${name} could not be reached`, async () => {
    wanted.add(name);
    await host().connectRemote(name);
    const open = useRemotes.getState().hosts.find((one) => one.name === name && one.status === 'open');
    if (open !== undefined) enter(open);
  });

export const answerRemote = (name: string, isAgreed: boolean): Promise<void> =>
  attempt(`${name} could not be answered`, () => host().answerRemote(name, isAgreed));

export const endRemote = (name: string, ending: RemoteEnding): Promise<void> =>
  attempt(`The connection to ${name} could not be ended`, () => host().endRemote(name, ending));

export function onRemoteChanged(name: string, changed: RemoteState | null): void {
  const { hosts } = useRemotes.getState();
  const before = hosts.find((one) => one.name === name);
  const others = hosts.filter((one) => one !== before);
  useRemotes.setState({ hosts: changed === null ? others : [changed, ...others] });
  if (changed === null) return;
  if (changed.problem !== null && before?.problem == null) announce(changed.problem.message);
  if (changed.status === 'asks' && before?.status !== 'asks') announce(`${name} needs your answer`);
  if (changed.status === 'open' && before?.status !== 'open') enter(changed);
}

/** Enters the host's window. The desktop app opens a new one. */
function enter({ name, address }: RemoteState): void {
  if (!wanted.delete(name) || address === null || state().about?.shell !== 'browser') return;
  location.assign(address);
}
