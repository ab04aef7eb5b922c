/** Clusters' login nodes, other machines and this one: what Slurm is told, what it does, and calibrations that it makes. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import type { ClusterCalibration, ClusterState, WorkSummary } from '../../core/service/machines.ts';
import type { StartCalibration, WindowEvents } from '../../core/service/service.ts';
import { noSettings, requireSettings, type SlurmSettings } from '../../core/slurm/settings.ts';
import { keepProfile } from '../calibrate/keepProfile.ts';
import { type Cluster, localCluster, remoteCluster } from '../slurm/cluster.ts';
import { runOne } from '../slurm/clusterOne.ts';
import { readCalibrated } from '../slurm/oneResult.ts';
import { calibrationWork } from '../slurm/oneWork.ts';
import { SlurmSettingsStore } from '../slurm/settingsStore.ts';
import type { CalibrationWork } from '../slurm/work.ts';
import type { Assets } from './assets.ts';
import type { Machines } from './machines.ts';
import { serial } from './serial.ts';

export interface ClustersOptions {
  readonly dataFolder: string;
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly assets: Assets;
  readonly machines: Machines;
  readonly events: Pick<WindowEvents, 'ownClusterChanged'>;
}

/** Of another machine, by its name; null is this one. */
type Host = string | null;

/** Slurm of a machine, and what it is told with every job. */
export interface OpenCluster {
  readonly cluster: Cluster;
  readonly settings: SlurmSettings;
}

interface Calibrating {
  readonly state: ClusterCalibration;
  readonly stop: AbortController;
  /** Nobody here waits for it any more: its job goes on. */
  readonly left: AbortController;
}

const nothingSaid: ClusterCalibration = { isUnderWay: true, jobs: null, said: '', profile: null, error: null };

export class Clusters {
  readonly #options: ClustersOptions;
  readonly #settings: SlurmSettingsStore;
  readonly #calibrations = new Map<Host, Calibrating>();
  /** What is told last is how it is, also where reading for what was told before took longer. */
  readonly #inTurn = serial();

  constructor(options: ClustersOptions) {
    this.#options = options;
    this.#settings = new SlurmSettingsStore(options.dataFolder);
  }

  /** See HostService.ownCluster(). */
  async own(): Promise<ClusterState | null> {
    if (!isThere('sbatch', this.#options.environment)) return null;
    const slurm = await this.#settings.get(null).catch(() => noSettings);
    // As it is by now: reading took a while.
    return { slurm, calibration: this.#calibrations.get(null)?.state ?? null };
  }

  /** Rejects with `host.*` or `slurm.list`. */
  async open(host: Host, signal: AbortSignal): Promise<OpenCluster> {
    const { program, dataFolder, environment, machines } = this.#options;
    const settings = await this.#settings.get(host);
    if (host === null) return { cluster: localCluster(program, dataFolder, environment), settings };
    return { cluster: remoteCluster({ ...(await machines.options(host)), signal }), settings };
  }

  /** See HostService.setSlurm(). Rejects with `slurm.list`, too, where the table of all can't be read. */
  async set(host: Host, settings: unknown): Promise<void> {
    const slurm = settings === null ? null : requireSettings(settings);
    if (host !== null) await this.#options.machines.tell(host, {});
    await (slurm === null ? this.#settings.remove(host) : this.#settings.put(host, slurm));
    await this.#tell(host, { slurm });
  }

  works = (host: Host): Promise<readonly WorkSummary[]> => this.#ask(host, (cluster) => cluster.slurmList());

  cancel = (host: Host, work: string): Promise<void> => this.#ask(host, (cluster) => cluster.slurmCancel(work));

  /** See HostService.startCalibration(). */
  async calibrate(host: Host, how: StartCalibration): Promise<void> {
    if (this.#calibrations.get(host)?.state.isUnderWay) throw busy();
    const begun = { state: nothingSaid, stop: new AbortController(), left: new AbortController() };
    const before = this.#calibrations.get(host);
    this.#calibrations.set(host, begun);
    try {
      const work = await calibrationWork(this.#options.assets, host, how);
      const opened = await this.open(host, begun.left.signal);
      await this.#tellCalibration(host, {});
      void this.#calibrate(host, work, opened, begun);
    } catch (thrown) {
      if (before === undefined) this.#calibrations.delete(host);
      else this.#calibrations.set(host, before);
      throw thrown;
    }
  }

  cancelCalibration(host: Host): void {
    this.#calibrations.get(host)?.stop.abort();
  }

  /** Jobs go on; what they leave is brought by whoever asks for the same again. */
  close(): void {
    for (const { left } of this.#calibrations.values()) left.abort();
  }

  async #calibrate(
    host: Host,
    work: CalibrationWork,
    { cluster, settings }: OpenCluster,
    { stop, left }: Calibrating,
  ): Promise<void> {
    const { assets, dataFolder } = this.#options;
    const of = { engine: work.engine, host: host ?? undefined };
    const tell = (change: Partial<ClusterCalibration>): void => void this.#tellCalibration(host, change);
    let profile: string | null = null;
    try {
      await runOne({
        ...{ cluster, work, settings, stop: stop.signal, signal: left.signal, read: readCalibrated },
        keep: async (found) => {
          profile = (await keepProfile({ assets, dataFolder }, of, found)).profile.name;
        },
        onSubmit: () => {},
        onJobs: (jobs) => tell({ jobs }),
        onPrinted: (text) => tell({ said: lastLine(text) }),
      });
      tell({ isUnderWay: false, profile });
    } catch (thrown) {
      if (!left.signal.aborted) tell({ isUnderWay: false, error: toErrorInfo(thrown) });
    } finally {
      cluster.close();
    }
  }

  async #tellCalibration(host: Host, change: Partial<ClusterCalibration>): Promise<void> {
    const known = this.#calibrations.get(host);
    if (known === undefined) return;
    const calibration = { ...known.state, ...change };
    this.#calibrations.set(host, { ...known, state: calibration });
    // Its machine may have been removed meanwhile.
    await this.#tell(host, { calibration }).catch(() => {});
  }

  #tell(host: Host, change: Partial<ClusterState>): Promise<void> {
    const { machines, events } = this.#options;
    return this.#inTurn(async () => {
      if (host !== null) return machines.tell(host, change);
      const own = await this.own();
      if (own !== null) events.ownClusterChanged(own);
    });
  }

  async #ask<Answer>(host: Host, ask: (cluster: Cluster) => Promise<Answer>): Promise<Answer> {
    const { cluster } = await this.open(host, new AbortController().signal);
    return ask(cluster).finally(() => cluster.close());
  }
}

/** On PATH: a login shell, which could know of more, takes long to ask. */
function isThere(program: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  return PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)?.slice(0, 300) ?? '';

const busy = (): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.busy',
    message: 'A calibration of that cluster is in progress.',
    remedy: 'Wait until it has ended, or cancel it.',
  });
