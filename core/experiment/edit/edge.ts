/** An event edge: one operation waits for another through an event, recorded after the one and waited for before the other. */

import { fieldPath } from '../../shape/path.ts';
import type { Experiment } from '../experiment.ts';
import type { Operation } from '../operations.ts';
import { type Edited, edit, inDocumentOrder } from './edit.ts';
import { unrecordedEvent } from './newOperation.ts';
import { listOf, type OperationPath, operationOf, type Place, placeAt, refused, threadOf } from './paths.ts';
import { streamOf, type Target } from './rows.ts';

/** Where an edge ends: at an operation, or in an empty cell of a row. */
export type EdgeEnd = { readonly at: OperationPath } | { readonly place: Place; readonly target: Target };

/**
 * Draws an edge. The event is the one that `from` records, or that is recorded right after it in its stream; otherwise
 * recordEvent is added. At the end a stream gets waitEvent and a host thread synchronizeEvent; a wait that is there
 * already waits for this event instead.
 */
export function drawEdge(experiment: Experiment, from: OperationPath, end: EdgeEnd): Edited {
  const first = 'at' in end ? end.at : [...end.place.list, end.place.index];
  if (threadOf(first) === threadOf(from) && inDocumentOrder(first, from) <= 0) {
    const remedy = 'Draw the edge to an operation that is issued later.';
    throw refused('A wait issued before its event is recorded waits for nothing.', remedy, fieldPath(first));
  }
  return edit(experiment, (draft) => {
    const source = operationOf(draft, from);
    const stream = streamOf(source);
    if (stream === null) {
      const remedy = 'Begin at an operation in a stream; the host’s own calls are in order already.';
      throw refused('An event is recorded in a stream, and this is done by the host.', remedy, fieldPath(from));
    }
    const goal = 'at' in end ? operationOf(draft, end.at) : null;
    const target: Target = 'at' in end ? rowOf(operationOf(draft, end.at)) : end.target;
    if (target.row === 'stream' && target.stream === stream) {
      throw refused(
        'One stream runs its work in order already.',
        'Draw the edge to another stream, or to the host.',
        fieldPath(first),
      );
    }
    const list = 'at' in end ? listOf(draft, placeAt(end.at).list) : listOf(draft, end.place.list);
    const before = 'at' in end ? goal : (list[end.place.index] ?? null);
    const event = recordedAfter(draft, from, source, stream);
    if (goal?.op === 'waitEvent' || goal?.op === 'synchronizeEvent') {
      goal.event = event;
      return [goal];
    }
    const wait: Operation =
      target.row === 'stream' ? { op: 'waitEvent', event, stream: target.stream } : { op: 'synchronizeEvent', event };
    list.splice(before === null ? list.length : list.indexOf(before), 0, wait);
    return [wait];
  });
}

function rowOf(operation: Operation): Target {
  const stream = streamOf(operation);
  return stream === null ? { row: 'host' } : { row: 'stream', stream };
}

function recordedAfter(draft: Experiment, from: OperationPath, source: Operation, stream: string): string {
  if (source.op === 'recordEvent') return source.event;
  const { list: path, index } = placeAt(from, 'after');
  const list = listOf(draft, path);
  const next = list[index];
  if (next?.op === 'recordEvent' && next.stream === stream) return next.event;
  const event = unrecordedEvent(draft);
  list.splice(index, 0, { op: 'recordEvent', event, stream });
  return event;
}
