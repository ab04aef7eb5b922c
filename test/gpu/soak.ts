/**
 * Ten thousand short runs on the GPU with random faults, then process kills through the supervisor. Fails where a run
 * does not end as it should, or where the host's, page-locked or the device's memory grows.
 *   node dist/gpu/soak.js [RUNS] [SEED] [SECONDS]
 * After that many seconds it does no more runs.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forkEngine } from '../../host/engine/child.ts';
import { EngineSupervisor } from '../../host/engine/supervisor.ts';
import { HeldLines } from './held.ts';
import { randomFrom, soakOnce } from './soakRuns.ts';
import { engineKind, example, longSpin, native, report } from './support.ts';

const [runs = 10_000, seed = 20_261_120, mostSeconds = Number.POSITIVE_INFINITY] = process.argv.slice(2).map(Number);
const warmup = Math.ceil(runs / 10);
const kills = 12;
const MB = 1e6;
const lines = new HeldLines();
const memoryNames = {
  rss: 'memory of the process',
  host: 'host and page-locked memory',
  device: 'device memory',
};
/** Limits of growth after the warm-up, in bytes; a leak of one small buffer in each run would be hundreds. */
const mostGrowth = { rss: 64 * MB, host: 384 * MB, device: 8 * MB };

interface Held {
  readonly rss: number;
  /** In use on the machine, page-locked memory included, which a process's own figure leaves out. */
  readonly host: number;
  readonly device: number;
}

function held(): Held {
  (globalThis as { gc?: () => void }).gc?.();
  return { rss: process.memoryUsage.rss(), host: hostInUse(), device: engineKind === 'cuda' ? deviceInUse() : 0 };
}

/** Returns the bytes in use of the first device's memory. */
function deviceInUse(): number {
  const query = ['--id=0', '--query-gpu=memory.used', '--format=csv,noheader,nounits'];
  return Number(execFileSync('nvidia-smi', query, { encoding: 'utf8' })) * 2 ** 20;
}

/** Returns the bytes in use without the file cache, of this process's control group, or else of the machine. */
function hostInUse(): number {
  const group = '/sys/fs/cgroup';
  if (existsSync(join(group, 'memory.current'))) {
    const cache = /^file (\d+)/m.exec(readFileSync(join(group, 'memory.stat'), 'utf8'))?.[1] ?? 0;
    return Number(readFileSync(join(group, 'memory.current'), 'utf8')) - Number(cache);
  }
  const meminfo = readFileSync('/proc/meminfo', 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(meminfo)?.[1] ?? 0);
  return (kilobytes('MemTotal') - kilobytes('MemAvailable')) * 1024;
}

const random = randomFrom(seed);
const engines = [
  native.engine(engineKind, { timing: 'events' }),
  native.engine(engineKind, { timing: 'cupti' }),
] as const;
const counts: Record<string, number> = {};
const started = performance.now();
let before = held();
let done = 0;
for (let run = 0; run < runs && performance.now() - started < mostSeconds * 1000; run += 1, done += 1) {
  if (run === warmup) before = held();
  // CUPTI takes milliseconds to switch on, so a tenth of the runs use it.
  const name = await soakOnce(engines[run % 10 === 0 ? 1 : 0], random).catch((error) => {
    throw new Error(`run ${run} of seed ${seed}`, { cause: error });
  });
  counts[name] = (counts[name] ?? 0) + 1;
}
const after = held();
const seconds = (performance.now() - started) / 1000;
report(
  `soak: ${done} runs in ${seconds.toFixed(0)} s: ${Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')}`,
);
const runsName = 'Soak: runs with random faults that ended as they should';
if (done === runs) lines.add(runsName, [done], '', { least: runs });
else
  lines.missing(runsName, `in full: ${done} of ${runs} did in ${mostSeconds} s; "run.sh soak" alone has time for all`);
for (const [kind, name] of Object.entries(memoryNames) as [keyof Held, string][]) {
  const grown = (after[kind] - before[kind]) / MB;
  if (done <= warmup) lines.missing(`Soak: ${name} that stayed`, `the first ${warmup} runs are the warm-up`);
  else lines.add(`Soak: ${name} that stayed`, [grown], ' MB', { most: mostGrowth[kind] / MB });
}

const deviceBefore = held().device;
const lost = await killed();
const deviceAfter = held().device;
lines.add('Soak: engine processes killed in mid-run, each run after worked', [lost], '', { least: kills });
const afterKills = (deviceAfter - deviceBefore) / MB;
lines.add('Soak: device memory that stayed after kills', [afterKills], ' MB', { most: mostGrowth.device / MB });

/** Kills engine processes at random times of a run, each with a run after it. Returns the number of kills. */
async function killed(): Promise<number> {
  process.env['COPYSCOPE_TEST_FAULTS'] = '1';
  const supervisor = new EngineSupervisor({
    spawn: () => forkEngine(join(process.cwd(), 'dist/host/engine-process.js')),
  });
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const delayMs = Math.floor(random() * 400);
      await supervisor.run({ engine: engineKind, experiment: longSpin(`fault:kill@${delayMs}`) }).then(
        () => {
          throw new Error('a killed run completed');
        },
        ({ code }) => {
          if (code !== 'engine.lost') throw new Error(`a killed process gave ${code}`);
        },
      );
      const { info } = await supervisor.run({ engine: engineKind, experiment: example('overlap/pinned-side-stream') });
      if (info.verification.bytesWrong > 0) throw new Error('wrong bytes after a kill');
    }
  } finally {
    supervisor.close();
  }
  // The driver frees a process's memory a moment after its end.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return kills;
}
