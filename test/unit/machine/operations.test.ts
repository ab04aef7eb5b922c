import { describe, expect, it } from 'vitest';
import type { DeviceProfile } from '../../../core/machine/profile/profile.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import {
  buffers,
  h2d,
  type Operations,
  type PlainRow,
  program,
  programWith,
  run,
  simulated,
  spans,
  spin,
  streams,
  times,
  toyCosts,
  toyProfile,
  toyWith,
} from './toy.ts';

const memset = (stream: string, bytes: number) =>
  ({ op: 'memset', label: 'memset', buffer: 'device', stream, bytes }) as const;
const hostFunction = (stream: string, durationNs: number, label = 'function') =>
  ({ op: 'hostFunction', label, durationNs, stream }) as const;
const sync = (stream: string) => ({ op: 'synchronizeStream', stream }) as const;
const launch = (stream: string) => ({ op: 'graphLaunch', graph: 'g', stream }) as const;
const capture = (...operations: Operations) => ({ op: 'graphCapture', graph: 'g', stream: 'a', operations }) as const;

const device = (rows: readonly PlainRow[]) => times(rows, 'copy', 'kernel', 'memset', 'host-function');
const host = (rows: readonly PlainRow[]) => times(rows, 'host-call', 'host-sync', 'host-work');

it('memset runs on the compute channel', () => {
  const rows = simulated([memset('a', 100), memset('b', 100)]);
  expect(spans(device(rows))).toBe('memset 8-58, memset 58-108');
  expect(host(rows).map(([name]) => name)).toEqual(['cudaMemsetAsync', 'cudaMemsetAsync']);
  expect(rows.find(({ kind }) => kind === 'memset')?.engine).toBe('compute:gpu');
});

describe('host functions', () => {
  it("run on CUDA's one thread, after what comes before them in their stream", () => {
    const rows = simulated([spin('a', 100), hostFunction('a', 50, 'first'), hostFunction('b', 20, 'second')]);
    // The second starts at its arrival at 33, the first 6 ns after its kernel at 123.
    expect(spans(device(rows))).toBe('spin 23-123, second 33-53, first 129-179');
  });

  it('keep each other waiting, and what follows them', () => {
    const rows = simulated([hostFunction('a', 50, 'first'), hostFunction('b', 20, 'second'), spin('b', 10), sync('b')]);
    expect(spans(device(rows))).toBe('first 8-58, second 58-78, spin 82-92');
    expect(host(rows).at(-1)).toEqual(['cudaStreamSynchronize', 30, 99]);
  });
});

it('item() copies a scalar into pageable memory and waits for its stream', () => {
  const rows = simulated([spin('a', 100), { op: 'item', buffer: 'device', stream: 'a' }]);
  const names = rows.filter(({ op }) => op === 1).map(({ name, kind }) => [kind, name]);
  expect(names).toEqual([
    ['host-call', 'cudaMemcpyAsync'],
    ['copy', 'item device'],
    ['host-sync', 'cudaStreamSynchronize'],
  ]);
  const copy = rows.find(({ kind }) => kind === 'copy');
  expect(copy?.start).toBe(127);
  expect(rows.find(({ name }) => name === 'cudaMemcpyAsync')?.end).toBeGreaterThan(copy?.end ?? 0);
});

it('launch blocking makes each call wait for its work', () => {
  const tested = programWith({ environment: { launchBlocking: true } }, [spin('a', 100), spin('b', 50)]);
  expect(spans(host(run(tested)))).toBe('cudaLaunchKernel 0-130, cudaLaunchKernel 130-210');
  expect(spans(device(run(tested)))).toBe('spin 23-123, spin 153-203');
});

it('the more urgent of two waiting pieces of work starts first', () => {
  const urgent = [...(streams ?? []), { id: 'urgent', priority: -2 }];
  const fill = (stream: string, label: string) =>
    ({ op: 'kernel', label, kernel: { kind: 'stream' }, reads: ['small'], writes: ['small2'], stream }) as const;
  const tested = programWith({ streams: urgent }, [
    fill('a', 'running'),
    fill('b', 'waiting'),
    fill('urgent', 'urgent'),
  ]);
  expect(device(run(tested)).map(([name]) => name)).toEqual(['running', 'urgent', 'waiting']);
});

