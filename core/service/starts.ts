/** Calls that start programs. Each window is refused them until a person has confirmed in it, once for each kind. */
import { CopyscopeError } from '../errors.ts';
import { oneLine, shellWord } from '../media.ts';
import type { HostFunction } from './requests.ts';
import type { HostService } from './service.ts';

/** recording: a program of the user's. ssh: a line to another machine. slurm: a command of the scheduler. */
export const startKinds = ['recording', 'ssh', 'slurm'] as const;
export type StartKind = (typeof startKinds)[number];

/** The code of the refusal. Its field is the kind, and its message names the command. */
export const unconfirmed = 'start.unconfirmed';

interface Start {
  readonly kind: StartKind;
  readonly command: readonly string[];
}

type StartOf<Name extends HostFunction> = (
  args: Parameters<HostService[Name]>,
  service: HostService,
) => Start | null | Promise<Start | null>;

const onMachine = (machine: string | null | undefined): Start | null =>
  machine == null ? null : { kind: 'ssh', command: ['ssh', machine] };

const onCluster = (machine: string | null | undefined, program: string): Start => ({
  kind: 'slurm',
  command: [...(onMachine(machine)?.command ?? []), program],
});

/** Calls that are not listed start nothing of the user's, or only end what was started. */
const starts: { readonly [Name in HostFunction]?: StartOf<Name> } = {
  startRecording: ([{ command, machine, slurm }]) => {
    const place = slurm === true ? onCluster(machine, 'sbatch') : onMachine(machine);
    return { kind: 'recording', command: [...(place?.command ?? []), ...command] };
  },
  connectMachine: ([name]) => onMachine(name),
  planMachine: ([name]) => onMachine(name),
  addMachine: () => ({ kind: 'ssh', command: ['ssh'] }),
  fetchMachine: ([name]) => onMachine(name),
  removeMachine: ([name, { forget }]) => (forget ? null : onMachine(name)),
  beginImportThere: ([name]) => onMachine(name),
  startRun: ([{ machine }]) => onMachine(machine),
  startSweep: ([{ machine, slurm }]) => (slurm === undefined ? onMachine(machine) : onCluster(machine, 'sbatch')),
  continueSweep: async ([id], service) => {
    const { host, slurm } = (await service.readSweep(id)).summary;
    return slurm === undefined ? onMachine(host) : onCluster(host, 'sbatch');
  },
  slurmWorks: ([name]) => onCluster(name, 'squeue'),
  startCalibration: ([name]) => onCluster(name, 'sbatch'),
};

/** Kinds of program that a person has allowed in one window. */
export class AllowedStarts {
  readonly #kinds = new Set<StartKind>();

  allow(kind: StartKind): void {
    this.#kinds.add(kind);
  }

  /** Rejects with `start.unconfirmed`, or as the service's readSweep() does. */
  async require<Name extends HostFunction>(
    name: Name,
    args: Parameters<HostService[Name]>,
    service: HostService,
  ): Promise<void> {
    const startOf = starts[name] as StartOf<Name> | undefined;
    const start = (await startOf?.(args, service)) ?? null;
    if (start === null || this.#kinds.has(start.kind)) return;
    throw new CopyscopeError({
      code: unconfirmed,
      field: start.kind,
      message: `This starts a program: ${oneLine(start.command.map(shellWord).join(' ')).slice(0, 4000)}`,
      remedy: 'Confirm it in the window.',
    });
  }
}
