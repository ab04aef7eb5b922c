/**
 * The corpus against which the simulator's predictions are held: experiments over every kind of operation, from 4 B to
 * 1 GiB, by name. They are recorded on a GPU as small runs (run.sh corpus); bench/accuracy.ts compares.
 */
import type { Experiment, ExperimentInput } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { GiB, KiB, MiB } from '../../../core/units.ts';
import {
  arithmetic,
  copy,
  device,
  end,
  host,
  made,
  nonBlocking,
  record,
  repeat,
  spin,
  streaming,
  wait,
} from './parts.ts';

export interface CorpusEntry {
  /** For example 'copies/h2d-pinned-16MiB': the path of its run below the corpus' folder. */
  readonly id: string;
  readonly experiment: Experiment;
}

type Parts = Omit<Partial<ExperimentInput>, 'threads' | 'name' | 'format' | 'version'>;
type Operations = ExperimentInput['threads'][number]['operations'];
const sizeName = (bytes: number): string =>
  bytes >= GiB
    ? `${bytes / GiB}GiB`
    : bytes >= MiB
      ? `${bytes / MiB}MiB`
      : bytes >= KiB
        ? `${bytes / KiB}KiB`
        : `${bytes}B`;

class Corpus {
  readonly entries: CorpusEntry[] = [];

  add(id: string, parts: Parts, ...threads: Operations[]): void {
    const environment = { iterations: 7, warmups: 2, ...parts.environment };
    const document: ExperimentInput = {
      ...{ format: 'copyscope/experiment', version: 2, name: `Corpus: ${id}` },
      ...{ streams: nonBlocking('a', 'b') },
      ...parts,
      environment,
      threads: threads.map((operations, index) => ({ id: index === 0 ? 'main' : `thread${index}`, operations })),
    };
    this.entries.push({ id, experiment: requireExperiment(JSON.stringify(document)) });
  }
}

export function corpus(): readonly CorpusEntry[] {
  const all = new Corpus();
  addCopies(all);
  addTogether(all);
  addKernels(all);
  addOtherWork(all);
  addHost(all);
  addGraphs(all);
  addMemory(all);
  addMultiCopies(all);
  return all.entries;
}

function addCopies(all: Corpus): void {
  const sizes = [4, 4 * KiB, 64 * KiB, MiB, 16 * MiB, 256 * MiB];
  for (const direction of ['h2d', 'd2h'] as const) {
    for (const memory of ['pinned', 'pageable'] as const) {
      for (const bytes of memory === 'pinned' ? [...sizes, GiB] : sizes) {
        const buffers = [host('h', memory, bytes), device('d', bytes)];
        const one = direction === 'h2d' ? copy('h', 'd') : copy('d', 'h');
        all.add(`copies/${direction}-${memory}-${sizeName(bytes)}`, { buffers }, [one, end]);
      }
    }
  }
  for (const bytes of [4 * KiB, 16 * MiB, GiB]) {
    const buffers = [device('d', bytes), device('e', bytes, 3)];
    all.add(`copies/d2d-${sizeName(bytes)}`, { buffers }, [copy('d', 'e'), end]);
  }
  const bytes = 16 * MiB;
  const hosts = [host('h', 'pageable', bytes), host('i', 'pinned', bytes, 3)];
  all.add('copies/h2h-16MiB', { buffers: hosts }, [copy('h', 'i'), end]);
  for (const memory of ['pinned-write-combined', 'mapped', 'registered'] as const) {
    const buffers = [host('h', memory, bytes), device('d', bytes)];
    all.add(`copies/h2d-${memory}-16MiB`, { buffers }, [copy('h', 'd'), end]);
  }
  for (const mode of ['blocking-to', 'blocking-memcpy'] as const) {
    const buffers = [host('h', 'pinned', bytes), device('d', bytes)];
    all.add(`copies/${mode}-16MiB`, { buffers }, [repeat(4, copy('h', 'd', 'a', { mode })), end]);
  }
}

