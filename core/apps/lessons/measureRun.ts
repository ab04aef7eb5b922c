/** Takes a measure of a run. Returns null if the run has nothing to measure, such as data in a simulation. */

import { bufferBytes } from '../../experiment/resources.ts';
import { rowUnion } from '../../explain/figures/overlap.ts';
import { touchedBuffers } from '../../explain/verdicts/facts.ts';
import { intersection, length } from '../../trace/intervals.ts';
import { activity, makespan, rowStart } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { Run } from '../../trace/run.ts';
import type { RowIndex } from '../../trace/trace.ts';
import type { Measure, Selector } from './measure.ts';
import type { Played } from './played.ts';

export function takeMeasure(played: Played, measure: Measure): number | null {
  switch (measure.measure) {
    case 'makespan':
      return makespan(played.iteration);
    case 'hazards':
      return played.hazards.filter(({ kind }) => measure.kind === undefined || kind === measure.kind).length;
    case 'wrong-bytes':
      return arrived(played.run, measure.buffer)?.bytesWrong ?? null;
    case 'elapsed':
      return elapsed(played, measure);
    case 'operations':
      return played.operations.filter(({ op }) => op === measure.op).length;
    case 'declared':
      return sum(played.experiment.buffers.filter(({ memory }) => memory === measure.memory).map(bufferBytes));
    case 'host-threads':
      return played.experiment.threads.length;
    default:
      return ofRows(played, measure);
  }
}

/** Returns how many bytes the run checked, in all buffers or in one, and how many were wrong; null if none. */
export function arrived({ info }: Run, buffer?: string): { bytesChecked: number; bytesWrong: number } | null {
  const checks = info.verification.checks.filter((check) => buffer === undefined || check.buffer === buffer);
  const bytesChecked = sum(checks.map((check) => check.bytesChecked));
  return bytesChecked === 0 ? null : { bytesChecked, bytesWrong: sum(checks.map((check) => check.bytesWrong)) };
}

/** Returns the run's own elapsed time. If it has none, as in a simulation, uses the rows of the event records. */
function elapsed(played: Played, { start, end }: Extract<Measure, { measure: 'elapsed' }>): number | null {
  const { run, iteration, operations } = played;
  const found = run.info.elapsedTimes?.findLast((time) => {
    const one = operations[time.op];
    return time.iteration === iteration.number && one?.op === 'elapsedTime' && one.start === start && one.end === end;
  });
  if (found !== undefined) return found.durationNs;
  const reached = (event: string): number | null => {
    const rows = selectRows(played, { kind: 'event-record' }).filter((row) => {
      const one = operations[run.trace.columns.op[row] ?? -1];
      return one?.op === 'recordEvent' && one.event === event;
    });
    const last = rows.at(-1);
    return last === undefined ? null : rowEndNs(run.trace, last);
  };
  const [from, to] = [reached(start), reached(end)];
  return from === null || to === null ? null : to - from;
}

type RowMeasure = Extract<Measure, { of: Selector }>;

const zeroIfNone: ReadonlySet<Measure['measure']> = new Set(['time', 'exposed', 'bytes']);

function ofRows(played: Played, measure: RowMeasure): number | null {
  const { trace } = played.run;
  const rows = selectRows(played, measure.of);
  if (measure.measure === 'count') return rows.length;
  if (rows.length === 0) return zeroIfNone.has(measure.measure) ? 0 : null;
  const moved = (): number => sum(rows.map((row) => trace.columns.bytes[row] ?? 0));
  const busy = rowUnion(played.iteration, rows);
  switch (measure.measure) {
    case 'time':
      return length(busy);
    case 'share':
      return length(busy) / (makespan(played.iteration) ?? Number.NaN);
    case 'longest':
      return Math.max(...rows.map((row) => trace.columns.durationNs[row] ?? 0));
    case 'shortest':
      return Math.min(...rows.map((row) => trace.columns.durationNs[row] ?? 0));
    case 'span':
      return (
        Math.max(...rows.map((row) => rowEndNs(trace, row))) - Math.min(...rows.map((row) => rowStart(trace, row)))
      );
    case 'bytes':
      return moved();
    case 'bandwidth':
      return length(busy) > 0 ? (moved() / length(busy)) * 1e9 : null;
    case 'exposed':
    case 'together': {
      const other = rowUnion(played.iteration, selectRows(played, measure.with));
      if (measure.measure === 'exposed') return length(busy) - length(intersection(busy, other));
      const shorter = Math.min(length(busy), length(other));
      return shorter > 0 ? length(intersection(busy, other)) / shorter : null;
    }
    case 'lead':
    case 'gap':
    case 'between': {
      const others = selectRows(played, measure.until);
      if (others.length === 0) return null;
      const starts = (of: readonly RowIndex[]): number[] => of.map((row) => rowStart(trace, row));
      const ends = (of: readonly RowIndex[]): number[] => of.map((row) => rowEndNs(trace, row));
      if (measure.measure === 'lead') return Math.min(...starts(others)) - Math.min(...starts(rows));
      return measure.measure === 'gap'
        ? Math.min(...starts(others)) - Math.max(...ends(rows))
        : Math.max(...ends(others)) - Math.min(...ends(rows));
    }
  }
}

/** Returns the rows of the shown iteration that fit a selector, in order of start. */
export function selectRows(played: Played, selector: Selector): RowIndex[] {
  const { begin, end } = played.iteration;
  const rows: RowIndex[] = [];
  for (let row = begin; row < end; row += 1) if (fits(played, selector, row)) rows.push(row);
  return selector.last === true ? rows.slice(-1) : rows;
}

function fits(played: Played, selector: Selector, row: RowIndex): boolean {
  const { trace } = played.run;
  const one = activity(trace, row);
  const operation = played.operations[one.op];
  const touched = touchedBuffers(operation);
  const lane = trace.lanes[one.lane];
  const engine = one.engineKind;
  return (
    (selector.kind ?? one.kind) === one.kind &&
    (selector.direction === undefined || selector.direction === one.direction) &&
    (selector.name ?? one.name) === one.name &&
    (selector.engine === undefined || selector.engine === engine) &&
    (selector.lane === undefined || [lane?.name, lane?.id.slice(lane.id.indexOf(':') + 1)].includes(selector.lane)) &&
    (selector.label === undefined || operation?.label === selector.label) &&
    (selector.from === undefined || (touched?.reads.includes(selector.from) ?? false)) &&
    (selector.to === undefined || (touched?.writes.includes(selector.to) ?? false))
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
