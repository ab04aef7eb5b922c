/**
 * A stand-in for ssh and a machine behind it: runs each command here, in a home of its own. Its options are checked only
 * as far as that they come before the machine's name.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface StandIn {
  /** The home of the user there, and this user's data folder. */
  readonly home: string;
  readonly data: string;
  readonly environment: NodeJS.ProcessEnv;
  /** From now on it ends with these words, as where there is no way to the machine; null takes that back. */
  fail(words: string | null): void;
  /** From now on it waits, before there is a line; or it waits no more. */
  hold(holds: boolean): void;
  /** Ends each ssh that runs, as a line that drops does. */
  cut(): void;
  /** Ends the processes there that keep what runs, as by somebody else's hand. */
  killKeepers(): void;
  /** Those of them that are connected from here. */
  attached(): string[];
  /** Command lines of the processes of ours that run for that home. */
  processes(): string[];
  remove(): void;
}

/** `path`: folders of programs there, instead of this machine's. */
export function standInSsh({ path = process.env['PATH'] ?? '' }: { readonly path?: string } = {}): StandIn {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-ssh-'));
  const [home, data, program] = [join(folder, 'home'), join(folder, 'data'), join(folder, 'ssh')];
  const [failure, held, pids] = [join(folder, 'failure'), join(folder, 'held'), join(folder, 'pids')];
  mkdirSync(home);
  mkdirSync(pids);
  writeFileSync(program, script({ home, failure, held, pids, path }));
  chmodSync(program, 0o755);
  return {
    home,
    data,
    environment: { ...process.env, COPYSCOPE_SSH: program, COPYSCOPE_DATA: data, NODE_OPTIONS: '' },
    fail: (words) => (words === null ? rmSync(failure, { force: true }) : writeFileSync(failure, words)),
    hold: (holds) => (holds ? writeFileSync(held, '') : rmSync(held, { force: true })),
    cut: () => {
      for (const pid of readdirSync(pids)) {
        rmSync(join(pids, pid), { force: true });
        kill(Number(pid));
      }
    },
    killKeepers: () => killKeepersOf(home),
    attached: () => processesOf(home).flatMap(({ command }) => (command.includes(' attach ') ? command : [])),
    processes: () => processesOf(home).map(({ command }) => command),
    remove: () => {
      for (const { pid } of processesOf(home)) kill(pid);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const script = (place: {
  home: string;
  failure: string;
  held: string;
  pids: string;
  path: string;
}): string => `#!/bin/sh
while [ $# -gt 2 ]; do
  case "$1" in -o) shift 2 ;; -*) shift ;; *) break ;; esac
done
if [ $# -ne 2 ]; then echo "stand-in for ssh: $# words where a name and a command should be" >&2; exit 255; fi
if [ -e '${place.failure}' ]; then cat '${place.failure}' >&2; exit 255; fi
while [ -e '${place.held}' ]; do sleep 0.05; done
echo > '${place.pids}'/$$
export HOME='${place.home}' PATH='${place.path}'
cd "$HOME" && exec sh -c "$2"
`;

/** At once, where it has not ended since it was listed. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Those that keep what runs for that home. */
export function killKeepersOf(home: string): void {
  for (const { pid, command } of processesOf(home)) if (command.includes(' keep ')) kill(pid);
}

/** Those whose command line names a file below it. */
export function processesOf(folder: string): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), command: commandOf(pid) }))
    .filter(({ command }) => command.includes(folder));
}

/** The processes that execute runs there. */
export const enginesOf = (home: string): number[] =>
  processesOf(home).flatMap(({ pid, command }) => (command.includes('/engine-process.js') ? pid : []));

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
