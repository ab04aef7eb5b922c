/**
 * Explains generated PyTorch traces like the command line, each in its own process, and measures time and memory: node
 * bench/run.mjs explain [--tiny] [EVENTS…] (default 1e6, 3e6 and 1e7). With --tiny, traces of launches and kernels
 * alone, which don't repeat; otherwise the mix of a training step.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { writeLargeTrace } from '../test/support/largeTrace.ts';

const args = process.argv.slice(2);
const kind = args.includes('--tiny') ? 'tiny' : 'mix';
const sizes = args.filter((arg) => arg !== '--tiny').map(Number);
const command = join(import.meta.dirname, '../host/cli.js');
/** Makes the process print its peak memory when it ends. */
const tellsPeak = `process.on('exit', () => process.stderr.write('\\npeak ' + process.resourceUsage().maxRSS));`;

for (const events of sizes.length === 0 ? [1e6, 3e6, 1e7] : sizes) {
  const path = join(tmpdir(), `copyscope-bench-${process.pid}.json`);
  writeLargeTrace(path, events, kind);
  try {
    const start = performance.now();
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(tellsPeak)}`, command, 'explain', path],
      { encoding: 'utf8', maxBuffer: 2 ** 30 },
    );
    const seconds = (performance.now() - start) / 1000;
    const peakMb = (Number(/peak (\d+)/.exec(stderr)?.[1]) * 1024) / 1e6;
    const megabytes = statSync(path).size / 1e6;
    console.log(
      `${events} events (${kind}), ${megabytes.toFixed(0)} MB: ${seconds.toFixed(1)} s, at most ${peakMb.toFixed(0)} MB of memory, exit code ${status}`,
    );
    if (status !== 0) console.log(stderr);
  } finally {
    rmSync(path);
  }
}
