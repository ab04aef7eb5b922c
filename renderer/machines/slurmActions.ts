/** What the window asks of the host about the clusters of other machines. */
import { create } from 'zustand';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { WorkSummary } from '../../core/service/machines.ts';
import type { SlurmSettings } from '../../core/slurm/settings.ts';
import { announce } from '../store/announce.ts';
import { attempt, host } from '../store/host.ts';

/** What Slurm of a machine said when it was last asked. */
interface Asked {
  readonly asking: boolean;
  /** Null where it was not asked, or has not answered. */
  readonly works: readonly WorkSummary[] | null;
  /** Why it has not, in its words. */
  readonly error: ErrorInfo | null;
}

const notAsked: Asked = { asking: false, works: null, error: null };

export const useClusters = create<{ readonly asked: Readonly<Record<string, Asked>> }>()(() => ({ asked: {} }));

export const askedOf = (asked: Readonly<Record<string, Asked>>, name: string): Asked => asked[name] ?? notAsked;

const setAsked = (name: string, one: Asked): void =>
  useClusters.setState(({ asked }) => ({ asked: { ...asked, [name]: one } }));

export async function askSlurm(name: string): Promise<void> {
  setAsked(name, { ...askedOf(useClusters.getState().asked, name), asking: true });
  try {
    const works = await host().slurmWorks(name);
    setAsked(name, { asking: false, works, error: null });
    announce(`Slurm of ${name} answered`);
  } catch (thrown) {
    setAsked(name, { asking: false, works: null, error: toErrorInfo(thrown) });
  }
}

/** Keeps the settings, and asks Slurm whether it is there. Resolves with whether they are kept. */
export async function keepSettings(name: string, settings: SlurmSettings | null): Promise<boolean> {
  let isKept = false;
  await attempt('The settings could not be kept', async () => {
    await host().setSlurm(name, settings);
    isKept = true;
  });
  if (isKept && settings === null) setAsked(name, notAsked);
  else if (isKept) void askSlurm(name);
  return isKept;
}

export const cancelWork = (name: string, work: WorkSummary): Promise<void> =>
  attempt(`The jobs of ${work.name} could not be cancelled`, async () => {
    await host().cancelSlurm(name, work.id);
    await askSlurm(name);
  });
