/**
 * Measures the verdicts and the whole summary of large runs: node bench/run.mjs verdicts [ROWS]. Uses an imported trace
 * without a program, and simulated programs of several shapes.
 */
import { createReadStream, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { requireExperiment } from '../core/experiment/parse.ts';
import { summarizeRun } from '../core/explain/summary/summary.ts';
import { verdicts } from '../core/explain/verdicts/verdicts.ts';
import { readPyTorchTrace } from '../core/import/kineto/pytorchTrace.ts';
import { simEngine } from '../core/machine/cost/simEngine.ts';
import { parseProfile } from '../core/machine/profile/profile.ts';
import { lower } from '../core/program/lower.ts';
import { iterationOf } from '../core/trace/iteration.ts';
import type { Run } from '../core/trace/run.ts';
import { unpacked } from '../host/library/imports/unpacked.ts';
import { writeLargeTrace } from '../test/support/largeTrace.ts';

const rows = Number(process.argv[2] ?? 1_000_000);

async function importedTrace(): Promise<Run> {
  const path = join(tmpdir(), `copyscope-bench-${process.pid}.json`);
  writeLargeTrace(path, Math.ceil((rows * 5) / 3));
  try {
    return await readPyTorchTrace(unpacked(createReadStream(path, { highWaterMark: 1 << 20 })), {
      name: 'bench',
      version: '0',
      modifiedAt: new Date(),
    });
  } finally {
    rmSync(path);
  }
}

const copy = (stream: string, src = 'pinned') => ({ op: 'copy', src, dst: 'target', stream });
const kernel = (stream: string) => ({ op: 'kernel', stream, kernel: { kind: 'spin', durationNs: 10_000 } });
const repeat = (count: number, ...operations: object[]) => ({ op: 'repeat', count: Math.ceil(count), operations });

/** Programs whose verdicts look far, near, at the host, and at orders: each operation makes two rows. */
const programs: Readonly<Record<string, object[]>> = {
  'two streams and an event': [
    repeat(
      rows / 8,
      copy('copies'),
      { op: 'recordEvent', event: 'arrived', stream: 'copies' },
      { op: 'waitEvent', event: 'arrived', stream: 'work' },
      kernel('work'),
    ),
  ],
  'one stream': [repeat(rows / 4, copy('work'), kernel('work'))],
  'all copies before all kernels': [repeat(rows / 4, copy('copies')), repeat(rows / 4, kernel('work'))],
  'all copies, an event, all kernels': [
    repeat(rows / 4, copy('copies')),
    { op: 'recordEvent', event: 'arrived', stream: 'copies' },
    { op: 'waitEvent', event: 'arrived', stream: 'work' },
    repeat(rows / 4, kernel('work')),
  ],
  'legacy default stream': [repeat(rows / 4, copy('default'), kernel('blocking'))],
  'pageable and synchronised': [
    repeat(rows / 5, copy('copies', 'pageable'), kernel('work'), { op: 'synchronizeDevice' }),
  ],
  'one long kernel': [
    { op: 'kernel', stream: 'work', kernel: { kind: 'spin', durationNs: 1_000_000_000 } },
    repeat(rows / 2, copy('copies')),
  ],
};

function simulated(name: string): Promise<Run> {
  const profile = parseProfile(JSON.parse(readFileSync(join(process.cwd(), 'assets/profiles/h200.json'), 'utf8')));
  const experiment = requireExperiment({
    format: 'copyscope/experiment',
    version: 1,
    name,
    buffers: [
      { id: 'pinned', memory: 'pinned', bytes: 1 << 18 },
      { id: 'pageable', memory: 'pageable', bytes: 1 << 18 },
      { id: 'target', memory: 'device', bytes: 1 << 18 },
    ],
    streams: [
      { id: 'copies', flags: 'non-blocking' },
      { id: 'work', flags: 'non-blocking' },
      { id: 'blocking', flags: 'blocking' },
    ],
    events: [{ id: 'arrived' }],
    threads: [{ id: 'main', operations: programs[name] }],
  });
  const site = { machine: { os: '', cpu: '', cores: 1 }, version: '0', pause: async () => {} };
  return simEngine(async () => profile, site).run({ experiment, program: lower(experiment), profile: 'h200' });
}

function timed<Result>(what: string, action: () => Result): Result {
  const start = performance.now();
  const result = action();
  console.log(`  ${what}: ${((performance.now() - start) / 1000).toFixed(2)} s`);
  return result;
}

for (const name of ['imported trace', ...Object.keys(programs)]) {
  const run = name === 'imported trace' ? await importedTrace() : await simulated(name);
  console.log(`${name}, ${run.trace.count} rows`);
  const iteration = iterationOf(run.trace, run.info.iterations.representative);
  const found = timed('verdicts', () => verdicts(iteration, run.info.experiment));
  timed('summary', () => summarizeRun(run));
  const causes = new Map<string, number>();
  for (const { cause, occurrences } of found) causes.set(cause, (causes.get(cause) ?? 0) + occurrences);
  console.log(`  ${JSON.stringify(Object.fromEntries(causes))}`);
}
