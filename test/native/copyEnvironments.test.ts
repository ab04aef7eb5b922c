/** Environments that end during their copies: a worker thread that is stopped, a process that exits. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { addonCandidates } from '../../native/addon.ts';
import { type DeviceTensor, type HostTensor, startCopy } from '../../native/index.ts';
import { bytes, calm, device, simulate } from './copySupport.ts';
import { describeNative } from './support.ts';

const moduleFile = fileURLToPath(new URL('../../native/addon.ts', import.meta.url));
const addon = addonCandidates(process.env, moduleFile).find(existsSync) ?? '';

/** Starts ten slow copies of 6 MiB, and prints a line. */
const script = `
  const addon = require(${JSON.stringify(addon)});
  const device = ${JSON.stringify(device)};
  addon.copySimulate({ device, delayNs: 20_000_000 });
  const leaves = [new Uint8Array(6 * 2 ** 20), new Uint8Array(100)];
  const request = { device, leaves, elementSizes: new Uint8Array(2).fill(1), strided: [], options: {} };
  for (let count = 0; count < 10; count += 1) addon.copyUpload(request);
  addon.copyUpload({ ...request, leaves: leaves.slice(1) });
`;

describeNative('startCopy, environments', () => {
  test('a worker thread is stopped in the middle of its copies, and the others work on', async () => {
    for (let round = 0; round < 3; round += 1) {
      const worker = new Worker(`${script}; require('node:worker_threads').parentPort.postMessage(1);`, { eval: true });
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      await worker.terminate();
    }
    simulate(calm);
    const source = bytes(7_000_000);
    const copied = await startCopy<DeviceTensor[]>([source], device).get();
    const [back] = await startCopy<HostTensor[]>(copied, 'cpu').get();
    expect(Buffer.compare(back?.bytes ?? new Uint8Array(), source)).toBe(0);
  });

  test.each([
    ['exits', 'process.exit(0)'],
    ['lets them end', ''],
  ])('a process %s in the middle of its copies', (_, ending) => {
    const { status, signal, stderr } = spawnSync(process.execPath, ['-e', `${script}; ${ending}`], {
      encoding: 'utf8',
    });
    expect([status, signal, stderr]).toEqual([0, null, '']);
  });
});
