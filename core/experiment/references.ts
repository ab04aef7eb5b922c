/** Checks what the schema can't: ids are unique, references resolve, regions lie inside their buffers. */
import type { ErrorInfo } from '../errors.ts';
import { fieldPath } from '../shape/path.ts';
import { type Experiment, eachOperation, walkOperations } from './experiment.ts';
import { type DeclarationKind, declarationNames, idsIn, referenceFields } from './operations/fields.ts';
import { childOperations, descriptorOf, type Operation } from './operations.ts';
import { bufferBytes, maxBufferBytes, reservedStreams } from './resources.ts';

/** Limit in all multi-tensor copies of a document, which store each tensor's size: twice the simulator's limit. */
const maxTensors = 10_000_000;

type Path = readonly (string | number)[];
type Report = (path: Path, message: string, remedy: string) => void;

/** Declared ids: a set, or the keys of a map. */
type Known = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;

interface Names extends Readonly<Record<DeclarationKind, Known>> {
  /** Bytes by id. */
  readonly buffers: ReadonlyMap<string, number>;
}

const listed = (names: Iterable<string>): string => {
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length === 8) return `declared: ${shown.join(', ')}, …`;
    shown.push(name);
  }
  return shown.length === 0 ? 'none is declared' : `declared: ${shown.join(', ')}`;
};

/** Returns every problem of a document that has the right shape; empty if it can be lowered. */
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

/** Reports the copy that exceeds the limit. */
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

/** Returns whether these operations, without nested ones, are valid. Enough if nothing else changed. */
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
  return {
    buffers: new Map(experiment.buffers.map((buffer) => [buffer.id, bufferBytes(buffer)])),
    streams: new Set([...reservedStreams, ...unique(experiment.streams, 'streams')]),
    events: unique(experiment.events, 'events'),
    signals: unique(experiment.signals, 'signals'),
    threads: unique(experiment.threads, 'threads'),
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

function checkOperation(operation: Operation, path: Path, names: Names, report: Report): void {
  for (const [field, kind] of referenceFields) {
    const value: unknown = Reflect.get(operation, field);
    const known = names[kind];
    if (value === undefined || known.has(value as string)) continue;
    for (const [index, id] of idsIn(operation, field).entries()) {
      if (known.has(id)) continue;
      expectName(known, id, [...path, field, ...(Array.isArray(value) ? [index] : [])], declarationNames[kind], report);
    }
  }
  descriptorOf(operation.op).check?.(operation, names.buffers, (field, ...said) =>
    report([...path, ...field], ...said),
  );
  if (childOperations(operation)?.length === 0) {
    report([...path, 'operations'], `a ${operation.op} needs at least one operation inside.`, 'Add one, or delete it.');
  }
}
