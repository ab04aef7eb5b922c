import { afterEach, describe, expect, it, vi } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import { decodeMessage, encodeMessage, maxMessageBytes } from '../../../core/service/codec.ts';
import type { RecordingStatus } from '../../../core/service/recording.ts';
import { type Channel, connectHost, serveWindow } from '../../../core/service/rpc.ts';
import type { HostService, Sweep } from '../../../core/service/service.ts';
import { toldWindow } from '../host/support/toldWindow.ts';
import { eventually } from '../support/eventually.ts';

/** Returns two ends of a byte channel: posted messages are encoded, decoded and passed on, like in a WebSocket. */
function pair(): { window: Channel & { drop(): void }; host: Channel; sent: unknown[] } {
  const sent: unknown[] = [];
  const end = () => ({ handler: (_message: unknown) => {}, close: () => {} });
  const [left, right] = [end(), end()];
  const channel = (own: typeof left, other: typeof left): Channel & { drop(): void } => ({
    post: (message) => {
      const received = decodeMessage(encodeMessage(message));
      sent.push(received);
      queueMicrotask(() => other.handler(received));
    },
    listen: (handler) => {
      own.handler = handler;
    },
    onClose: (handler) => {
      own.close = handler;
    },
    drop: () => own.close(),
  });
  return { window: channel(left, right), host: channel(right, left), sent };
}

/** Returns a service with only these functions. */
const service = (functions: Partial<HostService>): HostService => functions as HostService;

