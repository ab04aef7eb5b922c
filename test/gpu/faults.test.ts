/** Faults through the supervisor and the host, as the app meets them: a clear error each, and a working next run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CopyscopeError } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { RunSummary } from '../../core/service/service.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { forkEngine } from '../../host/engine/child.ts';
import { EngineSupervisor } from '../../host/engine/supervisor.ts';
import { createHost } from '../../host/service/host.ts';
import { engineKind, example, experiment, longSpin, report } from './support.ts';

process.env['COPYSCOPE_TEST_FAULTS'] = '1';
const spawn = () => forkEngine(join(process.cwd(), 'dist/host/engine-process.js'));
const supervisor = new EngineSupervisor({ spawn });
after(() => supervisor.close());

const MiB = 1024 * 1024;
const run = (wanted: Experiment, signal?: AbortSignal) =>
  supervisor.run({ engine: engineKind, experiment: wanted }, signal === undefined ? {} : { signal });

async function failure(running: Promise<unknown>): Promise<CopyscopeError> {
  const error = await running.then(
    () => null,
    (thrown) => thrown,
  );
  assert.ok(error instanceof CopyscopeError, String(error));
  return error;
}

async function nextRunWorks(): Promise<void> {
  const before = performance.now();
  const { info } = await run(example('overlap/pinned-side-stream'));
  assert.equal(info.verification.bytesWrong, 0);
  report(`  next run worked, ${(performance.now() - before).toFixed(0)} ms`);
}

const holding = (memory: 'pinned' | 'device', bytes: number): Experiment =>
  experiment({
    name: `${bytes} bytes of ${memory} memory`,
    environment: { iterations: 1, warmups: 0 },
    buffers: [{ id: 'big', memory, bytes }],
    threads: [{ id: 'main', operations: [{ op: 'synchronizeDevice' }] }],
  });

test('a faulting kernel: engine.device-fault with the name that CUDA gives it, then a new process', async () => {
  const error = await failure(run(longSpin('fault:kernel')));
  report(`faulting kernel: ${error.code}: ${error.message}`);
  assert.equal(error.code, 'engine.device-fault');
  assert.match(error.message, /cudaError(IllegalAddress|LaunchFailure)/);
  assert.ok(error.remedy !== undefined);
  await nextRunWorks();
});

for (const kind of ['kill', 'abort'] as const) {
  test(`a process that ends in mid-run (${kind}): engine.lost with the signal, then a new process`, async () => {
    const error = await failure(run(longSpin(`fault:${kind}`)));
    report(`process ${kind}: ${error.code}: ${error.message.slice(0, 90)}`);
    assert.equal(error.code, 'engine.lost');
    assert.match(error.message, kind === 'kill' ? /SIGKILL/ : /SIGABRT/);
    await nextRunWorks();
  });
}

test('a ten-minute spin is cancelled within a second, and its process lives on', async () => {
  const controller = new AbortController();
  const running = failure(run(longSpin('ten minutes'), controller.signal));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const before = performance.now();
  controller.abort();
  assert.equal((await running).code, 'run.cancelled');
  const took = performance.now() - before;
  report(`ten-minute spin: cancelled after ${took.toFixed(0)} ms`);
  assert.ok(took < 1000, `${took} ms`);
  await nextRunWorks();
});

for (const memory of ['device', 'pinned'] as const) {
  test(`more ${memory} memory than there is: bytes asked, bytes free and the buffer`, async () => {
    const error = await failure(run(holding(memory, 2 ** 40)));
    report(`${memory} memory: ${error.code}: ${error.message}`);
    assert.match(error.code, /^run\.(out-of-memory|pinned-budget)$/);
    assert.match(error.message, /1099511627776 bytes/);
    assert.match(error.message, /\d+ (bytes of host memory )?are free|\d+ are free/);
    assert.match(error.message, /big/);
    assert.equal(error.field, 'buffers.big');
    await nextRunWorks();
  });
}

test('page-locked memory over the budget is refused by name, and under it runs', async () => {
  process.env['COPYSCOPE_PINNED_BUDGET'] = '8M';
  const limited = new EngineSupervisor({ spawn });
  try {
    const over = await failure(limited.run({ engine: engineKind, experiment: holding('pinned', 9 * MiB) }));
    report(`pinned budget: ${over.message}`);
    assert.equal(over.code, 'run.pinned-budget');
    assert.match(over.message, /9437184 bytes.* 8388608 bytes/);
    await limited.run({ engine: engineKind, experiment: holding('pinned', 8 * MiB) });
  } finally {
    delete process.env['COPYSCOPE_PINNED_BUDGET'];
    limited.close();
  }
});

test('a device that is not there is refused before anything runs', async () => {
  const wanted = experiment({
    name: 'device 7',
    devices: [{ id: 'far', index: 7 }],
    threads: [{ id: 'main', operations: [{ op: 'synchronizeDevice' }] }],
  });
  const error = await failure(run(wanted));
  report(`no such device: ${error.code}: ${error.message}`);
  assert.match(error.code, /^engine\.(no-device|unsupported)$/);
  await nextRunWorks();
});

/** A folder on a file system of one megabyte; null where this process may not mount one. */
function smallDisk(): { folder: string; remove: () => void } | null {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
  const remove = (): void => {
    if (mounted) spawnSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  };
  if (mounted) return { folder, remove };
  remove();
  return null;
}

test('a full disk: the run is told as not saved with the remedy, and its data can still be read', async (context) => {
  const disk = smallDisk();
  if (disk === null) return context.skip('a small file system can not be mounted here');
  const folder = join(disk.folder, 'data');
  mkdirSync(folder);
  const host = createHost({
    about: { version: '0.1.0', shell: 'browser', platform: process.platform, dataFolder: folder },
    assetsFolder: join(process.cwd(), 'assets'),
    spawnEngine: spawn,
  });
  try {
    const ended = new Promise<RunSummary>((resolve) => {
      host.addWindow({
        runProgress: () => {},
        experimentsChanged: () => {},
        profilesChanged: () => {},
        notesChanged: () => {},
        recordingChanged: () => {},
        sweepChanged: () => {},
        sweepPoint: () => {},
        opened: () => {},
        machineChanged: () => {},
        ownClusterChanged: () => {},
        engineChanged: () => {},
        runChanged: (_, summary) => {
          if (summary !== null && summary.status !== 'running') resolve(summary);
        },
      });
    });
    const many = experiment({
      name: 'many rows',
      environment: { iterations: 1, warmups: 0 },
      threads: [
        {
          id: 'main',
          operations: [{ op: 'repeat', count: 40_000, operations: [{ op: 'work', durationNs: 0 }] }],
        },
      ],
    });
    await host.service.startRun({ experiment: many, engine: engineKind });
    const summary = await ended;
    report(`full disk: ${summary.error?.code}: ${summary.error?.message}`);
    assert.equal(summary.error?.code, 'run.not-saved');
    const file = await host.service.readRun(summary.id);
    assert.equal(decodeRun(file).trace.count, 40_000);
  } finally {
    host.close();
    disk.remove();
  }
});
