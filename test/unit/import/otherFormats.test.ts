/** Traces of other tools, and of older versions of a tool. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { read as readNsight } from './nsightSupport.ts';
import { complete, read, traceOf } from './support.ts';

const faults = 'test/fixtures/trace-faults';

const kernel = complete('kernel', 'k', 10, 5, { device: 0, stream: 7 });

describe('a trace of another profiler in Chrome format', () => {
  it('is refused with the name of JAX and TensorFlow', async () => {
    await expect(read(readFileSync(`${faults}/jax_like.json`))).rejects.toMatchObject({
      code: 'trace-file.other-profiler',
      message: expect.stringContaining('JAX'),
    });
  });

  it('is refused if the device is an MTIA accelerator', async () => {
    const event = { ph: 'X', cat: 'mtia_ccp_events', name: 'fc', pid: 0, tid: 7, ts: 10, dur: 5 };
    await expect(read(traceOf([event]))).rejects.toMatchObject({ message: expect.stringContaining('MTIA') });
  });

  it('opens if it holds GPU activity that Copyscope reads', async () => {
    const named = { ph: 'M', name: 'process_name', pid: 1, args: { name: '/host:CPU' } };
    expect((await read(traceOf([named, kernel]))).trace.count).toBe(1);
  });
});

it('a trace whose device has an empty name is of an unnamed GPU', async () => {
  const { info } = await read(traceOf([kernel], { deviceProperties: [{ id: 0, name: '' }] }));
  expect(info.device?.name).toBe('an unnamed GPU');
});

it('an older export of Nsight Systems opens whole and names the GPU that it calls by deviceId', async () => {
  const { info } = await readNsight(`${faults}/nsys_target_gpu_no_id.sqlite`);
  expect(info.status).toBe('complete');
  expect(info.device?.name).toBe('A100-PCIE-40GB');
});
