import { describe, expect, it } from 'vitest';
import { type ErrorInfo, toErrorInfo } from '../../../core/errors.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import type { Program } from '../../../core/program/program.ts';
import {
  h2d,
  type Operations,
  type PlainRow,
  plainRows,
  program,
  programWith,
  run,
  simulated,
  spans,
  spin,
  times,
  toyCosts,
  toyProfile,
  toyWith,
} from './toy.ts';

const d2h = (stream: string, bytes: number, more: object = {}) =>
  ({ op: 'copy', label: 'd2h', src: 'device2', dst: 'pinned2', stream, bytes, ...more }) as const;
/** Fills the device for 100 ns per pass. */
const fill = (stream: string, passes = 1) =>
  ({
    op: 'kernel',
    label: 'fill',
    kernel: { kind: 'stream', passes },
    reads: ['small'],
    writes: ['small2'],
    stream,
  }) as const;
const record = (event: string, stream: string) => ({ op: 'recordEvent', event, stream }) as const;

const device = (rows: readonly PlainRow[]) => times(rows, 'copy', 'kernel');
const host = (rows: readonly PlainRow[]) => times(rows, 'host-call', 'host-sync');

describe('one stream', () => {
  it('runs a copy, then a kernel, each after its call', () => {
    const rows = simulated([h2d('a', 100), spin('a', 50), { op: 'synchronizeStream', stream: 'a' }]);
    expect(spans(device(rows))).toBe('h2d 13-113, spin 117-167');
    expect(spans(host(rows))).toBe('cudaMemcpyAsync 0-10, cudaLaunchKernel 10-30, cudaStreamSynchronize 30-174');
  });

  it('leaves the compute gap between two kernels, and none between two copies', () => {
    expect(spans(device(simulated([spin('a', 50), spin('a', 50), h2d('b', 100), h2d('b', 10)])))).toBe(
      'spin 23-73, h2d 53-153, spin 75-125, h2d 153-163',
    );
  });

  it('prices a byte-streaming kernel by passes, in L2 and in device memory', () => {
    const stream = (src: string, passes: number) =>
      ({ op: 'kernel', label: 'mul', kernel: { kind: 'stream', passes }, reads: [src], writes: ['device2'] }) as const;
    // 2 x 100,000 bytes exceed the toy's L2 of 1000 bytes: 200 µs per pass.
    expect(spans(device(simulated([stream('device', 3)])))).toBe('mul 23-600023');
    // Within L2 half the time, except for the source, which comes from memory first.
    const profile = toyWith({ 'kernel.l2Bytes': 250_000 });
    expect(spans(device(run(program([stream('device', 3)]), profile)))).toBe('mul 23-350023');
  });
});

