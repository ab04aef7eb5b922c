/** Facts about a remote host, collected by a POSIX shell there without any part of Copyscope. */
import { CopyscopeError } from '../../core/errors.ts';

export interface Probe {
  /** System and processor as uname prints them. */
  readonly system: string;
  readonly arch: string;
  /** Names from nvidia-smi. */
  readonly gpus: readonly string[];
  /** Path of a Node that is new enough. */
  readonly node: string | null;
  /** Builds of Copyscope in the cache. */
  readonly builds: readonly string[];
  /** Build of the host that runs there. */
  readonly running: string | null;
}

/** Sets `c` to the folder of all Copyscope files there, and `s` to the state file of its host. */
export const placesThere = `
c="\${XDG_CACHE_HOME:-$HOME/.cache}/copyscope"
s="$c/host-$(uname -n).json"
p=$(sed -n 's/.*"pid":\\([0-9]*\\).*/\\1/p' "$s" 2>/dev/null)
runs() { test -n "$p" && tr '\\0' ' ' < "/proc/$p/cmdline" 2>/dev/null | grep -qF "$c/"; }
`;

/** Prints a line for each fact, after a mark that no login script prints. */
export const probeScript = `${placesThere}
echo "copyscope system $(uname -s)"
echo "copyscope arch $(uname -m)"
if command -v nvidia-smi >/dev/null 2>&1; then
  nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null </dev/null | while read -r gpu; do echo "copyscope gpu $gpu"; done
fi
for node in "$(command -v node)" /usr/local/bin/node "$HOME"/.nvm/versions/node/*/bin/node "$HOME"/.local/bin/node "$HOME"/.volta/bin/node; do
  if test -x "$node"; then echo "copyscope node $("$node" --version 2>/dev/null </dev/null) $node"; fi
done
for build in "$c"/*; do
  if test -r "$build/start"; then echo "copyscope build $(basename "$build")"; fi
done
if runs; then echo "copyscope running $(sed -n 's/.*"build":"\\([^"]*\\)".*/\\1/p' "$s")"; fi
echo "copyscope probed"
`;

/** Throws `host.unlike` if the output is not that of a POSIX system. */
export function readProbe(host: string, printed: string): Probe {
  const values = (name: string): string[] =>
    [...printed.matchAll(new RegExp(`^copyscope ${name}(?: (.*))?$`, 'gm'))].map(([, value]) => value ?? '');
  const [[system = ''], [arch = '']] = [values('system'), values('arch')];
  if (system === '') {
    throw new CopyscopeError({
      code: 'host.unlike',
      message: `${host} did not answer as a Linux system does.`,
      remedy: `See what this prints: ssh ${host} uname -s`,
    });
  }
  return {
    ...{ system, arch, gpus: values('gpu'), builds: values('build') },
    node: values('node').flatMap(usableNode)[0] ?? null,
    running: values('running')[0] || null,
  };
}

/** Reads `v20.19.1 /usr/bin/node`. The path is quoted in a shell, so a path with shell characters is left out. */
function usableNode(line: string): string[] {
  const [, major, minor, path = ''] = /^v(\d+)\.(\d+)\.\d+ (\/[^"$`\\]+)$/.exec(line) ?? [];
  return Number(major) > 20 || (Number(major) === 20 && Number(minor) >= 19) ? [path] : [];
}