describe('signals', () => {
  const signal = { op: 'signal', signal: 'full' } as const;
  const wait = { op: 'waitSignal', signal: 'full' } as const;
  const work = (durationNs: number) => ({ op: 'work', durationNs }) as const;
  const withSignal = (capacity: number, ...threads: Operations[]) =>
    run(programWith({ signals: [{ id: 'full', capacity }] }, ...threads));

  it('block a thread until another one gives them', () => {
    const rows = withSignal(1, [work(100), signal], [wait, work(5)]);
    expect(spans(times(rows, 'host-sync'))).toBe('wait for full 0-108, signal full 100-101');
  });

  it('block the thread that would give more than their capacity', () => {
    const rows = withSignal(1, [signal, signal, work(5)], [work(100), wait, wait]);
    expect(spans(times(rows, 'host-sync'))).toBe(
      'signal full 0-1, signal full 1-108, wait for full 100-101, wait for full 101-102',
    );
  });

  it('that never come are a deadlock', () => {
    expect(() => withSignal(1, [wait])).toThrow(
      expect.objectContaining({
        code: 'simulation.deadlock',
        message: 'the program can\'t go on: thread "main" in wait for full waits for something that never happens.',
        remedy: 'Let another thread signal "full" as often as it is waited for, before it waits for this one itself.',
      }),
    );
  });

  it('that nobody takes block the thread for ever where they have no room', () => {
    expect(() => withSignal(1, [signal, signal])).toThrow(
      expect.objectContaining({
        remedy: 'Let another thread wait for "full" as often as it is signalled, or give it more capacity.',
      }),
    );
  });
});

describe('event timing', () => {
  const record = (event: string) => ({ op: 'recordEvent', event, stream: 'a' }) as const;
  const elapsed = { op: 'elapsedTime', start: 'e', end: 'f' } as const;

  it('takes the time between two events that are reached', () => {
    const rows = simulated([record('e'), spin('a', 50), record('f'), sync('a'), elapsed]);
    expect(host(rows).at(-1)?.[0]).toBe('cudaEventElapsedTime');
  });

  it('is an error before that', () => {
    const early = [record('e'), spin('a', 50), record('f'), elapsed];
    expect(() => simulated(early)).toThrow(expect.objectContaining({ code: 'run.event-not-complete', op: 3 }));
    expect(() => simulated([record('e'), elapsed])).toThrow(expect.objectContaining({ op: 1 }));
  });
});

describe('graphs', () => {
  it('run what was captured at each launch, and cost three calls to make', () => {
    const rows = simulated([capture(spin('a', 50), h2d('a', 100)), launch('b'), launch('b'), sync('b')]);
    // Beyond the sizes in its tables the toy's costs grow with the number of nodes.
    expect(spans(host(rows))).toBe(
      'cudaStreamBeginCapture 0-5, cudaLaunchKernel 5-6, cudaMemcpyAsync 6-7, cudaStreamEndCapture 7-17, cudaGraphInstantiate 17-217, cudaGraphUpload 217-277, cudaGraphLaunch 277-290, cudaGraphLaunch 290-303, cudaStreamSynchronize 303-614',
    );
    expect(spans(device(rows))).toBe('spin 293-344, h2d 348-448, spin 452-503, h2d 507-607');
  });

  it('launched in two streams wait for the launch before, unless they were captured anew', () => {
    const startOfSecond = (...between: Operations) =>
      device(simulated([capture(spin('a', 5000, 'first')), launch('a'), ...between, launch('b')]))[1]?.[1] ?? 0;
    expect(startOfSecond()).toBeGreaterThan(5000);
    expect(startOfSecond(capture(spin('a', 5000, 'second')))).toBeLessThan(5000);
  });

  it('run as they were when they were launched, also where they are captured anew before their turn', () => {
    const rows = simulated([
      ...[spin('b', 5000), capture(spin('a', 50)), launch('b'), capture(spin('a', 300)), launch('b')],
    ]);
    const lasted = rows.filter(({ kind }) => kind === 'kernel').map(({ start, end }) => end - start);
    expect((lasted[2] ?? 0) - (lasted[1] ?? 0)).toBe(250);
  });

  it('show their work in the launching stream, under its own number and the correlation of the launch', () => {
    const rows = simulated([capture(spin('a', 50)), launch('b')]);
    const kernel = rows.find(({ kind }) => kind === 'kernel');
    const call = rows.find(({ name }) => name === 'cudaGraphLaunch');
    expect(kernel).toMatchObject({ lane: 'stream:b', op: 1, correlation: call?.correlation });
  });

  it('overlap their branches, and keep their edges', () => {
    const record = (event: string, stream: string) => ({ op: 'recordEvent', event, stream }) as const;
    const wait = (event: string, stream: string) => ({ op: 'waitEvent', event, stream }) as const;
    const forked = capture(
      spin('a', 50, 'before'),
      record('e', 'a'),
      wait('e', 'b'),
      spin('b', 70, 'branch'),
      record('f', 'b'),
      spin('a', 30, 'trunk'),
      wait('f', 'a'),
      spin('a', 10, 'after'),
    );
    const rows = device(simulated([forked, launch('a')]));
    const of = (name: string) => rows.find((row) => row[0] === name) ?? ['', Number.NaN, Number.NaN];
    expect(of('branch')[1]).toBe(of('before')[2]);
    expect(of('trunk')[1]).toBe(of('before')[2]);
    expect(of('after')[1]).toBe(of('branch')[2]);
  });

  it('launched before another thread has captured them are an error', () => {
    const early = program([{ op: 'work', durationNs: 100 }, capture(spin('a', 1))], [launch('b')]);
    expect(() => run(early)).toThrow(expect.objectContaining({ code: 'run.graph-not-captured' }));
  });
});

