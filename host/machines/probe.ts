/** What another machine is, found without anything of ours there. */
import { Readable } from 'node:stream';
import { CopyscopeError } from '../../core/errors.ts';
import { runSsh } from './ssh.ts';

export interface Probe {
  /** As uname says them. */
  readonly system: string;
  readonly arch: string;
  /** Version of NVIDIA's driver, and the GPUs as nvidia-smi names them. */
  readonly driver: string | null;
  readonly gpus: readonly string[];
  /** A Node that is new enough. */
  readonly node: { readonly path: string; readonly version: string } | null;
  /** What is free where the user's home is. */
  readonly freeBytes: number | null;
  /** Builds of Copyscope that are there. */
  readonly builds: readonly string[];
  /** Runs and sweeps in progress, and results that nobody has fetched. */
  readonly jobs: number;
}

const leastNode = [20, 19] as const;

/** Prints a line for each thing found, after a mark that no login script prints. Needs a POSIX shell and nothing else. */
const script = `
base="$HOME/.local/share/copyscope-host"
echo "copyscope-probe system $(uname -s)"
echo "copyscope-probe arch $(uname -m)"
if test -r /proc/driver/nvidia/version; then
  echo "copyscope-probe driver $(sed -n 's/.*Kernel Module[^0-9]*\\([0-9.]*\\).*/\\1/p' /proc/driver/nvidia/version | head -n 1)"
fi
if command -v nvidia-smi >/dev/null 2>&1; then
  nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | while read -r gpu; do echo "copyscope-probe gpu $gpu"; done
fi
for node in "$(command -v node)" /usr/local/bin/node "$HOME"/.nvm/versions/node/*/bin/node "$HOME"/.local/bin/node "$HOME"/.volta/bin/node; do
  if test -x "$node"; then echo "copyscope-probe node $("$node" --version 2>/dev/null) $node"; fi
done
echo "copyscope-probe free $(df -Pk "$HOME" | awk 'NR == 2 { print $4 }')"
for build in "$base"/programs/*; do
  if test -r "$build/start"; then echo "copyscope-probe build $(basename "$build")"; fi
done
for job in "$base"/jobs/* "$base"/slurm/*; do
  if test -d "$job"; then echo "copyscope-probe job"; fi
done
`;

/** Rejects as runSsh() does, and with `host.unlike` for what is no POSIX system. */
export async function probe(host: string, environment: NodeJS.ProcessEnv): Promise<Probe> {
  return readProbe(host, await runSsh(host, 'exec sh -s', environment, Readable.from([script])));
}

export function readProbe(host: string, printed: string): Probe {
  const values = (name: string): string[] =>
    [...printed.matchAll(new RegExp(`^copyscope-probe ${name}(?: (.*))?$`, 'gm'))].map(([, value]) => value ?? '');
  const [system = ''] = values('system');
  if (system === '') {
    throw new CopyscopeError({
      code: 'host.unlike',
      message: `${host} did not answer as a Linux system does.`,
      remedy: `Look at what a command prints there: ssh ${host} uname -s`,
    });
  }
  const kilobytes = Number(values('free')[0] || Number.NaN);
  return {
    system,
    arch: values('arch')[0] ?? '',
    driver: values('driver')[0] || null,
    gpus: values('gpu'),
    node: values('node').flatMap(usableNode)[0] ?? null,
    freeBytes: Number.isFinite(kilobytes) ? kilobytes * 1024 : null,
    builds: values('build'),
    jobs: values('job').length,
  };
}

/** `v20.19.1 /usr/bin/node`, where it is new enough. Its path goes into a shell's quotes. */
function usableNode(line: string): { path: string; version: string }[] {
  const match = /^v(\d+)\.(\d+)\.\d+ (\/[^"$`\\]+)$/.exec(line);
  if (match === null) return [];
  const [, major, minor, path = ''] = match;
  const isNew = Number(major) > leastNode[0] || (Number(major) === leastNode[0] && Number(minor) >= leastNode[1]);
  return isNew ? [{ path, version: `${major}.${minor}` }] : [];
}