describe('several streams', () => {
  it('goes on with a stream that has another copy waiting before it turns to one that waited longer', () => {
    const [first, late] = [h2d('a', 300), { op: 'work', durationNs: 400 }];
    expect(spans(device(simulated([first, h2d('b', 20, { label: 'other' }), h2d('a', 10)])))).toBe(
      'h2d 13-313, h2d 313-323, other 323-343',
    );
    expect(spans(device(simulated([first, h2d('b', 200, { label: 'other' }), late, h2d('a', 10)])))).toBe(
      'h2d 13-313, other 313-513, h2d 513-523',
    );
  });

  it('lets no copy pass those that more than four streams have issued into the same queue', () => {
    const many = ['a', 'b', 'c', 'd', 'e'];
    const tested = (streams: readonly string[]) =>
      programWith({ streams: many.map((id) => ({ id })) }, [
        spin('a', 500),
        ...streams.map((stream) => h2d(stream, 10, { label: stream })),
      ]);
    // The fifth stream shares the queue of the first, whose copy waits for its kernel.
    const last = (...streams: string[]) =>
      device(run(tested(streams)))
        .slice(1)
        .map(([label]) => label);
    expect(last('a', 'b', 'c', 'd', 'e')).toEqual(['b', 'c', 'd', 'a', 'e']);
    expect(last('a', 'b', 'c', 'e')).toEqual(['b', 'c', 'e', 'a']);
    // The second stream has lost its queue to the first by then, and uses that of the third.
    expect(last('a', 'b', 'c', 'd', 'e', 'a', 'b')).toEqual(['b', 'c', 'd', 'b', 'a', 'e', 'a']);
    // The trace contains the queue's number, as CUPTI's channel does.
    const { columns, count } = simulate(tested(many), toyCosts()).trace;
    const channels = Array.from({ length: count }, (_, row) => columns.channel[row] ?? -1);
    expect(channels.filter((channel) => channel >= 0)).toEqual([1, 2, 3, 0, 0]);
  });

  it('shares the link between directions, exactly from where both run', () => {
    // From 23 on both get 3/4 of a byte per ns: 290 bytes take 386.67 ns, and the last 10 run alone.
    expect(spans(device(simulated([h2d('a', 300), d2h('b', 300)])))).toBe('h2d 13-410, d2h 23-420');
  });

  it('runs kernels that fill the device one after another, and others at once', () => {
    const full = program([fill('a'), fill('b'), fill('a')]);
    expect(spans(device(run(full)))).toBe('fill 23-173, fill 173-323, fill 323-473');
    // Half of the multiprocessors need twice the time on this machine.
    expect(spans(device(run(withShares(full, 0.5))))).toBe('fill 23-323, fill 43-343, fill 325-625');
  });

  it('lets what fits pass what does not', () => {
    const part = (stream: string, smShare: number) => ({ ...spin(stream, 1000, `${smShare}`), smShare });
    expect(spans(device(simulated([part('a', 0.5), part('b', 0.75), spin('blocking', 10)])))).toBe(
      '0.5 23-1023, spin 63-73, 0.75 1023-2023',
    );
  });

  it('starts what fills the device in the room that others leave, and the rest of it when they are over', () => {
    // The first has half of each of half of the multiprocessors: three quarters of the second continue from 43 on.
    expect(spans(device(simulated([{ ...spin('a', 1000), smShare: 0.5 }, fill('b', 10)])))).toBe(
      'spin 23-1023, fill 43-1338',
    );
  });

  it('a kernel that fills the device leaves no place for a single thread, but starts while one runs', () => {
    expect(spans(device(simulated([spin('b', 100), fill('a', 10), spin('blocking', 10)])))).toBe(
      'spin 23-123, fill 43-1093, spin 1093-1103',
    );
  });

  it('runs as many kernels at once as the device takes', () => {
    const spins = ['a', 'b', 'blocking', 'blocking2'].map((stream) => spin(stream, 1000));
    expect(device(simulated(spins)).map(([, start]) => start)).toEqual([23, 43, 63, 1023]);
  });

  it('shares one copy engine where the device has only one', () => {
    const profile = { ...toyProfile, device: { ...toyProfile.device, asyncEngineCount: 1 } };
    expect(spans(device(run(program([h2d('a', 100), d2h('b', 100)]), profile)))).toBe('h2d 13-113, d2h 113-213');
  });

  it('runs a device-to-device copy on the compute lane, after a kernel there', () => {
    const rows = simulated([
      fill('a'),
      { op: 'copy', label: 'd2d', src: 'device', dst: 'device2', stream: 'b', bytes: 100 },
    ]);
    expect(device(rows)).toEqual([
      ['fill', 23, 173],
      // 100 bytes are read and written at 1 byte per nanosecond, and a copy takes at least 1 ns.
      ['d2d', 173, 374],
    ]);
    expect(rows.filter(({ kind }) => kind === 'copy').map(({ engine }) => engine)).toEqual(['compute:gpu']);
  });
});

describe('events', () => {
  it('release the thread that synchronises on them, though the stream has more to do', () => {
    const rows = simulated([h2d('a', 100), record('e', 'a'), h2d('a', 1000), { op: 'synchronizeEvent', event: 'e' }]);
    expect(host(rows).at(-1)).toEqual(['cudaEventSynchronize', 25, 120]);
  });
});

describe('default streams', () => {
  it('per-thread ones overlap each other and synchronise with the legacy one', () => {
    const rows = simulated([h2d('per-thread', 100), spin('legacy', 50)], [d2h('per-thread', 10)]);
    // The first 10 bytes each way share the link.
    expect(spans(device(rows))).toBe('h2d 13-116, d2h 13-26, spin 120-170');
  });
});