function addTogether(all: Corpus): void {
  const bytes = 64 * MiB;
  const buffers = [
    host('h', 'pinned', bytes),
    host('i', 'pinned', bytes, 3),
    device('d', bytes),
    device('e', bytes, 4),
  ];
  all.add('together/both-directions', { buffers }, [copy('h', 'd'), copy('e', 'i', 'b'), end]);
  all.add('together/two-h2d-streams', { buffers }, [copy('h', 'd'), copy('i', 'e', 'b'), end]);
  all.add('together/copy-and-kernel', { buffers }, [copy('h', 'd'), spin(800, 'b'), end]);
  all.add('together/copy-kernel-copy', { buffers, events: [{ id: 'in' }, { id: 'done' }] }, [
    ...[copy('h', 'd'), record('in'), wait('in', 'b'), streaming(4, 'd', 'e', 'b'), record('done', 'b')],
    ...[wait('done', 'a'), copy('e', 'i'), end],
  ]);
  const small = [host('h', 'pinned', 4 * KiB), device('d', 4 * KiB)];
  all.add('together/1000-small-copies', { buffers: small }, [repeat(1000, copy('h', 'd')), end]);
  const pageable = [host('h', 'pageable', 4 * KiB), device('d', 4 * KiB)];
  all.add('together/1000-small-pageable-copies', { buffers: pageable }, [repeat(1000, copy('h', 'd')), end]);
  const legacy = [{ id: 'a', flags: 'blocking' as const }];
  all.add('together/legacy-default-stream', { buffers, streams: legacy }, [copy('h', 'd'), spin(600, 'default'), end]);
  all.add('together/launch-blocking', { buffers, environment: { launchBlocking: true } }, [
    copy('h', 'd'),
    spin(600, 'b'),
    end,
  ]);
  all.add('together/launch-queue-full', { buffers }, [
    spin(8000, 'b'),
    repeat(1100, spin(1, 'b')),
    copy('h', 'd'),
    end,
  ]);
}

function addKernels(all: Corpus): void {
  all.add('kernels/spin', {}, [repeat(20, spin(20)), end]);
  all.add('kernels/500-launches', {}, [repeat(500, spin(0)), end]);
  all.add('kernels/cold-launches', {}, [repeat(5, { op: 'work', durationNs: 1_000_000 }, spin(5)), end]);
  for (const bytes of [4 * MiB, 20 * MiB, 256 * MiB]) {
    const buffers = [device('d', bytes), device('e', bytes, 3)];
    for (const passes of [1, 8])
      all.add(`kernels/stream-${sizeName(bytes)}-${passes}`, { buffers }, [streaming(passes, 'd', 'e'), end]);
  }
  all.add('kernels/arithmetic', {}, [arithmetic(2e10), arithmetic(2e11), end]);
  for (const share of [0.1, 0.25, 0.5]) {
    const buffers = [device('d', 256 * MiB), device('e', 256 * MiB, 3)];
    all.add(`kernels/share-${share}`, { buffers }, [
      streaming(2, 'd', 'e', 'a', share),
      arithmetic(2e10, 'a', share),
      end,
    ]);
  }
  const two = [device('d', 64 * MiB), device('e', 64 * MiB, 3)];
  all.add('kernels/side-by-side', { buffers: two }, [
    arithmetic(6e10, 'a', 0.75),
    streaming(8, 'd', 'e', 'b', 0.25),
    end,
  ]);
  all.add('kernels/one-after-another', { buffers: two }, [arithmetic(6e10), streaming(8, 'd', 'e', 'b'), end]);
  const priorities = [
    { id: 'a', priority: 0 },
    { id: 'b', priority: -1 },
  ];
  all.add('kernels/priorities', { streams: priorities, buffers: two }, [
    arithmetic(6e10),
    repeat(4, streaming(2, 'd', 'e')),
    arithmetic(2e10, 'b'),
    end,
  ]);
  const mapped = [host('m', 'mapped', 64 * MiB), device('d', 64 * MiB)];
  all.add('kernels/mapped-read', { buffers: mapped }, [streaming(1, 'm', 'd'), end]);
  all.add('kernels/mapped-write', { buffers: mapped }, [streaming(1, 'd', 'm'), end]);
}

function addOtherWork(all: Corpus): void {
  for (const bytes of [4, MiB, 256 * MiB]) {
    all.add(`other/memset-${sizeName(bytes)}`, { buffers: [device('d', bytes)] }, [
      { op: 'memset', buffer: 'd', value: 7, stream: 'a' },
      end,
    ]);
  }
  all.add('other/host-functions', {}, [
    repeat(5, { op: 'hostFunction', durationNs: 20_000, stream: 'a' }),
    spin(20),
    end,
  ]);
  all.add('other/item', { buffers: [device('d', 4)] }, [
    repeat(10, spin(20), { op: 'item', buffer: 'd', stream: 'a' }),
  ]);
  all.add('other/events', { events: [{ id: 'x' }, { id: 'y' }] }, [
    ...[record('x'), spin(100), record('y'), wait('y', 'b'), spin(50, 'b')],
    ...[
      { op: 'queryEvent' as const, event: 'x' },
      { op: 'queryStream' as const, stream: 'a' },
    ],
    ...[{ op: 'synchronizeEvent' as const, event: 'y' }, { op: 'elapsedTime' as const, start: 'x', end: 'y' }, end],
  ]);
  all.add('other/range', {}, [
    { op: 'range', name: 'step', operations: [spin(30), { op: 'synchronizeStream', stream: 'a' }] },
  ]);
}

