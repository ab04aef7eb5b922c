/** Changes to managed memory. Rule (core/rules): managed-pages. */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Operation } from '../../experiment/operations.ts';
import { valueAtPath } from '../../shape/path.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import { find, isPlace, places, type Situation } from './situation.ts';

/** Moves the pages before they are touched: to the device before a kernel, to the host after the kernel that had them. */
export function prefetched(situation: Situation): Change | null {
  const { experiment, verdict } = situation;
  const { op: subject, blockedBy } = verdict;
  const isManaged = (id: string): boolean =>
    experiment.buffers.some(({ id: own, memory }) => own === id && memory === 'managed');
  const edit = new ChangeBuilder(experiment);
  const kernel = find(situation, subject, 'kernel', 'memset');
  if (kernel !== null) {
    const { operation, info } = kernel;
    const { stream } = operation;
    const used = operation.op === 'memset' ? [operation.buffer] : [...operation.reads, ...operation.writes];
    for (const buffer of new Set(used.filter(isManaged))) {
      edit.step(`Prefetch "${buffer}" to the device before "${info.label}".`);
      edit.before(info.path, { op: 'prefetch', buffer, to: 'device', stream });
    }
    return edit.change;
  }
  const [access, last] = [find(situation, subject, 'read', 'write'), find(situation, blockedBy, 'kernel', 'memset')];
  if (access === null || last === null) return null;
  const { buffer } = access.operation;
  edit.step(`Prefetch "${buffer}" to the host after "${last.info.label}".`);
  return edit.after(last.info.path, { op: 'prefetch', buffer, to: 'host', stream: last.operation.stream }).change;
}

/** Takes the advice away that doubles pages which an operation writes. */
export function withoutReadMostly({ experiment, program, verdict }: Situation): Change | null {
  const written = touchedBuffers(
    valueAtPath(experiment, program.operations[verdict.op]?.path ?? []) as Operation,
  )?.writes;
  const edit = new ChangeBuilder(experiment);
  for (const { operation, path } of places(experiment).filter(isPlace('advise'))) {
    if (operation.advice !== 'read-mostly' || written?.includes(operation.buffer) !== true) continue;
    edit.step(`Take the advice read-mostly from "${operation.buffer}".`).remove(path);
  }
  return edit.change;
}
