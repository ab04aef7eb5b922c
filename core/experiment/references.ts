/** What the schema can't say: ids are unique, references resolve, regions lie inside their buffers. */
import type { ErrorInfo } from '../errors.ts';
import { fieldPath } from '../shape/path.ts';
import { type Experiment, eachOperation, walkOperations } from './experiment.ts';
import { checkLibraryKernel } from './libraryKernels.ts';
import { childOperations, type Operation } from './operations.ts';
import { bufferBytes, maxBufferBytes, reservedStreams } from './resources.ts';

/** In all multi-tensor copies of a document, which are kept with the size of each tensor: twice what is simulated. */
const maxTensors = 10_000_000;

type Path = readonly (string | number)[];
type Report = (path: Path, message: string, remedy: string) => void;

/** Ids that were declared: a set, or the keys of a map. */
type Known = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;

interface Names {
  buffers: Map<string, number>;
  streams: Set<string>;
  events: Set<string>;
  signals: Set<string>;
  devices: Set<string>;
}

const listed = (names: Iterable<string>): string => {
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length === 8) return `declared: ${shown.join(', ')}, …`;
    shown.push(name);
  }
  return shown.length === 0 ? 'none is declared' : `declared: ${shown.join(', ')}`;
};

/** Every problem of a document that already has the right shape; empty where it can be lowered. */
export function checkReferences(experiment: Experiment): ErrorInfo[] {
  const problems: ErrorInfo[] = [];
  const report: Report = (path, message, remedy) => {
    problems.push({ code: 'experiment.invalid', field: fieldPath(path), message, remedy });
  };
  const names = collectNames(experiment, report);
  checkDeclarations(experiment, names, report);
  const ids = new Set<string>();
  experiment.threads.forEach((thread, index) => {
    const base = ['threads', index] as const;
    if (thread.device !== undefined) expectName(names.devices, thread.device, [...base, 'device'], 'device', report);
    walkOperations(
      thread.operations,
      (operation, path) => {
        checkOperation(operation, path, names, report);
        if (ids.has(operation.id)) {
          const remedy = 'Give it one of its own, or leave "id" out.';
          report([...path, 'id'], `"${operation.id}" is the id of another operation too.`, remedy);
        }
        ids.add(operation.id);
      },
      [...base, 'operations'],
    );
  });
  if (tensorsIn(experiment) > maxTensors) reportTensors(experiment, report);
  return problems;
}

function tensorsIn({ threads }: Experiment): number {
  let tensors = 0;
  for (const { operations } of threads) {
    eachOperation(operations, (operation) => {
      if (operation.op === 'multiCopy') tensors += operation.payload.tensors;
    });
  }
  return tensors;
}

/** At the copy that is one too many. */
function reportTensors({ threads }: Experiment, report: Report): void {
  let tensors = 0;
  for (const [index, { operations }] of threads.entries()) {
    walkOperations(
      operations,
      (operation, path) => {
        const before = tensors;
        if (operation.op === 'multiCopy') tensors += operation.payload.tensors;
        if (before > maxTensors || tensors <= maxTensors) return;
        const message = `the multi-tensor copies up to this one have ${tensors} tensors; at most ${maxTensors} are taken in all.`;
        report([...path, 'payload', 'tensors'], message, 'Use fewer tensors, or one copy in a repeat.');
      },
      ['threads', index, 'operations'],
    );
  }
}

/**
 * Whether these operations have no problem, without what groups among them hold: for who changed nothing else in a
 * document that has none.
 */
export function areReferencesSound(experiment: Experiment, operations: readonly Operation[]): boolean {
  let isSound = true;
  const report: Report = () => {
    isSound = false;
  };
  const names = collectNames(experiment, report);
  for (const operation of operations) checkOperation(operation, [], names, report);
  if (operations.some(({ op }) => op === 'multiCopy')) isSound &&= tensorsIn(experiment) <= maxTensors;
  return isSound;
}

function collectNames(experiment: Experiment, report: Report): Names {
  const unique = (list: readonly { id: string }[], key: string): Set<string> => {
    const seen = new Set<string>();
    list.forEach(({ id }, index) => {
      if (seen.has(id)) report([key, index, 'id'], `"${id}" is declared twice.`, 'Give each one an id of its own.');
      seen.add(id);
    });
    return seen;
  };
  unique(experiment.buffers, 'buffers');
  unique(experiment.threads, 'threads');
  return {
    buffers: new Map(experiment.buffers.map((buffer) => [buffer.id, bufferBytes(buffer)])),
    streams: new Set([...reservedStreams, ...unique(experiment.streams, 'streams')]),
    events: unique(experiment.events, 'events'),
    signals: unique(experiment.signals, 'signals'),
    devices: unique(experiment.devices, 'devices'),
  };
}

function expectName(known: Known, id: string, path: Path, what: string, report: Report): void {
  if (known.has(id)) return;
  report(path, `no ${what} is called "${id}".`, `Declare it, or name another (${listed(known.keys())}).`);
}

