/** Reads values later that the host waits for one by one: all of a loop, or of a list, behind one wait. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation, OperationOf } from '../../experiment/operations.ts';
import type { BufferDeclaration } from '../../experiment/resources.ts';
import { groupBy } from '../../groupBy.ts';
import { valueAtPath } from '../../shape/path.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import { isPlace, listOf, type Place, places, usersById } from './situation.ts';

/** With fewer in a list, the next launch may need the value. */
const fewestValues = 3;
/** Bytes of a value that item() reads. */
const valueBytes = 4;

type Value = Place<OperationOf<'item'>>;

/** The innermost loop around a list, or null if there is none. */
interface Around {
  readonly path: DocumentPath;
  readonly count: number;
}

function loopAround(experiment: Experiment, path: DocumentPath): Around | null {
  for (let depth = path.length - 2; depth >= 4; depth -= 2) {
    const around = valueAtPath(experiment, path.slice(0, depth)) as Operation;
    if (around.op === 'repeat') return { path: path.slice(0, depth), count: around.count };
  }
  return null;
}

export function readLater(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  const all = places(experiment).filter(isPlace('item'));
  for (const values of groupBy(all, (one) => `${listOf(one)} ${one.operation.stream}`).values()) {
    const [first] = values as [Value];
    const loop = loopAround(experiment, first.path);
    if (loop === null && values.length < fewestValues) continue;
    const stream = first.operation.stream;
    const behind = loop?.path ?? (values.at(-1) as Value).path;
    const each = (loop?.count ?? 1) * valueBytes;
    const bytes = values.length * each;
    const host = edit.declare('buffers', 'values', { memory: 'pinned', bytes });
    edit.after(behind, { op: 'read', buffer: host }).after(behind, { op: 'synchronizeStream', stream });
    const step = loop === null ? {} : { dstStepBytes: valueBytes };
    const copies: object[] = [];
    for (const [index, { path, operation }] of values.entries()) {
      const { buffer, id, label } = operation;
      const copy = { op: 'copy', id, label, dst: host, dstOffset: index * each, stream };
      const writers = loop === null ? null : onlyWriters(experiment, operation, path);
      if (writers === null) {
        edit.replace(path, { ...copy, src: buffer, bytes: valueBytes, ...step });
        continue;
      }
      const {
        id: _,
        shape: __,
        dtype: ___,
        ...fields
      } = experiment.buffers.find((one) => one.id === buffer) as BufferDeclaration;
      const array = edit.declare('buffers', `${buffer}-values`, { ...fields, bytes: each });
      for (const writer of writers) {
        const writes = writer.operation.writes.map((one) => (one === buffer ? array : one));
        edit.replace([...writer.path, 'writes'], writes);
      }
      edit.remove(path);
      copies.push({ ...copy, src: array, bytes: each });
    }
    for (const copy of copies.reverse()) edit.after(behind, copy);
    const what = `${bytes / valueBytes} values`;
    edit.step(
      copies.length > 0
        ? `Let the kernels put ${what} one behind another on the device, and read them with one copy after the loop.`
        : `Copy ${what} without blocking into page-locked memory, one behind another, and read them after one wait.`,
    );
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

/**
 * Returns the kernels that write the value, if nothing but the item uses it and each could write an element of an array
 * instead: they are in its list, and don't read it.
 */
function onlyWriters(
  experiment: Experiment,
  item: OperationOf<'item'>,
  path: DocumentPath,
): Place<OperationOf<'kernel'>>[] | null {
  const declared = experiment.buffers.find(({ id }) => id === item.buffer);
  const users = (usersById(experiment).get(item.buffer) ?? []).filter((one) => one !== item);
  const list = valueAtPath(experiment, path.slice(0, -1)) as readonly Operation[];
  const writers = users.flatMap((one): Place<OperationOf<'kernel'>>[] => {
    const isWriter = one.op === 'kernel' && (one.kernel.kind === 'spin' || one.kernel.kind === 'arithmetic');
    const isOnly = touchedBuffers(one)?.reads.includes(item.buffer) === false;
    return isWriter && isOnly && list.includes(one) ? [{ operation: one, path: path.with(-1, list.indexOf(one)) }] : [];
  });
  return declared?.allocated === 'before-run' && writers.length === users.length && users.length > 0 ? writers : null;
}