describe('kernels', () => {
  const arithmetic = (stream: string, flops: number, smShare: number) =>
    ({ op: 'kernel', label: 'math', kernel: { kind: 'arithmetic', flops }, smShare, stream }) as const;
  const stream = (src: string, dst: string, passes = 1) =>
    ({
      op: 'kernel',
      label: 'stream',
      kernel: { kind: 'stream', passes },
      reads: [src],
      writes: [dst],
      stream: 'a',
    }) as const;

  it('kernels of arithmetic last by their operations, and longer on fewer multiprocessors', () => {
    expect(spans(device(simulated([arithmetic('a', 100, 1)])))).toBe('math 23-123');
    expect(spans(device(simulated([arithmetic('a', 100, 0.25)])))).toBe('math 23-423');
  });

  it('kernels overlap if each has multiprocessors of its own', () => {
    expect(spans(device(simulated([arithmetic('a', 100, 0.5), arithmetic('b', 100, 0.5)])))).toBe(
      'math 23-223, math 43-243',
    );
  });

  it('kernels of arithmetic fill what an older one leaves, and do not end before it', () => {
    const both = (flops: number) =>
      device(run(program([arithmetic('a', 100, 0.5), arithmetic('b', flops, 1)]))).map(([, , end]) => end);
    // 200 ns for the first, which leaves half: 90 of 100 are done at its end at 223, without the waiting quarter.
    expect(both(100)).toEqual([223, 248]);
    // A quarter of it waits, however small it is.
    expect(both(20)).toEqual([223, 228]);
    // More than the first leaves until its end.
    expect(both(200)).toEqual([223, 333]);
  });

  it('take room by their bytes where the profile says how many fill the device', () => {
    const filling = toyWith({ 'kernel.fillBytes': 400 });
    const small = (on: string) => ({ ...stream('small', 'small2', 10), stream: on });
    const starts = (profile: DeviceProfile) =>
      device(run(program([small('a'), small('b')]), profile)).map(([, start]) => start);
    expect(starts(toyProfile)).toEqual([23, 1073]);
    expect(starts(filling)).toEqual([23, 43]);
  });

  it('kernels on mapped memory move its bytes over the link, while copies do so too', () => {
    const mapped = [...(buffers ?? []), { id: 'mapped', memory: 'mapped', bytes: 1000 }];
    const rows = (...operations: Operations) => device(run(programWith({ buffers: mapped }, operations)));
    // Two of the destination's device passes are faster than its 1000 bytes over the link.
    expect(spans(rows(stream('mapped', 'device')))).toBe('stream 23-1023');
    expect(spans(rows(stream('device', 'mapped')))).toBe('stream 23-1023');
    // Both need a byte a nanosecond inwards from 33 on: each gets half of it.
    expect(spans(rows(stream('mapped', 'device'), h2d('b', 200)))).toBe('stream 23-1223, h2d 33-433');
  });

  it('on mapped memory leave copies of both directions a part of their rate where the profile says so', () => {
    const mapped = [...(buffers ?? []), { id: 'mapped', memory: 'mapped', bytes: 1000 }];
    const rows = (...operations: Operations) =>
      device(run(programWith({ buffers: mapped }, operations), toyWith({ 'link.besideMappedPart': 0.1 })));
    // It needs a byte a nanosecond, and leaves a tenth for a copy: 99 of 200 bytes are moved before it ends.
    const d2h = { op: 'copy', label: 'd2h', src: 'device2', dst: 'pinned2', stream: 'b', bytes: 200 };
    expect(spans(rows(stream('mapped', 'device'), d2h))).toBe('stream 23-1023, d2h 33-1124');
    expect(rows(stream('device', 'mapped'), h2d('b', 200))[0]).toEqual(['stream', 23, 1023]);
  });
});

