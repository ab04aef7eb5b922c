/** The engines that Run can use, as the engine picker lists them. */
import type { ErrorInfo } from '../../core/errors.ts';
import { type DeviceProfile, parseProfile } from '../../core/machine/profile/profile.ts';
import type { DeviceReport, EngineStatus } from '../../core/program/engine.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import type { HostService, ProfileSummary, RunSummary } from '../../core/service/service.ts';

/** Device profiles, each read once until the host says that they have changed. */
let reads = new Map<string, Promise<DeviceProfile | null>>();
let known = new Map<string, DeviceProfile>();

type Host = Pick<HostService, 'readProfile'>;

/** Resolves with null if it can't be read, and reads it again next time. `host` may throw if there is no connection. */
export function readProfile(name: string, host: () => Host): Promise<DeviceProfile | null> {
  const pending = reads.get(name) ?? ask(name, host);
  reads.set(name, pending);
  return pending;
}

/** Returns a profile that was read. */
export const knownProfile = (name: string): DeviceProfile | undefined => known.get(name);

/** Forgets all profiles, since they may have changed. Pending reads return the old ones. */
export function forgetProfiles(): void {
  [reads, known] = [new Map(), new Map()];
}

async function ask(name: string, host: () => Host): Promise<DeviceProfile | null> {
  const [asked, answered] = [reads, known];
  try {
    const profile = parseProfile(await host().readProfile(name));
    answered.set(name, profile);
    return profile;
  } catch {
    asked.delete(name);
    return null;
  }
}

export interface EngineOption {
  /** 'cuda', 'cpu', 'sim:PROFILE' or 'recorded:RUN'. */
  readonly key: string;
  readonly label: string;
  /** Meaning of the engine's figures. */
  readonly detail: string;
  readonly problem?: ErrorInfo;
}

export type EngineKey =
  | { readonly kind: 'cuda' | 'cpu' }
  | { readonly kind: 'sim'; readonly profile: string }
  | { readonly kind: 'recorded'; readonly run: string };

export function parseEngineKey(key: string): EngineKey {
  const [kind, rest] = [key.split(':', 1)[0], key.slice(key.indexOf(':') + 1)];
  if (kind === 'sim') return { kind, profile: rest };
  if (kind === 'recorded') return { kind, run: rest };
  return { kind: kind === 'cuda' ? 'cuda' : 'cpu' };
}

export function engineOptions(
  devices: DeviceReport | null,
  profiles: readonly ProfileSummary[],
  recorded: readonly RunSummary[],
): EngineOption[] {
  return [
    gpuOption(devices),
    ...profiles.map((profile) => ({
      key: `sim:${profile.name}`,
      label: `Simulated: ${profile.device}${profile.own && profile.host === undefined ? ` (${profile.name})` : ''}`,
      detail: profileDetails(profile),
      ...problemOf(devices, 'sim'),
    })),
    {
      key: 'cpu',
      label: 'CPU engine',
      detail: 'Runs in host memory: real threads, no GPU.',
      ...problemOf(devices, 'cpu'),
    },
    ...recorded.map((run) => ({
      key: `recorded:${run.id}`,
      label: `Recorded: ${run.device}`,
      detail: `Measured on ${run.createdAt.slice(0, 10)}, shipped with Copyscope.`,
    })),
  ];
}

function profileDetails({ name, basis, own, host }: ProfileSummary): string {
  if (basis === 'published') return 'Predicted from a profile built from published figures, not measured.';
  if (host !== undefined) return `Predicted from the profile ${name}, which was calibrated on ${host}.`;
  return own
    ? 'Predicted from a profile that was calibrated here.'
    : 'Predicted from a profile that other machines measured. Yours may differ: copyscope calibrate measures it.';
}

function gpuOption(devices: DeviceReport | null): EngineOption {
  const device = devices?.devices[0];
  const label = device === undefined ? 'This GPU' : `This GPU: ${device.name}`;
  return { key: 'cuda', label, detail: 'Measured with device timestamps.', ...problemOf(devices, 'cuda') };
}

function problemOf(devices: DeviceReport | null, kind: EngineKind): { problem?: ErrorInfo } {
  if (devices === null) return { problem: { code: 'engine.unknown', message: 'Looking for it…' } };
  const status = devices.engines.find((engine: EngineStatus) => engine.kind === kind);
  if (status?.available === true) return {};
  return {
    problem: status?.problem ?? { code: 'engine.unavailable', message: 'Not available on this machine.' },
  };
}

/** Returns the picked engine if it can run; else the GPU, else a simulator, else any that can run. */
export function effectiveEngine(options: readonly EngineOption[], picked: string | null): string | null {
  const usable = options.filter((option) => option.problem === undefined);
  const wanted = usable.find((option) => option.key === picked) ?? usable.find((option) => option.key === 'cuda');
  return (wanted ?? usable.find((option) => option.key.startsWith('sim:')) ?? usable[0])?.key ?? null;
}