function checkDeclarations(experiment: Experiment, names: Names, report: Report): void {
  experiment.buffers.forEach((buffer, index) => {
    const path = ['buffers', index] as const;
    if (buffer.device !== undefined && buffer.memory !== 'device') {
      report([...path, 'device'], `${buffer.memory} memory belongs to no device.`, 'Leave "device" out.');
    } else if (buffer.device !== undefined) {
      expectName(names.devices, buffer.device, [...path, 'device'], 'device', report);
    }
    if (bufferBytes(buffer) > maxBufferBytes) {
      report([...path, 'shape'], `${bufferBytes(buffer)} bytes is more than 1 TiB.`, 'Make the shape smaller.');
    }
  });
  experiment.streams.forEach((stream, index) => {
    if (stream.device !== undefined) {
      expectName(names.devices, stream.device, ['streams', index, 'device'], 'device', report);
    }
  });
}

/** Fields that name something declared, where it is declared, and what it is called. */
const naming: readonly (readonly [field: string, known: keyof Names, what: string])[] = [
  ['stream', 'streams', 'stream'],
  ['event', 'events', 'event'],
  ['start', 'events', 'event'],
  ['end', 'events', 'event'],
  ['signal', 'signals', 'signal'],
  ['device', 'devices', 'device'],
  ['buffer', 'buffers', 'buffer'],
  ['src', 'buffers', 'buffer'],
  ['dst', 'buffers', 'buffer'],
];

function checkOperation(operation: Operation, path: Path, names: Names, report: Report): void {
  const fields = operation as unknown as Record<string, unknown>;
  for (const [field, known, what] of naming) {
    const id = fields[field];
    if (typeof id === 'string' && !names[known].has(id)) expectName(names[known], id, [...path, field], what, report);
  }
  if (operation.op === 'copy') checkCopy(operation, path, names, report);
  else if (operation.op === 'kernel') checkKernel(operation, path, names, report);
  else if (operation.op === 'pin') checkPin(operation, path, names, report);
  else if ('offset' in operation) {
    checkRegion(operation.buffer, operation.offset, operation.bytes, path, 'offset', names, report);
  }
  if (childOperations(operation)?.length === 0) {
    report([...path, 'operations'], `a ${operation.op} needs at least one operation inside.`, 'Add one, or delete it.');
  }
}

function checkRegion(
  buffer: string,
  offset: number,
  bytes: number | undefined,
  path: Path,
  offsetField: string,
  names: Names,
  report: Report,
): void {
  const size = names.buffers.get(buffer);
  if (size === undefined) return;
  if (offset >= size) {
    const remedy = `Use an offset below ${size}.`;
    report([...path, offsetField], `offset ${offset} lies beyond "${buffer}" (${size} bytes).`, remedy);
  } else if (bytes !== undefined && offset + bytes > size) {
    const message = `bytes ${offset} to ${offset + bytes} reach beyond "${buffer}" (${size} bytes).`;
    report([...path, 'bytes'], message, `Use at most ${size - offset}.`);
  }
}

function checkCopy(operation: Extract<Operation, { op: 'copy' }>, path: Path, names: Names, report: Report): void {
  checkRegion(operation.src, operation.srcOffset, operation.bytes, path, 'srcOffset', names, report);
  checkRegion(operation.dst, operation.dstOffset, operation.bytes, path, 'dstOffset', names, report);
  if (operation.src === operation.dst) {
    report([...path, 'dst'], 'a copy needs two different buffers.', 'Name another destination.');
  }
}

function checkPin(operation: Extract<Operation, { op: 'pin' }>, path: Path, names: Names, report: Report): void {
  const [from, to] = [names.buffers.get(operation.src), names.buffers.get(operation.dst)];
  if (from !== undefined && to !== undefined && from !== to) {
    const message = `"${operation.src}" has ${from} bytes and "${operation.dst}" has ${to}.`;
    report([...path, 'dst'], message, 'pin_memory() makes a copy of the same size: make both equal.');
  }
}

function checkKernel(operation: Extract<Operation, { op: 'kernel' }>, path: Path, names: Names, report: Report): void {
  for (const field of ['reads', 'writes'] as const) {
    operation[field].forEach((id, index) => {
      expectName(names.buffers, id, [...path, field, index], 'buffer', report);
    });
  }
  if (operation.kernel.kind === 'matmul' || operation.kernel.kind === 'fft') {
    checkLibraryKernel(operation, path, names.buffers, report);
    return;
  }
  if (operation.kernel.kind !== 'stream') return;
  for (const field of ['reads', 'writes'] as const) {
    if (operation[field].length !== 1) {
      const message = `a byte-streaming kernel takes exactly one buffer here, not ${operation[field].length}.`;
      report([...path, field], message, 'Name the buffer it reads in "reads" and the one it writes in "writes".');
    }
  }
}