describe('rpc between window and host', () => {
  afterEach(() => vi.restoreAllMocks());

  it('carries arguments and results, bytes included', async () => {
    const { window, host } = pair();
    const file = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);
    serveWindow(host, service({ readRun: async (id) => (id === 'a/b-1' ? file : new Uint8Array()) }));
    const connection = connectHost(window, toldWindow());
    expect(await connection.service.readRun('a/b-1')).toEqual(file);
  });

  it('calls the service with itself as this', async () => {
    class Counter {
      #count = 0;
      async runs(): Promise<readonly never[]> {
        this.#count += 1;
        return [];
      }
    }
    const { window, host } = pair();
    serveWindow(host, new Counter() as unknown as HostService);
    await expect(connectHost(window, toldWindow()).service.runs()).resolves.toEqual([]);
  });

  it('brings every field of an error to the other side', async () => {
    const { window, host } = pair();
    const info = { code: 'run.failed', message: 'It failed.', remedy: 'Try again.', field: 'threads[0]', op: 7 };
    serveWindow(
      host,
      service({
        runs: async () => {
          throw new CopyscopeError(info);
        },
      }),
    );
    const error = await connectHost(window, toldWindow())
      .service.runs()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CopyscopeError);
    expect((error as CopyscopeError).toInfo()).toEqual(info);
  });

  it.each([
    ['readRun', ['../../etc/passwd']],
    ['readRun', ['a//b']],
    ['readRun', ['a\\b']],
    ['readRun', ['.hidden']],
    ['readRun', ['a/..']],
    ['readRun', []],
    ['runs', ['more than it takes']],
    ['startRun', [{ experiment: {}, engine: 'gpu' }]],
    ['startRun', [{ experiment: {}, engine: 'sim', iterations: 0 }]],
    ['startRun', [{ experiment: {}, engine: 'sim', shell: 'rm' }]],
    ['importPart', ['not a ticket', new Uint8Array()]],
    ['importPart', ['6f1c1f0e-6a5b-4f3c-8a9e-0d1c2b3a4f5e', 'not bytes']],
    ['beginImport', [{ name: '', modifiedAt: '2026-11-20T09:00:00.000Z' }]],
    ['deleteItems', [{ experiments: ['../x'], runs: [], sweeps: [] }, false]],
    ['packBundle', [{ experiments: [] }]],
    ['keepDraft', ['mine', { changedAt: 'yesterday', experiment: {} }]],
    ['keepDraft', ['mine', { changedAt: '2026-11-20T09:00:00.000Z', experiment: {}, other: 7 }]],
  ] as const)('refuses %s(%j) before the service sees it', async (name, args) => {
    const called = vi.fn();
    const { window, host } = pair();
    serveWindow(host, service({ [name]: called }));
    const call = connectHost(window, toldWindow()).service[name] as (...args: unknown[]) => Promise<unknown>;
    await expect(call(...args)).rejects.toMatchObject({
      code: 'request.invalid',
      field: expect.stringContaining(name),
    });
    expect(called).not.toHaveBeenCalled();
  });

  it.each(['constructor', '__proto__', 'toString', 'shutdown'])('refuses the unknown function %s', async (method) => {
    const { window, host, sent } = pair();
    serveWindow(host, service({ ...({ shutdown: vi.fn() } as object) }));
    window.listen(() => {});
    window.post({ t: 'q', i: 'call-1', m: method, a: [] });
    await eventually(() => expect(sent).toHaveLength(2));
    expect(sent[1]).toMatchObject({ t: 's', i: 'call-1', e: { code: 'request.unknown' } });
  });

  it.each([
    null,
    7,
    [],
    {},
    { t: 'q' },
    { t: 'q', m: 'runs', a: [] },
    { t: 's', i: 'x', r: 1 },
    { t: 'q', m: 1, a: 2 },
  ])('ignores the malformed message %j and goes on', async (message) => {
    const runs = vi.fn(async () => []);
    const { window, host } = pair();
    serveWindow(host, service({ runs }));
    window.post(message);
    await connectHost(window, toldWindow()).service.runs();
    expect(runs).toHaveBeenCalledTimes(1);
  });

  describe('a call that starts a program', () => {
    const command = ['python', 'train.py', '\u001b[31m', 'a b'] as const;
    const recording = { command, folder: '/', environment: {}, light: false, lines: false } as const;
    const started = vi.fn(async () => ({}) as RecordingStatus);
    const connected = (functions: Partial<HostService> = {}) => {
      const { window, host } = pair();
      serveWindow(host, service({ startRecording: started, ...functions }));
      return connectHost(window, toldWindow()).service;
    };

    it('is refused with its command until the window allows its kind, and in each other window again', async () => {
      started.mockClear();
      const refused = {
        code: 'start.unconfirmed',
        field: 'recording',
        message: "This starts a program: python train.py '\u241b[31m' 'a b'",
      };
      const [one, other] = [connected(), connected()];
      await expect(one.startRecording(recording)).rejects.toMatchObject(refused);
      await one.allowStarts('ssh');
      await expect(one.startRecording(recording)).rejects.toMatchObject(refused);
      expect(started).not.toHaveBeenCalled();
      await one.allowStarts('recording');
      await one.startRecording(recording);
      await one.startRecording({ ...recording, command: ['python', 'eval.py'] });
      expect(started).toHaveBeenCalledTimes(2);
      await expect(other.startRecording(recording)).rejects.toMatchObject(refused);
    });

    const run = { experiment: {}, engine: 'sim' } as const;
    const sweepOf = (summary: object): Partial<HostService> => ({ readSweep: async () => ({ summary }) as Sweep });
    it.each<[string, Partial<HostService>, (host: HostService) => Promise<unknown>]>([
      ['ssh gpu-box', {}, (host) => host.connectRemote('gpu-box')],
      ['ssh gpu-box', {}, (host) => host.endRemote('gpu-box', 'remove')],
      ['sbatch', sweepOf({ slurm: { jobs: null } }), (host) => host.continueSweep('a', true)],
      ['sbatch', {}, (host) => host.startSweep({ sweep: {}, engine: 'cpu', slurm: { pointsPerJob: 1 } })],
    ])('is refused if it reaches %s', async (command, functions, call) => {
      await expect(call(connected(functions))).rejects.toMatchObject({
        code: 'start.unconfirmed',
        message: `This starts a program: ${command}`,
      });
    });

    it('is not confused with a run or a sweep on this machine', async () => {
      const called = vi.fn();
      const functions = { startRun: called, startSweep: called, continueSweep: called, ...sweepOf({}) };
      const host = connected(functions);
      await host.startRun(run);
      await host.startSweep({ sweep: {}, engine: 'sim' });
      await host.continueSweep('a', false);
      expect(called).toHaveBeenCalledTimes(3);
    });

    it('is not allowed for a kind that does not exist', async () => {
      await expect(connected().allowStarts('everything' as never)).rejects.toMatchObject({ code: 'request.invalid' });
    });
  });

  it('answers with an error when the result is too large to send', async () => {
    const { window, host } = pair();
    serveWindow(host, service({ readRun: async () => new Uint8Array(maxMessageBytes + 1) }));
    await expect(connectHost(window, toldWindow()).service.readRun('big')).rejects.toMatchObject({
      code: 'message.too-large',
    });
  });

  it('tells the window what happens, and rejects what waits when the host goes', async () => {
    const { window, host } = pair();
    const heard = toldWindow();
    const { events: tell } = serveWindow(host, service({ runs: () => new Promise(() => {}) }));
    const onLost = vi.fn();
    const connection = connectHost(window, heard, onLost);
    tell.runProgress('run-1', { phase: 'recording', done: 1, total: 5 });
    await eventually(() =>
      expect(heard.runProgress).toHaveBeenCalledWith('run-1', { phase: 'recording', done: 1, total: 5 }),
    );
    const waiting = connection.service.runs();
    const rejected = expect(waiting).rejects.toMatchObject({ code: 'connection.lost' });
    window.drop();
    await rejected;
    await expect(connection.service.runs()).rejects.toMatchObject({ code: 'connection.lost' });
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  it('tells a window that has gone without complaint', async () => {
    const { host } = pair();
    const broken: Channel = {
      ...host,
      post: () => {
        throw new Error('closed');
      },
    };
    const { events: tell } = serveWindow(broken, service({}));
    tell.experimentsChanged();
    // Rejections are handled by then, or would be reported as unhandled.
    await new Promise((resolve) => setImmediate(resolve));
    tell.experimentsChanged();
  });
});
