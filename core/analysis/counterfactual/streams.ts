/** Changes of which stream waits for which. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation } from '../../experiment/operations.ts';
import { at, type Found, find, type Situation } from './situation.ts';

/** The copy, and the events recorded right behind it, go to a new non-blocking stream. */
export function ownStream(situation: Situation): Change | null {
  const { experiment, verdict } = situation;
  const copy = find(situation, verdict.op, 'copy');
  if (copy === null || copy.operation.mode === 'blocking-memcpy') return null;
  const edit = new ChangeBuilder(experiment);
  const stream = edit.declare('streams', 'copies', { flags: 'non-blocking', ...deviceOf(situation, copy) });
  edit.step(`Move "${copy.info.label}" to a non-blocking stream of its own, "${stream}".`);
  edit.replace([...copy.info.path, 'stream'], stream);
  for (const path of recordsBehind(experiment, copy)) edit.replace([...path, 'stream'], stream);
  return edit.change;
}

function deviceOf({ experiment }: Situation, { info, operation }: Found<'copy'>): { device?: string } {
  const declared = experiment.streams.find(({ id }) => id === operation.stream);
  const device = declared === undefined ? experiment.threads[info.thread]?.device : declared.device;
  return device === undefined ? {} : { device };
}

/** Events recorded in the copy's stream before anything else happens there: they stand for the copy. */
function recordsBehind(experiment: Experiment, { info, operation }: Found<'copy'>): DocumentPath[] {
  const list = at(experiment, info.path.slice(0, -1)) as readonly Operation[];
  const paths: DocumentPath[] = [];
  for (let index = Number(info.path.at(-1)) + 1; index < list.length; index += 1) {
    const next = list[index];
    if (next === undefined || !('stream' in next) || next.stream !== operation.stream) continue;
    if (next.op !== 'recordEvent') break;
    paths.push(info.path.with(-1, index));
  }
  return paths;
}

/** The declared blocking streams of copy and kernel become non-blocking. */
export function nonBlocking(situation: Situation): Change | null {
  const { experiment, verdict } = situation;
  const used = [find(situation, verdict.op, 'copy'), find(situation, verdict.with, 'kernel', 'memset')];
  const streams = new Set(used.map((one) => one?.operation.stream));
  const edit = new ChangeBuilder(experiment);
  for (const [index, { id, flags }] of experiment.streams.entries()) {
    if (!streams.has(id) || flags !== 'blocking') continue;
    edit.step(`Make stream "${id}" non-blocking.`).replace(['streams', index, 'flags'], 'non-blocking');
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

export function dropWait(situation: Situation): Change | null {
  const wait = find(situation, situation.verdict.blockedBy, 'waitEvent');
  if (wait === null) return null;
  const edit = new ChangeBuilder(situation.experiment).step(
    `Remove "${wait.info.label}": neither side needs the other's data.`,
  );
  return edit.remove(wait.info.path).change;
}