describe('pageable memory', () => {
  const stagedIn = { op: 'copy', label: 'in', src: 'pageable', dst: 'device', stream: 'a', bytes: 250 } as const;
  const stagedOut = { op: 'copy', label: 'out', src: 'device', dst: 'pageable', stream: 'a', bytes: 250 } as const;

  it('to the device: the host stages pieces, the engine follows', () => {
    // Pieces of 100, 100 and 50 bytes are staged at 200, 400 and 500. The launch latency comes before the first alone.
    const rows = simulated([stagedIn]);
    expect(spans(host(rows))).toBe('cudaMemcpyAsync 0-500');
    expect(spans(device(rows))).toBe('in 203-550');
  });

  it('to the device: the host is blocked while no piece of the buffer is free', () => {
    const rows = simulated([spin('a', 10_000), stagedIn]);
    // Two pieces wait for the kernel; the third is staged while the second moves.
    expect(device(rows).at(-1)).toEqual(['in', 10_027, 10_277]);
    expect(host(rows).at(-1)).toEqual(['cudaMemcpyAsync', 20, 10_227]);
  });

  it('to the device: a small copy returns at once and runs on the compute channel', () => {
    const rows = simulated([spin('b', 1000), { ...stagedIn, bytes: 16 }, h2d('b', 1)]);
    expect(host(rows)[1]).toEqual(['cudaMemcpyAsync', 20, 52]);
    expect(rows.find(({ name }) => name === 'in')).toMatchObject({ start: 55, end: 71, engine: 'compute:gpu' });
  });

  it('from the device: the call returns when everything has arrived', () => {
    const rows = simulated([stagedOut]);
    expect(spans(host(rows))).toBe('cudaMemcpyAsync 0-750');
    // 647 ns of copying out at 2.588 ns per byte; the last piece moves when the first has left the buffer, at 361.8.
    expect(spans(device(rows))).toBe('out 3-412');
  });

  it('from the device: waits for the stream first', () => {
    const rows = simulated([spin('a', 1000), stagedOut]);
    // The kernel ends at 1020 + 3, 4 ns later the copy begins.
    expect(device(rows).at(-1)?.[1]).toBe(1027);
    expect(host(rows).at(-1)).toEqual(['cudaMemcpyAsync', 20, 1027 + 747]);
  });

  it("lets another stream's copy pass between its pieces", () => {
    const rows = simulated([stagedIn], [{ op: 'work', durationNs: 300 }, h2d('b', 60)]);
    // The engine is free from 303 to 403; the piece staged at 400 loses no time.
    expect(spans(device(rows))).toBe('in 203-550, h2d 313-373');
  });

  it('host to host: the calling thread copies, in the order of the stream', () => {
    const copy = { op: 'copy', label: 'h2h', src: 'pageable', dst: 'pinned', stream: 'a', bytes: 100 } as const;
    const rows = simulated([h2d('a', 100), copy, spin('a', 5)]);
    expect(rows.find(({ name }) => name === 'h2h')).toMatchObject({
      start: 120,
      end: 220,
      lane: 'stream:a',
      engine: '',
    });
    expect(host(rows)[1]).toEqual(['cudaMemcpyAsync', 10, 220]);
  });
});

describe('host threads', () => {
  it('are held by cudaMemcpy until the copy is complete', () => {
    const rows = simulated([h2d('a', 100, { mode: 'blocking-memcpy' }), h2d('a', 100, { mode: 'blocking-to' })]);
    expect(spans(host(rows))).toBe('cudaMemcpy 0-120, cudaMemcpyAsync 120-130, cudaStreamSynchronize 130-240');
    expect(rows.filter(({ op }) => op === 1)).toHaveLength(3);
  });

  it('are not held by cudaMemcpy within the device', () => {
    const within = { op: 'copy', src: 'device', dst: 'device2', bytes: 100 } as const;
    const [held] = host(simulated([{ ...within, mode: 'blocking-memcpy' }]));
    const [issued] = host(simulated([{ ...within, mode: 'async', stream: 'default' }]));
    expect(held).toEqual(['cudaMemcpy', ...(issued?.slice(1) ?? [])]);
  });

  it('block when the queue is full, until an operation completes', () => {
    const profile = toyWith({ 'queue.depth': 2 });
    const rows = run(program([spin('a', 100), spin('a', 100), spin('a', 100), spin('b', 1)]), profile);
    expect(spans(host(rows))).toBe(
      'cudaLaunchKernel 0-20, cudaLaunchKernel 20-40, cudaLaunchKernel 40-143, cudaLaunchKernel 143-163',
    );
  });

  it('work, read, write, query and mark ranges, in loops', () => {
    const rows = simulated([
      {
        op: 'repeat',
        count: 2,
        operations: [
          {
            op: 'range',
            name: 'step',
            operations: [
              { op: 'write', label: 'fill', buffer: 'pinned', bytes: 30, pattern: { kind: 'index' } },
              { op: 'read', label: 'look', buffer: 'pinned', bytes: 20 },
              { op: 'work', label: 'think', durationNs: 10 },
              { op: 'repeat', count: 2, operations: [{ op: 'queryStream', stream: 'a' }] },
              { op: 'queryEvent', event: 'e' },
            ],
          },
        ],
      },
    ]);
    const one = (from: number) => [
      ['host-range', 'step', from, from + 75],
      ['host-write', 'fill', from, from + 30],
      ['host-read', 'look', from + 30, from + 50],
      ['host-work', 'think', from + 50, from + 60],
      ['host-call', 'cudaStreamQuery', from + 60, from + 65],
      ['host-call', 'cudaStreamQuery', from + 65, from + 70],
      ['host-call', 'cudaEventQuery', from + 70, from + 75],
    ];
    expect(rows.map(({ kind, name, start, end }) => [kind, name, start, end])).toEqual([...one(0), ...one(75)]);
  });

  it('wait for streams that other threads fill', () => {
    const rows = simulated([h2d('a', 500)], [{ op: 'work', durationNs: 50 }, { op: 'synchronizeDevice' }]);
    expect(spans(times(rows, 'host-sync'))).toBe('cudaDeviceSynchronize 50-520');
  });
});

