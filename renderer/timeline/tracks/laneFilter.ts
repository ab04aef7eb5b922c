/**
 * Filters lanes by a text: device, stream, thread, process or kind, the name of an activity, or the line that issued
 * it.
 */

import { CallStacks } from '../../../core/explain/figures/callStacks.ts';
import { hostCalls } from '../../../core/explain/figures/hostCalls.ts';
import { rememberedBy } from '../../../core/rememberedBy.ts';
import { frameText } from '../../../core/trace/callStack.ts';
import { rowsOfKind } from '../../../core/trace/iteration.ts';
import type { IterationView } from '../../store/opened/loadedRun.ts';
import type { Candidate } from './candidates.ts';

/** Searchable texts of a lane. */
interface LaneTexts {
  /** Indices of names. */
  readonly names: Set<number>;
  readonly lines: Set<string>;
}

/** Read when the first filter is typed. */
const textsOf = rememberedBy((view: IterationView): ReadonlyMap<string, LaneTexts> => {
  const { trace, info } = view.run;
  const { lane, engine, name } = trace.columns;
  const texts = trace.lanes.map((): LaneTexts => ({ names: new Set(), lines: new Set() }));
  for (let row = view.rows.from; row < view.rows.to; row += 1) {
    texts[lane[row] ?? -1]?.names.add(name[row] ?? -1);
    texts[engine[row] ?? -1]?.names.add(name[row] ?? -1);
  }
  if (info.imported !== undefined) addLines(view, texts);
  return new Map(trace.lanes.map(({ id }, index) => [id, texts[index] as LaneTexts]));
});

/** Adds the lines that issued device work. Lines of host calls need no addition, since the thread has them by name. */
function addLines(view: IterationView, texts: readonly LaneTexts[]): void {
  const { trace } = view.run;
  const iteration = { trace, number: view.number, begin: view.rows.from, end: view.rows.to };
  const stacks = new CallStacks(iteration);
  if (!stacks.areThere) return;
  const calls = hostCalls(iteration);
  for (const row of rowsOfKind(iteration, 'copy', 'kernel', 'memset')) {
    const call = calls.get(row);
    if (call === undefined) continue;
    for (const frame of stacks.of(call)) {
      for (const of of [trace.columns.lane[row], trace.columns.engine[row]])
        texts[of ?? -1]?.lines.add(frameText(frame));
    }
  }
}

/** Returns a filter that needs every word of the text. */
export function laneFilter(view: IterationView, text: string): (lane: Candidate) => boolean {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return () => true;
  const { names, lanes } = view.run.trace;
  const devices = new Map(lanes.map(({ id, device }) => [id, device]));
  const named = words.map(
    (word) => new Set(names.flatMap((name, at) => (name.toLowerCase().includes(word) ? at : []))),
  );
  const texts = textsOf(view);
  return ({ id, name, detail, group }) => {
    const own = `${name} ${detail} ${group.name} ${devices.get(id) ?? ''}`.toLowerCase();
    const held = texts.get(id);
    return words.every((word, place) => {
      if (own.includes(word)) return true;
      if (held === undefined) return false;
      const isNamed = [...held.names].some((at) => named[place]?.has(at));
      return isNamed || [...held.lines].some((line) => line.toLowerCase().includes(word));
    });
  };
}
