import { expect, it, vi } from 'vitest';
import type * as StandIn from './support/electron.ts';

vi.mock('electron', () => import('./support/electron.ts'));

const electron = (await import('electron')) as unknown as typeof StandIn;
const { forkUtilityEngine } = await import('../../electron/engineChild.ts');

function forked() {
  const engine = forkUtilityEngine('/app/engine-process.js');
  const child = electron.utilityProcess.forked.at(-1);
  if (child === undefined) throw new Error('nothing was forked');
  return { engine, child };
}

it('is a utility process of that script, with stderr kept', () => {
  forked();
  expect(electron.utilityProcess.fork).toHaveBeenLastCalledWith(
    '/app/engine-process.js',
    [],
    expect.objectContaining({ stdio: ['ignore', 'ignore', 'pipe'] }),
  );
});

it('passes messages both ways, and none to a child that has ended', () => {
  const { engine, child } = forked();
  const heard = vi.fn();
  engine.onMessage(heard);
  engine.post({ a: 1 });
  child.emit('message', { b: 2 });
  child.emit('exit', 0);
  engine.post({ c: 3 });
  expect(child.postMessage.mock.calls).toEqual([[{ a: 1 }]]);
  expect(heard).toHaveBeenCalledExactlyOnceWith({ b: 2 });
});

it('tells its exit code and the end of what it wrote', () => {
  const { engine, child } = forked();
  const exited = vi.fn();
  engine.onExit(exited);
  child.stderr.emit('data', Buffer.from('x'.repeat(10_000)));
  child.stderr.emit('data', 'CUDA fault\n');
  child.emit('exit', 134);
  const [exit] = exited.mock.calls[0] ?? [];
  expect(exit).toMatchObject({ code: 134, signal: null });
  expect(exit.stderr).toMatch(/CUDA fault$/);
  expect(exit.stderr.length).toBeLessThanOrEqual(4096);
});

it('is killed for certain, not asked to end', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const { engine, child } = forked();
  child.pid = 4242;
  engine.kill();
  expect(kill).toHaveBeenCalledExactlyOnceWith(4242, 'SIGKILL');
  kill.mockImplementation(() => {
    throw new Error('ESRCH');
  });
  expect(() => engine.kill()).not.toThrow();
  kill.mockRestore();
});

it('is stopped before it has started, too', () => {
  const { engine, child } = forked();
  engine.kill();
  expect(child.kill).toHaveBeenCalled();
});
