/** Describes the devices that a sweep's points ran on: Slurm jobs may run on different nodes. */

interface Ran {
  readonly device: string;
  readonly host?: string;
}

/** Limit of devices named in a line; more are counted. */
const mostNamed = 3;

/** Returns 'NVIDIA H200 of node01 and NVIDIA A100 of node02', or 'NVIDIA H200 of 12 nodes'. Empty if none is known. */
export function devicesText(runs: readonly Ran[]): string {
  const known = runs.filter(({ device }) => device !== '');
  const devices = [...new Set(known.map(({ device }) => device))];
  return listed(devices.length > mostNamed ? kinds(known) : devices);
}

/** Joins devices of one kind: 'NVIDIA H200 of 12 nodes'. */
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
