/** What the window asks of the host about other machines. */
import { create } from 'zustand';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { MachinePlan, MachineState } from '../../core/service/machines.ts';
import { announce } from '../store/announce.ts';
import { attempt, host } from '../store/host.ts';

/** A machine that is to be set up: what that would do is said first. */
interface Setup {
  /** It is looked at, or begun with. */
  readonly asking: boolean;
  readonly plan: MachinePlan | null;
  /** Why it can't be set up, and of which machine that was said. */
  readonly error: ErrorInfo | null;
  readonly name: string;
}

const nothing: Setup = { asking: false, plan: null, error: null, name: '' };

export const useSetup = create<Setup>()(() => nothing);

export const dropSetup = (): void => useSetup.setState(nothing);

/** Looks at it and shows what would be done. */
export async function planMachine(name: string, replace = false): Promise<void> {
  useSetup.setState({ asking: true, plan: null, error: null, name });
  try {
    const plan = await host().planMachine(name, replace);
    // Somebody may have asked for another one meanwhile.
    if (useSetup.getState().name !== name) return;
    useSetup.setState({ asking: false, plan });
    announce(`What setting up ${name} does`);
  } catch (thrown) {
    if (useSetup.getState().name === name) useSetup.setState({ asking: false, error: toErrorInfo(thrown) });
  }
}

/** Does what is shown. Its card says how far it is. */
export async function addPlanned({ ticket, name }: MachinePlan): Promise<void> {
  useSetup.setState({ asking: true });
  try {
    await host().addMachine(ticket);
    dropSetup();
    announce(`Setting up ${name}`);
  } catch (thrown) {
    useSetup.setState({ asking: false, plan: null, error: toErrorInfo(thrown) });
  }
}

export const fetchResults = (name: string): Promise<void> =>
  attempt(`Nothing could be fetched from ${name}`, () => host().fetchMachine(name));

/** The machine that is to be removed, and why it was not. */
export const useRemoval = create<{
  readonly machine: MachineState | null;
  readonly error: ErrorInfo | null;
  readonly asking: boolean;
}>()(() => ({ machine: null, error: null, asking: false }));

export const askRemoval = (machine: MachineState): void => useRemoval.setState({ machine, error: null, asking: false });

export const closeRemoval = (): void => useRemoval.setState({ machine: null });

export async function removeMachine(name: string, how: { discard: boolean; forget: boolean }): Promise<void> {
  useRemoval.setState({ asking: true, error: null });
  try {
    await host().removeMachine(name, how);
    announce(how.forget ? `${name} is forgotten` : `${name} is removed`);
    closeRemoval();
  } catch (thrown) {
    useRemoval.setState({ error: toErrorInfo(thrown) });
  } finally {
    useRemoval.setState({ asking: false });
  }
}
