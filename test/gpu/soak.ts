/**
 * Ten thousand short runs on the GPU with random faults, then process kills through the supervisor. Fails where a run
 * does not end as it should, or where the host's, page-locked or the device's memory grows.
 *   node dist/gpu/soak.js [RUNS] [SEED]
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forkEngine } from '../../host/engine/child.ts';
import { EngineSupervisor } from '../../host/engine/supervisor.ts';
import { deviceMemory } from '../../native/bench.ts';
import { randomFrom, soakOnce } from './soakRuns.ts';
import { engineKind, example, longSpin, native, report } from './support.ts';

const [runs = 10_000, seed = 20_261_120] = process.argv.slice(2).map(Number);
const warmup = Math.ceil(runs / 10);
const kills = 12;
const MB = 1e6;
/** What a process may grow by after the warm-up; a leak of one small buffer in each run would be hundreds. */
const mostGrowth = { rss: 64 * MB, host: 384 * MB, device: 8 * MB };

interface Held {
  readonly rss: number;
  /** In use on the machine, page-locked memory included, which a process's own figure leaves out. */
  readonly host: number;
  readonly device: number;
}

function held(): Held {
  (globalThis as { gc?: () => void }).gc?.();
  const { free, total } = engineKind === 'cuda' ? deviceMemory(0) : { free: 0, total: 0 };
  return { rss: process.memoryUsage.rss(), host: hostInUse(), device: total - free };
}

/** Without file cache: of the control group this process is in, or else of the machine. */
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
for (let run = 0; run < runs; run += 1) {
  if (run === warmup) before = held();
  // CUPTI costs milliseconds to switch on, so a tenth of the runs use it.
  const name = await soakOnce(engines[run % 10 === 0 ? 1 : 0], random).catch((error) => {
    throw new Error(`run ${run} of seed ${seed}`, { cause: error });
  });
  counts[name] = (counts[name] ?? 0) + 1;
}
const after = held();
const seconds = (performance.now() - started) / 1000;
report(
  `soak: ${runs} runs in ${seconds.toFixed(0)} s: ${Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')}`,
);
const growth = (Object.keys(mostGrowth) as (keyof Held)[]).map((kind) => {
  const grown = after[kind] - before[kind];
  report(
    `  ${kind}: ${(before[kind] / MB).toFixed(1)} MB after ${warmup} runs, ${(after[kind] / MB).toFixed(1)} MB at the end (${(grown / MB).toFixed(1)})`,
  );
  return { kind, grown };
});

const deviceBefore = held().device;
const lost = await killed();
const deviceAfter = held().device;
report(
  `  ${lost} engine processes killed in mid-run, each run after worked; device memory then ${((deviceAfter - deviceBefore) / MB).toFixed(1)} MB more in use`,
);

const leaks = growth.filter(({ kind, grown }) => grown > mostGrowth[kind]);
if (leaks.length > 0 || deviceAfter - deviceBefore > mostGrowth.device) {
  report(`  FAILED: memory grew: ${leaks.map(({ kind }) => kind).join(', ') || 'device, after kills'}`);
  process.exitCode = 1;
}

/** Engine processes that are killed at random times of a run, each with a run after it. */
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
  // The driver gives a process's memory back a moment after its end.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return kills;
}
