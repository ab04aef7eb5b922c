import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunProgress } from '../../../core/program/engine.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { forkEngine } from '../../../host/engine/child.ts';
import { PartialRunError } from '../../../host/engine/partialRun.ts';
import type { EngineRunRequest } from '../../../host/engine/protocol.ts';
import { EngineSupervisor, type SupervisorOptions } from '../../../host/engine/supervisor.ts';
import { buildEntry } from '../../unit/host/support/buildEntry.ts';
import { example } from '../../unit/host/support/runs.ts';
import { eventually } from '../../unit/support/eventually.ts';

const built = await buildEntry(fileURLToPath(new URL('../../unit/host/support/scriptedEngine.ts', import.meta.url)));
const supervisors: EngineSupervisor[] = [];

function supervise(options: Partial<SupervisorOptions> = {}): EngineSupervisor {
  const supervisor = new EngineSupervisor({ spawn: () => forkEngine(built), cancelGraceMs: 200, ...options });
  supervisors.push(supervisor);
  return supervisor;
}

const request = (behaviour: string): EngineRunRequest => ({
  engine: 'cpu',
  experiment: { ...example(), name: behaviour },
});

const pidOf = async (supervisor: EngineSupervisor): Promise<number> =>
  Number((await supervisor.report()).cupti.detail.replace('process ', ''));

/** Waits until the process is gone: a killed one is listed until its parent has collected it. */
const ended = (pid: number): Promise<void> => eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));

/** Starts a run and waits until the process reports it. */
async function inProgress(supervisor: EngineSupervisor, behaviour: string, signal?: AbortSignal) {
  let running = (_progress: RunProgress): void => {};
  const begun = new Promise<RunProgress>((resolve) => {
    running = resolve;
  });
  const run = supervisor.run(request(behaviour), { onProgress: running, ...(signal === undefined ? {} : { signal }) });
  run.catch(() => {});
  return { run, progress: await begun };
}