describe('allocators', () => {
  const roomy = { ...toyProfile, device: { ...toyProfile.device, memoryBytes: 2 ** 30 } };
  const made = (memory: string, bytes = 1000) => [
    ...(buffers ?? []),
    { id: 'made', memory, bytes, allocated: 'by-operation' },
  ];
  const allocate = (allocator: string) => ({ op: 'allocate', buffer: 'made', allocator, stream: 'a' }) as const;
  const free = { op: 'free', buffer: 'made', stream: 'a' } as const;
  const calls = (memory: string, warmups: number, ...operations: Operations) => {
    const environment = { warmups, poolReleaseThreshold: 1000 };
    return times(run(programWith({ buffers: made(memory), environment }, operations), roomy), 'host-call');
  };

  it('cudaMalloc and cudaFree wait for the device', () => {
    expect(spans(calls('device', 0, spin('b', 100), allocate('cuda-malloc'), spin('b', 100), free))).toBe(
      'cudaLaunchKernel 0-20, cudaMalloc 20-173, cudaLaunchKernel 173-193, cudaFree 193-336',
    );
  });

  it('a pool waits for nothing', () => {
    expect(spans(calls('device', 1, spin('b', 100), allocate('pool'), free))).toBe(
      'cudaLaunchKernel 0-20, cudaMallocAsync 20-24, cudaFreeAsync 24-27',
    );
  });

  it('the caching allocator asks CUDA once', () => {
    const cold = calls('device', 0, allocate('caching'), free, allocate('caching'));
    expect(cold.map(([name]) => name)).toEqual(['cudaMalloc', 'free made', 'allocate made']);
    const warm = calls('device', 1, allocate('caching'), free);
    expect(warm.map(([name]) => name)).toEqual(['allocate made', 'free made']);
  });

  it('the caching allocator keeps a block that another stream still uses', () => {
    const again = [
      allocate('caching'),
      { op: 'recordStream', buffer: 'made', stream: 'b' },
      spin('b', 10_000),
      free,
      { op: 'allocate', buffer: 'other', stream: 'a' },
    ];
    const other = { id: 'other', memory: 'device', bytes: 2_000_000, allocated: 'by-operation' };
    const both = [...made('device', 2_000_000), other];
    const asked = (bytes: number, operations: Operations) => {
      const sized = both.map((one) => (one.id === 'made' || one.id === 'other' ? { ...one, bytes } : one));
      const tested = programWith({ buffers: sized, environment: { warmups: 0 } }, operations);
      return times(run(tested, roomy), 'host-call').filter(([name]) => name === 'cudaMalloc').length;
    };
    const large = 12 * 2 ** 20;
    expect(asked(large, again)).toBe(2);
    expect(
      asked(
        large,
        again.filter(({ op }) => op !== 'recordStream'),
      ),
    ).toBe(1);
    // A segment of 20 MiB has room for both.
    expect(asked(2_000_000, again)).toBe(1);
  });

  it('run out of memory by name', () => {
    const tested = programWith({ buffers: made('device', 2_000_000) }, [allocate('cuda-malloc')]);
    expect(() => run(tested)).toThrow(
      expect.objectContaining({ code: 'run.out-of-memory', field: 'buffers.made', op: 0 }),
    );
  });

  it('pinning copies on the host, into memory that is cached from the second iteration on', () => {
    const pin = { op: 'pin', src: 'pageable', dst: 'made' } as const;
    const rows = (warmups: number) =>
      host(run(programWith({ buffers: made('pinned', 100_000), environment: { warmups } }, [pin, free])));
    expect(spans(rows(0))).toBe('cudaHostAlloc 0-500, pin pageable 500-100500, free made 100500-100501');
    expect(rows(1).map(([name]) => name)).toEqual(['pin pageable', 'pin pageable', 'free made']);
  });
});

