/** Event edges: an event recorded after one operation and waited for before another. */

import { fieldPath } from '../../shape/path.ts';
import { applyChange } from '../change.ts';
import { ChangeBuilder } from '../changeBuilder.ts';
import type { Experiment } from '../experiment.ts';
import type { Operation } from '../operations.ts';
import { type Edited, inDocumentOrder } from './edit.ts';
import { unrecordedEvent } from './newOperation.ts';
import { listOf, type OperationPath, operationOf, type Place, placeAt, refused, threadOf } from './paths.ts';
import { streamOf, type Target } from './rows.ts';

/** End of an edge: an operation, or an empty cell of a row. */
export type EdgeEnd = { readonly at: OperationPath } | { readonly place: Place; readonly target: Target };

/**
 * Draws an edge. Uses the event that `from` records, or that is recorded right after it in its stream; otherwise adds
 * recordEvent. Adds waitEvent at the end in a stream, synchronizeEvent on a host thread; an existing wait there is
 * changed to this event.
 */
export function drawEdge(experiment: Experiment, from: OperationPath, end: EdgeEnd): Edited {
  const first = 'at' in end ? end.at : [...end.place.list, end.place.index];
  if (threadOf(first) === threadOf(from) && inDocumentOrder(first, from) <= 0) {
    const remedy = 'Draw the edge to an operation that is issued later.';
    throw refused('A wait issued before its event is recorded waits for nothing.', remedy, fieldPath(first));
  }
  const source = operationOf(experiment, from);
  const stream = streamOf(source);
  if (stream === null) {
    const remedy = 'Begin at an operation in a stream; the host’s own calls are ordered already.';
    throw refused('An event is recorded in a stream, and the host does this.', remedy, fieldPath(from));
  }
  const goal = 'at' in end ? operationOf(experiment, end.at) : null;
  const target: Target = 'at' in end ? rowOf(operationOf(experiment, end.at)) : end.target;
  if (target.row === 'stream' && target.stream === stream) {
    throw refused(
      'One stream runs its work in order already.',
      'Draw the edge to another stream, or to the host.',
      fieldPath(first),
    );
  }
  const change = new ChangeBuilder(experiment);
  const event = recordedAfter(experiment, from, source, stream, change);
  const isWait = goal?.op === 'waitEvent' || goal?.op === 'synchronizeEvent';
  if (isWait) change.replace([...first, 'event'], event);
  else if (target.row === 'stream') change.before(first, { op: 'waitEvent', event, stream: target.stream });
  else change.before(first, { op: 'synchronizeEvent', event });
  const selected = change.change.patches.at(-1)?.path ?? first;
  return { experiment: applyChange(experiment, change.change), selected: [isWait ? selected.slice(0, -1) : selected] };
}

function rowOf(operation: Operation): Target {
  const stream = streamOf(operation);
  return stream === null ? { row: 'host' } : { row: 'stream', stream };
}

function recordedAfter(
  experiment: Experiment,
  from: OperationPath,
  source: Operation,
  stream: string,
  change: ChangeBuilder,
): string {
  if (source.op === 'recordEvent') return source.event;
  const { list, index } = placeAt(from, 'after');
  const next = listOf(experiment, list)[index];
  if (next?.op === 'recordEvent' && next.stream === stream) return next.event;
  const event = unrecordedEvent(experiment) ?? change.declare('events', 'event', { timing: true });
  change.after(from, { op: 'recordEvent', event, stream });
  return event;
}