describe('the supervised engine process', () => {
  afterEach(() => {
    for (const supervisor of supervisors.splice(0)) supervisor.close();
  });

  it('runs, gives the run as a file, and stays warm for the next', async () => {
    const supervisor = supervise();
    const [first, second] = [await supervisor.run(request('complete')), await supervisor.run(request('complete'))];
    expect(first.info.notes).toEqual(second.info.notes);
    const run = decodeRun(first.file);
    expect(run.info.experiment?.name).toBe('complete');
    expect(run.trace.count).toBe(2);
  });

  it('gives with a failed run what it had recorded by then', async () => {
    const supervisor = supervise();
    const failed = await supervisor.run(request('fail with a partial run')).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(PartialRunError);
    expect(failed).toMatchObject({ code: 'engine.cuda', op: 3 });
    const { info, trace } = decodeRun((failed as PartialRunError).partial.file);
    expect(info).toMatchObject({ status: 'failed', error: { code: 'engine.cuda', op: 3 } });
    expect(trace.count).toBe(2);
  });

  it('gives the last that arrived where the process dies, with the reason of its death', async () => {
    const supervisor = supervise();
    const { run } = await inProgress(supervisor, 'die in the middle of recording');
    process.kill(await pidOf(supervisor), 'SIGKILL');
    const lost = await run.catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(PartialRunError);
    const { info } = decodeRun((lost as PartialRunError).partial.file);
    expect(info).toMatchObject({ status: 'failed', notes: ['late'] });
    expect(info.error?.message).toContain('SIGKILL');
    expect((await supervisor.run(request('complete'))).info.status).toBe('complete');
  });

  it('rejects the run with the signal when the process is killed in its middle; the next run works', async () => {
    const onChange = vi.fn();
    const supervisor = supervise({ onChange });
    const pid = await pidOf(supervisor);
    const { run, progress } = await inProgress(supervisor, 'until cancelled');
    expect(progress).toEqual({ phase: 'recording', done: 1, total: 2 });
    process.kill(pid, 'SIGKILL');
    await expect(run).rejects.toMatchObject({ code: 'engine.lost', message: expect.stringContaining('SIGKILL') });
    expect(onChange).toHaveBeenCalledWith(null, expect.objectContaining({ code: 'engine.lost' }));
    const next = await supervisor.run(request('complete'));
    expect(next.info.notes).not.toEqual([`process ${pid}`]);
    await eventually(() => expect(onChange).toHaveBeenLastCalledWith(expect.objectContaining({ devices: [] }), null));
  });

  it('says the exit code and what the process wrote last', async () => {
    await expect(supervise().run(request('exit 7'))).rejects.toMatchObject({
      code: 'engine.lost',
      message: 'The engine process ended with exit code 7: CUDA error: an illegal memory access was encountered',
    });
  });

  it('reports a process that can not be started', async () => {
    const supervisor = supervise({ spawn: () => forkEngine(join(import.meta.dirname, 'no-such-script.mjs')) });
    await expect(supervisor.run(request('complete'))).rejects.toMatchObject({ code: 'engine.lost' });
  });

  it('keeps the process of a run that obeys its cancel', async () => {
    const supervisor = supervise({ cancelGraceMs: 60_000 });
    const pid = await pidOf(supervisor);
    const controller = new AbortController();
    const { run } = await inProgress(supervisor, 'until cancelled', controller.signal);
    controller.abort();
    await expect(run).rejects.toMatchObject({ code: 'run.cancelled' });
    expect((await supervisor.run(request('complete'))).info.notes).toEqual([`process ${pid}`]);
  });

  it.each(['ignore cancel', 'block the thread'])('ends the process of a run that does not: %s', async (behaviour) => {
    const onChange = vi.fn();
    const supervisor = supervise({ onChange });
    const pid = await pidOf(supervisor);
    const controller = new AbortController();
    const { run } = await inProgress(supervisor, behaviour, controller.signal);
    controller.abort();
    await expect(run).rejects.toMatchObject({ code: 'run.cancelled', message: expect.stringContaining('was ended') });
    expect((await supervisor.run(request('complete'))).info.notes).not.toEqual([`process ${pid}`]);
    await ended(pid);
    expect(onChange).not.toHaveBeenCalled();
  });

  it('starts a new process after an engine failed in the old one', async () => {
    const supervisor = supervise();
    const pid = await pidOf(supervisor);
    await expect(supervisor.run(request('cuda error'))).rejects.toMatchObject({ code: 'engine.cuda', op: 3 });
    expect((await supervisor.run(request('complete'))).info.notes).not.toEqual([`process ${pid}`]);
  });

  it('runs one at a time, in order, and lets a waiting one be cancelled', async () => {
    const supervisor = supervise();
    const first = new AbortController();
    const second = new AbortController();
    const { run } = await inProgress(supervisor, 'until cancelled', first.signal);
    const ended: string[] = [];
    run.catch(() => ended.push('first'));
    const waiting = supervisor.run(request('complete'), { signal: second.signal });
    const last = supervisor.run(request('complete')).then(() => ended.push('last'));
    second.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'run.cancelled' });
    first.abort();
    await expect(run).rejects.toMatchObject({ code: 'run.cancelled' });
    await last;
    expect(ended).toEqual(['first', 'last']);
  });

  it('reports a process that does not answer', async () => {
    const onChange = vi.fn();
    const supervisor = supervise({ onChange, pingIntervalMs: 100 });
    await inProgress(supervisor, 'block the thread');
    await eventually(() =>
      expect(onChange).toHaveBeenCalledWith(null, expect.objectContaining({ code: 'engine.unresponsive' })),
    );
  });

  it('ends the process when it is closed, and runs nothing more', async () => {
    const supervisor = supervise();
    const pid = await pidOf(supervisor);
    const { run } = await inProgress(supervisor, 'ignore cancel');
    supervisor.close();
    await expect(run).rejects.toMatchObject({ code: 'engine.lost' });
    await ended(pid);
    await expect(supervisor.run(request('complete'))).rejects.toMatchObject({ code: 'engine.closed' });
  });
});
