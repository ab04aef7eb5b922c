/**
 * A sweep in a bundle: its document, the outcomes of its points, and the runs of those that succeeded. Damage refuses
 * this sweep alone, and all of it, since a sweep without a measured point would be misleading.
 */

import { runFigures } from '../../../core/apps/sweep/metrics.ts';
import { requireSweep } from '../../../core/apps/sweep/parse.ts';
import { CopyscopeError } from '../../../core/errors.ts';
import type { SweepOutcome } from '../../../core/service/service.ts';
import { decodeRun, maxRunFileBytes } from '../../../core/trace/arrow.ts';
import { parseRunNotes, type RunNotes } from '../../../core/trace/notes.ts';
import { readBounded, readBoundedText } from '../../files/files.ts';
import { doneOutcome, type KeptSweep, keptText, outcomeIn, outcomeLine, readKept, sweepRunId } from '../keptSweep.ts';
import type { NoteStore } from '../noteStore.ts';
import { maxSweepBytes, type SweepStore } from '../sweepStore.ts';
import { type EntryKind, type ErrorFields, entriesOfSweep, pathOf, type SweepItem, within } from './manifest.ts';
import type { PackedFile } from './writeBundle.ts';

export interface UnpackedSweep {
  readonly kept: KeptSweep;
  /** Paths of the runs of points that succeeded. */
  readonly runs: ReadonlyMap<number, string>;
  readonly notes: ReadonlyMap<number, RunNotes>;
}

/** Paths on the disk by paths in the bundle. */
export type Places = ReadonlyMap<string, string>;

interface Stores {
  readonly sweeps: SweepStore;
  readonly notes: NoteStore;
}

/** Returns a sweep's item and files for a bundle. Rejects as the store's read() does, and with `run.not-found`. */
export async function packSweep({ sweeps, notes }: Stores, id: string): Promise<[SweepItem, PackedFile[]]> {
  const kept = await sweeps.read(id);
  const item: SweepItem = { id, name: kept.sweep.name, runs: [], notes: [] };
  const files: PackedFile[] = [
    { kind: 'sweep', id, text: keptText(kept) },
    { kind: 'points', id, text: kept.outcomes.map(outcomeLine).join('') },
  ];
  for (const { point, status } of kept.outcomes) {
    if (status === 'failed') continue;
    const run = sweepRunId(id, point);
    item.runs.push(point);
    files.push({ kind: 'run', id: run, path: (await sweeps.runFile(run)).path });
    const path = await notes.path(run);
    if (path === null) continue;
    item.notes.push(point);
    files.push({ kind: 'notes', id: run, path });
  }
  return [item, files];
}

/** Validates a whole sweep. Rejects with `bundle.sweep-damaged`, which names the file, or a file error. */
export async function readSweep(item: SweepItem, places: Places): Promise<UnpackedSweep> {
  const lost = entriesOfSweep(item)
    .map(pathOf)
    .find((path) => !places.has(path));
  if (lost !== undefined) throw sweepError(`${lost} is missing.`, { field: lost });
  const { id } = item;
  const [json, lines] = [await textOf(places, 'sweep', id), await textOf(places, 'points', id)];
  const kept = inSweep(pathOf({ kind: 'sweep', id }), () => requireKept(id, json));
  const outcomes = inSweep(pathOf({ kind: 'points', id }), () => requireOutcomes(lines, kept.points, item.runs));
  const runs = new Map<number, string>();
  const notes = new Map<number, RunNotes>();
  const read: SweepOutcome[] = [];
  // One after another, since each may have a gigabyte.
  for (const outcome of outcomes) {
    const { point, status } = outcome;
    if (status === 'done') runs.set(point, placeOf(places, 'run', sweepRunId(id, point)));
    read.push(status === 'done' ? await readPoint(id, point, places) : outcome);
  }
  for (const point of item.notes) {
    const run = sweepRunId(id, point);
    const text = await textOf(places, 'notes', run);
    notes.set(
      point,
      inSweep(pathOf({ kind: 'notes', id: run }), () => parseRunNotes(text)),
    );
  }
  return { kept: { ...kept, outcomes: read }, runs, notes };
}

/** Computes the figures from the run, since stored ones could be of anything. */
async function readPoint(id: string, point: number, places: Places): Promise<SweepOutcome> {
  const entry = { kind: 'run', id: sweepRunId(id, point) } as const;
  const file = await readBounded(placeOf(places, 'run', entry.id), maxRunFileBytes);
  const run = inSweep(pathOf(entry), () => decodeRun(file));
  return doneOutcome(id, point, { info: run.info, figures: runFigures(run), madeHere: false });
}

export const sweepDamaged = 'bundle.sweep-damaged';

const sweepError = (problem: string, { field, cause }: ErrorFields): CopyscopeError =>
  new CopyscopeError({ code: sweepDamaged, message: problem, ...(field === undefined ? {} : { field }) }, { cause });

const inSweep = <Value>(path: string, read: () => Value): Value => within(path, read, sweepError);

const placeOf = (places: Places, kind: EntryKind, id: string): string => places.get(pathOf({ kind, id })) ?? '';

const textOf = (places: Places, kind: EntryKind, id: string): Promise<string> =>
  readBoundedText(placeOf(places, kind, id), maxSweepBytes);

function requireKept(id: string, json: string): KeptSweep {
  const kept = readKept(id, json, '');
  const { count } = requireSweep(kept.sweep);
  if (count === kept.points) return kept;
  throw damaged(`should have ${kept.points} points, and has ${count}.`, 'points');
}

/** Returns one outcome for each point; `runs` are the points that succeeded. */
function requireOutcomes(lines: string, points: number, runs: readonly number[]): SweepOutcome[] {
  const found = new Map<number, SweepOutcome>();
  for (const [index, line] of lines.split('\n').entries()) {
    if (line === '') continue;
    const outcome = outcomeIn(line);
    const where = `line ${index + 1}`;
    if (outcome === null) throw damaged(`${where} can’t be read.`, where);
    if (outcome.point >= points || found.has(outcome.point)) {
      throw damaged(`${where} is about point ${outcome.point}, which exists twice or not at all.`, where);
    }
    found.set(outcome.point, outcome);
  }
  const done = [...found.values()].filter(({ status }) => status === 'done').map(({ point }) => point);
  if (new Set([...done, ...runs]).size === done.length && done.length === runs.length) return [...found.values()];
  throw damaged('does not say the same as the manifest about which points were done.', 'points');
}

const damaged = (message: string, field: string): CopyscopeError =>
  new CopyscopeError({ code: 'sweep.damaged', message, field });