describe('the trace', () => {
  it('has the lanes of a native run: threads, streams, then the engines in use', () => {
    const { trace } = simulate(program([d2h('b', 1), spin('default', 1)], [h2d('a', 1)]), toyCosts());
    expect(trace.lanes.map(({ id, name }) => [id, name])).toEqual([
      ['thread:main', 'main'],
      ['thread:thread1', 'thread1'],
      ['stream:a', 'a'],
      ['stream:b', 'b'],
      ['stream:blocking', 'blocking'],
      ['stream:blocking2', 'blocking2'],
      ['stream:legacy default', 'legacy default'],
      ['engine:gpu:h2d', 'H2D engine'],
      ['engine:gpu:d2h', 'D2H engine'],
      ['compute:gpu', 'Compute'],
    ]);
    expect(simulate(program([spin('a', 1)]), toyCosts()).trace.lanes.map(({ id }) => id)).not.toContain(
      'engine:gpu:h2d',
    );
  });

  it('ends where the makespan does', () => {
    const result = simulate(
      program([h2d('a', 100), { op: 'synchronizeDevice' }, { op: 'work', durationNs: 11 }]),
      toyCosts(),
    );
    expect(result.makespanNs).toBe(131);
    expect(Math.max(...plainRows(result.trace).map(({ end }) => end))).toBe(131);
  });
});

describe("programs that can't be simulated", () => {
  it('a program that never ends is refused before it starts', () => {
    const endless = program([
      {
        op: 'repeat',
        count: 10_000_000,
        operations: [{ op: 'repeat', count: 10_000_000, operations: [spin('a', 1)] }],
      },
    ]);
    expect(() => simulate(endless, toyCosts())).toThrow(expect.objectContaining({ code: 'simulation.too-long' }));
  });

  describe('because they are too long', () => {
    const error = (...threads: Operations[]): ErrorInfo => {
      try {
        simulate(programWith({}, ...threads), toyCosts(), { maxInstructions: 100 });
      } catch (thrown) {
        return toErrorInfo(thrown);
      }
      throw new Error('it was simulated');
    };
    const repeat = (count: number, ...operations: Operations) => ({ op: 'repeat' as const, count, operations });
    const work = { op: 'work', durationNs: 1 } as const;

    it('the repeat is named, and the count that fits', () => {
      const given = error([work], [work, repeat(3, work), repeat(1000, work, work)]);
      expect(given).toMatchObject({
        code: 'simulation.too-long',
        field: 'threads[1].operations[2].count',
        message: expect.stringContaining('count 1000'),
      });
      const [, most] = /to (\d+) at most/.exec(given.remedy ?? '') ?? [];
      const fits = (count: number) => () =>
        simulate(programWith({}, [work], [work, repeat(3, work), repeat(count, work, work)]), toyCosts(), {
          maxInstructions: 100,
        });
      expect(fits(Number(most))).not.toThrow();
      expect(fits(Number(most) + 1)).toThrow();
    });

    it('the error names the nested repeat whose count can be lowered far enough', () => {
      expect(error([repeat(1, repeat(1000, work))]).field).toBe('threads[0].operations[0].operations[0].count');
      expect(error([repeat(2, repeat(1000, work))]).field).toBe('threads[0].operations[0].operations[0].count');
      expect(error([repeat(50, repeat(20, work))]).field).toBe('threads[0].operations[0].count');
    });

    it('the list of operations is named where no count of one repeat would do', () => {
      const long = Array.from({ length: 200 }, () => work);
      expect(error([work], long)).toMatchObject({ field: 'threads[1].operations', remedy: expect.any(String) });
      expect(error([repeat(2, ...long)])).toMatchObject({ field: 'threads[0].operations' });
    });
  });

  it('a program that gets stuck names the thread and the call', () => {
    const signals = [{ id: 'full', capacity: 1 }];
    const signalled = programWith(
      { signals },
      [{ op: 'waitSignal', signal: 'full' }],
      [{ op: 'signal', signal: 'full' }],
    );
    const stuck = { ...signalled, threads: signalled.threads.slice(0, 1) };
    expect(() => simulate(stuck, toyCosts())).toThrow(
      expect.objectContaining({
        code: 'simulation.deadlock',
        op: 0,
        message: expect.stringContaining('"main" in wait for full'),
      }),
    );
  });
});

/** Returns the program with another share for each kernel: an experiment may request it, but no engine has it yet. */
function withShares(tested: Program, smShare: number): Program {
  const threads = tested.threads.map((thread) => ({
    ...thread,
    instructions: thread.instructions.map((one) => (one.code === 'kernel' ? { ...one, smShare } : one)),
  }));
  return { ...tested, threads };
}
