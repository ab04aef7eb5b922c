/** The devices that a sweep's points ran on, in words: jobs of Slurm may run on nodes that differ. */

interface Ran {
  readonly device: string;
  readonly host?: string;
}

/** More than fit in a line are counted. */
const mostNamed = 3;

/** As 'NVIDIA H200 of node01 and NVIDIA A100 of node02', or 'NVIDIA H200 of 12 nodes'. Empty where none is known. */
export function devicesText(runs: readonly Ran[]): string {
  const known = runs.filter(({ device }) => device !== '');
  const devices = [...new Set(known.map(({ device }) => device))];
  return listed(devices.length > mostNamed ? kinds(known) : devices);
}

/** Devices of one kind as one: 'NVIDIA H200 of 12 nodes'. */
function kinds(runs: readonly Ran[]): string[] {
  const found = new Map<string, Set<string>>();
  for (const run of runs) {
    const kind = kindOf(run);
    found.set(kind, (found.get(kind) ?? new Set()).add(run.device));
  }
  return [...found].map(([kind, devices]) =>
    devices.size > 1 ? `${kind} of ${devices.size} nodes` : [...devices].join(),
  );
}

const kindOf = ({ device, host }: Ran): string =>
  device.endsWith(` of ${host}`) ? device.slice(0, -` of ${host}`.length) : device;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, names.length > mostNamed ? mostNamed - 1 : -1);
  const last = names.length > mostNamed ? `${names.length - shown.length} more` : (names.at(-1) ?? '');
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}