function addHost(all: Corpus): void {
  const bytes = 16 * MiB;
  const buffers = [host('h', 'pageable', bytes), host('p', 'pinned', bytes, 3), device('d', bytes)];
  all.add('host/write-copy-read', { buffers }, [
    { op: 'write', buffer: 'p', pattern: { kind: 'index' } },
    ...[copy('p', 'd'), { op: 'synchronizeStream' as const, stream: 'a' }, copy('d', 'h')],
    ...[end, { op: 'read' as const, buffer: 'h' }],
  ]);
  const byPin = [
    host('h', 'pageable', bytes),
    { id: 'q', memory: 'pinned' as const, bytes, allocated: 'by-operation' as const },
    device('d', bytes),
  ];
  all.add('host/pin-then-copy', { buffers: byPin }, [{ op: 'pin', src: 'h', dst: 'q' }, copy('q', 'd'), end]);
  const signals = [{ id: 'ready' }];
  all.add(
    'host/two-threads',
    { buffers: [host('p', 'pinned', bytes), device('d', bytes)], signals },
    [{ op: 'work', durationNs: 200_000 }, copy('p', 'd'), { op: 'signal', signal: 'ready' }],
    [{ op: 'waitSignal', signal: 'ready' }, spin(200, 'b'), { op: 'synchronizeStream', stream: 'b' }],
  );
}

function addGraphs(all: Corpus): void {
  const buffers = [host('h', 'pinned', 4 * KiB), device('d', 4 * KiB)];
  const graph = (name: string, nodes: number, node: unknown): void =>
    all.add(`graphs/${nodes}-${name}`, { buffers }, [
      { op: 'graphCapture', graph: 'g', stream: 'a', operations: [repeat(nodes, node)] },
      ...[repeat(5, { op: 'graphLaunch' as const, graph: 'g', stream: 'a' }), end],
    ]);
  graph('kernels', 10, spin(2));
  graph('kernels', 1000, spin(0));
  graph('copies', 100, copy('h', 'd'));
}

function addMemory(all: Corpus): void {
  const bytes = 64 * MiB;
  for (const allocator of ['cuda-malloc', 'pool', 'caching'] as const) {
    const allocate = { op: 'allocate' as const, buffer: 'm', allocator, stream: 'a' };
    const round = [allocate, spin(100), { op: 'free' as const, buffer: 'm', stream: 'a' }];
    all.add(`memory/${allocator}`, { buffers: [made('m', bytes)] }, [repeat(5, ...round), end]);
  }
  const buffers = [made('m', bytes), host('h', 'pinned', bytes)];
  all.add('memory/record-stream', { buffers, events: [{ id: 'x' }] }, [
    { op: 'allocate', buffer: 'm', allocator: 'caching', stream: 'a' },
    ...[copy('h', 'm'), record('x'), wait('x', 'b'), spin(200, 'b', { reads: ['m'] })],
    { op: 'recordStream', buffer: 'm', stream: 'b' },
    ...[{ op: 'free' as const, buffer: 'm', stream: 'a' }, end],
  ]);
}

function addMultiCopies(all: Corpus): void {
  const strategies = [
    'blocking-loop',
    'non-blocking-loop',
    'pin-then-copy',
    'threaded-pinning',
    'packed',
    'pipelined',
  ] as const;
  const payload = (tensors: number, bytes: number) => ({ tensors, bytes, memory: 'pageable' as const });
  for (const strategy of strategies) {
    const copies = { op: 'multiCopy' as const, strategy, stream: 'a' };
    all.add(`tensors/h2d-1000x4000B-${strategy}`, {}, [{ ...copies, payload: payload(1000, 4000) }, end]);
    all.add(`tensors/h2d-50x4MiB-${strategy}`, {}, [{ ...copies, payload: payload(50, 4 * MiB) }, end]);
  }
  const back = { op: 'multiCopy' as const, direction: 'd2h' as const, stream: 'a', payload: payload(50, 4 * MiB) };
  all.add('tensors/d2h-50x4MiB-pipelined', {}, [{ ...back, strategy: 'pipelined' }, end]);
  all.add('tensors/d2h-50x4MiB-non-blocking-loop', {}, [{ ...back, strategy: 'non-blocking-loop' }, end]);
}
