/** Calls that start programs. A window may make them only after a person has confirmed each kind in it once. */
import { CopyscopeError } from '../errors.ts';
import { oneLine, shellWord } from '../media.ts';
import type { HostFunction } from './requests.ts';
import type { HostService } from './service.ts';

/** recording: a program of the user's. ssh: a connection to a remote host. slurm: sbatch. */
export const startKinds = ['recording', 'ssh', 'slurm'] as const;
export type StartKind = (typeof startKinds)[number];

/** Error code of the refusal. Its field is the kind, and its message ends with the command. */
export const unconfirmed = 'start.unconfirmed';
export const unconfirmedWords = 'This starts a program: ';

interface Start {
  readonly kind: StartKind;
  readonly command: readonly string[];
}

type StartOf<Name extends HostFunction> = (
  args: Parameters<HostService[Name]>,
  service: HostService,
) => Start | null | Promise<Start | null>;

const ssh = (name: string): Start => ({ kind: 'ssh', command: ['ssh', name] });
const sbatch: Start = { kind: 'slurm', command: ['sbatch'] };

/** Calls that aren't listed start no program, or only end one. */
const starts: { readonly [Name in HostFunction]?: StartOf<Name> } = {
  startRecording: ([{ command }]) => ({ kind: 'recording', command }),
  connectRemote: ([name]) => ssh(name),
  endRemote: ([name, ending]) => (ending === 'remove' ? ssh(name) : null),
  startSweep: ([{ slurm }]) => (slurm === undefined ? null : sbatch),
  continueSweep: async ([id], service) => ((await service.readSweep(id)).summary.slurm === undefined ? null : sbatch),
};

/** Kinds of program that a person has allowed in one window. */
export class AllowedStarts {
  readonly #kinds = new Set<StartKind>();

  allow(kind: StartKind): void {
    this.#kinds.add(kind);
  }

  /** Rejects with `start.unconfirmed`, or like the service's readSweep(). */
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
      message: `${unconfirmedWords}${oneLine(start.command.map(shellWord).join(' ')).slice(0, 4000)}`,
      remedy: 'Confirm it in the window.',
    });
  }
}
