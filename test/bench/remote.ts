/**
 * How long the first lanes of a run take on another machine that is set up, from the command to what it prints, over OpenSSH's own
 * server and client on the loopback address; beside that the same run on this machine. Needs the built host (npm run build):
 *
 *   node test/bench/run.mjs remote [TIMES]
 *
 * Each command begins with nothing: a new line, a keeper and an engine of its own. The two take turns, so that other work on
 * the machine meets both.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { noSshd, realMachine } from '../system/machines/support/realSsh.ts';

const times = Number(process.argv[2] ?? 11);
const example = join(root, 'assets/examples/overlap/pinned-side-stream.json');

/** How long until its first words come. */
async function run(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, [join(root, 'dist/host/cli.js'), ...words], { env, stdio: 'pipe' });
  const exit = once(child, 'close');
  let [firstMs, said] = [Number.NaN, ''];
  child.stdout.on('data', () => {
    if (Number.isNaN(firstMs)) firstMs = performance.now() - begun;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await exit;
  if (code !== 0) throw new Error(`copyscope ${words.join(' ')} ended with ${code}:\n${said}`);
  return firstMs;
}

function told(name: string, all: readonly number[]): string {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (place: number): string => `${((sorted[Math.round(place)] ?? 0) / 1000).toFixed(2)} s`;
  return `${name}: ${at((sorted.length - 1) / 2)} (${at(0)} to ${at(sorted.length - 1)}, median of ${sorted.length})`;
}

if (noSshd !== null) throw new Error(noSshd);
const machine = await realMachine();
try {
  await run(['host', 'add', 'box', '--yes'], machine.environment);
  for (const engine of ['sim', 'cpu']) {
    const found: Record<'there' | 'here', number[]> = { there: [], here: [] };
    for (let time = 0; time < times; time += 1) {
      const words = ['run', example, '--engine', engine];
      found.there.push(await run([...words, '--host', 'box'], machine.environment));
      found.here.push(await run(words, machine.environment));
    }
    console.log(`${engine}, first lanes`);
    console.log(told('  on the other machine', found.there));
    console.log(told('  on this one', found.here));
  }
} finally {
  await machine.close();
}
