/** Faults in the supervisor and the host, as in the app: a clear error each, and a working next run. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CopyscopeError } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { forkEngine } from '../../host/engine/child.ts';
import { EngineSupervisor } from '../../host/engine/supervisor.ts';
import { engineKind, example, experiment, longSpin, report } from './support.ts';

process.env['COPYSCOPE_TEST_FAULTS'] = '1';
const spawn = () => forkEngine(join(process.cwd(), 'dist/host/engine-process.js'));
const supervisor = new EngineSupervisor({ spawn });
after(() => supervisor.close());

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
    operations: [{ op: 'synchronizeDevice' }],
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