describe('several devices', () => {
  const two = {
    devices: [{ id: 'gpu' }, { id: 'gpu1', index: 1 }],
    buffers: [...(buffers ?? []), { id: 'far', memory: 'device', device: 'gpu1', bytes: 100_000 }],
    streams: [...(streams ?? []), { id: 'there', device: 'gpu1' }],
  };
  const toFar = { op: 'copy', label: 'far', src: 'pinned', dst: 'far', stream: 'there', bytes: 300 } as const;
  const peer = { op: 'copy', label: 'peer', src: 'device', dst: 'far', stream: 'a', bytes: 1000 } as const;

  it('have engines and links of their own', () => {
    expect(spans(device(run(programWith(two, [h2d('a', 300), toFar]))))).toBe('h2d 13-313, far 23-323');
  });

  it('copy to each other over the peer link, and by way of the host without access', () => {
    const rows = run(programWith({ ...two, environment: { peerAccess: true } }, [peer]));
    expect(spans(device(rows))).toBe('peer 13-113');
    expect(rows.find(({ kind }) => kind === 'copy')?.engine).toBe('engine:gpu:d2d');
    expect(spans(device(run(programWith(two, [peer]))))).toBe('peer 23-2023');
  });

  it('two devices run nothing during a cudaMemcpy between them, whatever their streams', () => {
    const far = (label: string) =>
      ({ op: 'kernel', label, kernel: { kind: 'spin', durationNs: 1000 }, stream: 'there' }) as const;
    const copy = { ...peer, mode: 'blocking-memcpy' } as const;
    const rows = (one: Operations[number]) =>
      run(programWith(two, [spin('a', 100, 'here before'), far('there before'), one, spin('a', 100), far('far')]));
    // Neither stream synchronises with the default stream. A switch between engines takes 4 ns.
    expect(spans(device(rows(copy)))).toBe(
      'here before 23-123, there before 43-1043, peer 1047-3047, far 3051-4051, spin 3051-3151',
    );
    expect(host(rows(copy))).toContainEqual(['cudaMemcpy', 40, 60]);
    expect(device(rows({ ...copy, mode: 'async', stream: 'legacy' }))).toContainEqual(['peer', 63, 2063]);
  });

  it('devices go on during a cudaMemcpy between two others, or within one', () => {
    const devices = [...two.devices, { id: 'gpu2', index: 2 }];
    const buffers = [...two.buffers, { id: 'third', memory: 'device', device: 'gpu2', bytes: 1000 } as const];
    const kernel = spin('a', 5000, 'here');
    const between = { ...peer, src: 'far', dst: 'third', mode: 'blocking-memcpy' } as const;
    const within = { ...peer, dst: 'device2', mode: 'blocking-memcpy' } as const;
    for (const copy of [between, within]) {
      const rows = run(programWith({ ...two, devices, buffers }, [kernel, copy, spin('b', 10, 'beside')]));
      const [first, ...others] = device(rows);
      for (const [, start] of others) expect(start).toBeLessThan(first?.[2] ?? 0);
      expect(others.length).toBe(2);
    }
  });

  it('are synchronised one by one', () => {
    const far = { op: 'kernel', label: 'far', kernel: { kind: 'spin', durationNs: 1000 }, stream: 'there' } as const;
    const rows = run(programWith(two, [far, spin('a', 10), { op: 'synchronizeDevice' }]));
    expect(host(rows).at(-1)).toEqual(['cudaDeviceSynchronize', 40, 60]);
  });
});

