/** Calls between the window and a worker: answers, errors, transferred buffers, a worker's end during calls. */
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import { CalledWorker, handingOver, serveCalls } from '../../../renderer/common/workerCalls.ts';
import { type FakeWorker, fakeWorkers, lastOf, settled, workerOf } from './workers.ts';

interface Calls {
  half(of: number): number;
  memory(): { readonly bytes: Uint8Array };
}

const ended = (why: string) => ({ code: 'test.worker-ended', message: `It ended: ${why}.` });
const started = (): CalledWorker<Calls> => new CalledWorker<Calls>(() => new Worker('test'), ended);

let workers: FakeWorker[];

beforeEach(() => {
  workers = fakeWorkers();
});
afterAll(() => vi.unstubAllGlobals());

describe('a worker that is called', () => {
  const even = (of: number): number => {
    if (of % 2 !== 0) throw new CopyscopeError({ code: 'test.odd', message: 'It is odd.', remedy: 'Take another.' });
    return of / 2;
  };

  it('answers, and what it throws is a CopyscopeError here', async () => {
    const calls = await workerOf<Calls>(async () => serveCalls({ half: even }));
    expect(await calls.half(6)).toBe(3);
    const failed = await calls.half(7).catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(CopyscopeError);
    expect(failed).toMatchObject({ code: 'test.odd', remedy: 'Take another.' });
  });

  it('hands memory over with the answer that names it', async () => {
    const posted: [unknown, Transferable[]][] = [];
    let call: (event: { data: unknown }) => void = () => {};
    vi.stubGlobal('self', {
      addEventListener: (_: string, listener: typeof call) => {
        call = listener;
      },
      postMessage: (message: unknown, transfer: Transferable[]) => posted.push([message, transfer]),
    });
    const bytes = new Uint8Array(8);
    serveCalls({ memory: () => handingOver({ bytes }, [bytes.buffer]), half: even });
    call({ data: { t: 'q', i: '1', m: 'memory', a: [] } });
    call({ data: { t: 'q', i: '2', m: 'half', a: [4] } });
    await settled();
    expect(posted.map(([, transfer]) => transfer)).toEqual([[bytes.buffer], []]);
  });

  it('rejects what is pending with the reason where it is ended, and starts anew with the next call', async () => {
    const worker = started();
    const pending = worker.calls.half(1);
    worker.end({ code: 'test.cancelled', message: 'It was cancelled.' });
    await expect(pending).rejects.toMatchObject({ code: 'test.cancelled' });
    expect([lastOf(workers).isEnded, worker.isRunning]).toEqual([true, false]);
    const next = worker.calls.half(2);
    await lastOf(workers).answer('half', 1);
    expect([await next, workers.length]).toEqual([1, 2]);
  });

  it('rejects what is pending where it fails; one that was ended before ends none that runs', async () => {
    const worker = started();
    const pending = worker.calls.half(1);
    const first = lastOf(workers);
    await first.fail();
    await expect(pending).rejects.toMatchObject({ code: 'test.worker-ended', message: 'It ended: it broke.' });
    void worker.calls.half(2);
    await first.fail();
    expect([worker.isRunning, lastOf(workers).isEnded]).toEqual([true, false]);
  });
});
