/** What the window asks of the host about clusters: those of other machines by their names, this one's own as null. */
import { create } from 'zustand';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { WorkSummary } from '../../core/service/machines.ts';
import type { SlurmSettings } from '../../core/slurm/settings.ts';
import { announce } from '../store/announce.ts';
import { attempt, host } from '../store/host.ts';
import { clusterLabel } from '../store/machines.ts';

/** What Slurm of a machine said when it was last asked. */
interface Asked {
  readonly asking: boolean;
  /** Null where it was not asked, or has not answered. */
  readonly works: readonly WorkSummary[] | null;
  /** Why it has not, in its words. */
  readonly error: ErrorInfo | null;
}

const notAsked: Asked = { asking: false, works: null, error: null };

type AllAsked = ReadonlyMap<string | null, Asked>;

export const useClusters = create<{ readonly asked: AllAsked }>()(() => ({ asked: new Map() }));

export const askedOf = (asked: AllAsked, name: string | null): Asked => asked.get(name) ?? notAsked;

const setAsked = (name: string | null, one: Asked): void =>
  useClusters.setState(({ asked }) => ({ asked: new Map([...asked, [name, one]]) }));

export async function askSlurm(name: string | null): Promise<void> {
  setAsked(name, { ...askedOf(useClusters.getState().asked, name), asking: true });
  try {
    const works = await host().slurmWorks(name);
    setAsked(name, { asking: false, works, error: null });
    announce(`Slurm of ${clusterLabel(name)} answered`);
  } catch (thrown) {
    setAsked(name, { asking: false, works: null, error: toErrorInfo(thrown) });
  }
}

/** Keeps the settings, and asks Slurm whether it is there. Resolves with whether they are kept. */
export async function keepSettings(name: string | null, settings: SlurmSettings | null): Promise<boolean> {
  let isKept = false;
  await attempt('The settings could not be kept', async () => {
    await host().setSlurm(name, settings);
    isKept = true;
  });
  if (isKept && settings === null) setAsked(name, notAsked);
  else if (isKept) void askSlurm(name);
  return isKept;
}

export const cancelWork = (name: string | null, work: WorkSummary): Promise<void> =>
  attempt(`The jobs of ${work.name} could not be cancelled`, async () => {
    await host().cancelSlurm(name, work.id);
    await askSlurm(name);
  });

export const startCalibration = (name: string | null): Promise<void> =>
  attempt('The calibration could not be submitted', async () => {
    await host().startCalibration(name, { engine: 'cuda', quick: false });
    announce(`A calibration of ${clusterLabel(name)} is submitted`);
  });

export const cancelCalibration = (name: string | null): Promise<void> =>
  attempt('The calibration could not be cancelled', () => host().cancelCalibration(name));