describe('multi-tensor copies', () => {
  const copies = (more: object) =>
    run(programWith({ environment: { warmups: 1 } }, [{ op: 'multiCopy', label: 'many', stream: 'a', ...more }]));
  const payload = (tensors: number, bytes: number, memory = 'pageable') => ({ tensors, bytes, memory });
  const end = (rows: readonly PlainRow[]) => Math.max(...rows.map((row) => row.end));
  const moved = (rows: readonly PlainRow[]) => rows.filter(({ kind }) => kind === 'copy').length;

  it('one by one wait for each tensor, or once for all', () => {
    const blocking = copies({ strategy: 'blocking-loop', payload: payload(3, 100, 'pinned') });
    expect(host(blocking).map(([name]) => name)).toEqual([
      'cudaMemcpyAsync',
      'cudaStreamSynchronize',
      'cudaMemcpyAsync',
      'cudaStreamSynchronize',
      'cudaMemcpyAsync',
      'cudaStreamSynchronize',
    ]);
    const free = copies({ strategy: 'non-blocking-loop', payload: payload(3, 100, 'pinned') });
    expect(device(free).map(([, start]) => start)).toEqual([13, 113, 213]);
    expect(end(free)).toBe(320);
    expect(end(blocking)).toBe(3 * 120);
  });

  it('pinned first pay for a copy on the host', () => {
    const rows = copies({ strategy: 'pin-then-copy-non-blocking', payload: payload(2, 100) });
    // A block of page-locked memory is found in 1 ns.
    expect(spans(times(rows, 'host-work'))).toBe('many 0-101, many 111-212');
    expect(device(rows).map(([, start]) => start)).toEqual([114, 225]);
  });

  it('pinned by threads go faster, as the memory of the host allows', () => {
    const fast = toyProfile.parameters['copies.h2d.pinned'].map(([bytes, ns]) => [bytes, ns / 100] as const);
    const last = (threads: number) => {
      const one = { op: 'multiCopy', strategy: 'threaded-pinning', options: { threads }, payload: payload(40, 10_000) };
      return end(run(programWith({}, [{ ...one, stream: 'a' }]), toyWith({ 'copies.h2d.pinned': fast })));
    };
    // Two threads copy twice as fast together, four three times, and more than four no faster.
    expect(last(2) / last(1)).toBeCloseTo(1 / 2, 1);
    expect(last(4) / last(1)).toBeCloseTo(1 / 3, 1);
    expect(last(8) / last(1)).toBeCloseTo(1 / 3, 1);
  });

  it('packed cross in few copies', () => {
    const rows = copies({ strategy: 'packed', payload: payload(100, 16) });
    expect(moved(rows)).toBe(1);
    const chunked = copies({ strategy: 'packed', payload: payload(100, 16), options: { max_packed_chunk_bytes: 400 } });
    expect(moved(chunked)).toBe(4);
  });

  it.each(['h2d', 'd2h'])('pipelined (%s) keep the link busy while other threads copy', (direction) => {
    const options = { threads: 4, slotBytes: 65_536, slotsPerThread: 2 };
    const rows = copies({ direction, strategy: 'pipelined', payload: payload(10, 1_000_000), options });
    expect(end(rows)).toBeLessThan(1.1 * 10_000_000);
    const oneSlot = { ...options, threads: 1, slotsPerThread: 1 };
    const alone = copies({ direction, strategy: 'pipelined', payload: payload(10, 1_000_000), options: oneSlot });
    expect(end(alone)).toBeGreaterThan(1.8 * 10_000_000);
  });

  it.each(['blocking-loop', 'pin-then-copy', 'threaded-pinning', 'packed', 'pipelined'])(
    'by %s move every byte in every direction',
    (strategy) => {
      for (const direction of ['h2d', 'd2h', 'd2d']) {
        const tested = programWith({}, [
          { op: 'multiCopy', strategy, direction, payload: payload(7, 300_000), stream: 'a' },
        ]);
        const { trace } = simulate(tested, toyCosts());
        const bytes = trace.columns.kind.reduce(
          (sum, kind, row) => sum + (kind === 6 ? (trace.columns.bytes[row] ?? 0) : 0),
          0,
        );
        expect(bytes).toBe(7 * 300_000);
      }
    },
  );
});
