/** Takes a measure of a run. Null where the run has nothing to measure, as the data of a simulation. */
import { intersection, length } from '../analysis/intervals.ts';
import { activity, makespan, rowStart } from '../analysis/iteration.ts';
import { rowUnion } from '../analysis/overlap.ts';
import { touchedBuffers } from '../analysis/verdicts/facts.ts';
import { bufferBytes } from '../experiment/resources.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { RowIndex } from '../trace/trace.ts';
import type { Measure, Selector } from './measure.ts';
import type { Played } from './played.ts';

export function takeMeasure(played: Played, measure: Measure): number | null {
  switch (measure.measure) {
    case 'makespan':
      return makespan(played.iteration);
    case 'hazards':
      return played.hazards.filter(({ kind }) => measure.kind === undefined || kind === measure.kind).length;
    case 'wrong-bytes': {
      const { bytesChecked, bytesWrong } = played.run.info.verification;
      return bytesChecked === 0 ? null : bytesWrong;
    }
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

type RowMeasure = Extract<Measure, { of: Selector }>;

function ofRows(played: Played, measure: RowMeasure): number | null {
  const { trace } = played.run;
  const rows = selectRows(played, measure.of);
  if (measure.measure === 'count') return rows.length;
  if (rows.length === 0) return measure.measure === 'time' || measure.measure === 'bytes' ? 0 : null;
  const moved = (): number => sum(rows.map((row) => trace.columns.bytes[row] ?? 0));
  const busy = rowUnion(played.iteration, rows);
  switch (measure.measure) {
    case 'time':
      return length(busy);
    case 'share':
      return length(busy) / (makespan(played.iteration) ?? Number.NaN);
    case 'longest':
      return Math.max(...rows.map((row) => trace.columns.durationNs[row] ?? 0));
    case 'bytes':
      return moved();
    case 'bandwidth':
      return length(busy) > 0 ? (moved() / length(busy)) * 1e9 : null;
    case 'together': {
      const other = rowUnion(played.iteration, selectRows(played, measure.with));
      const shorter = Math.min(length(busy), length(other));
      return shorter > 0 ? length(intersection(busy, other)) / shorter : null;
    }
    case 'gap':
    case 'between': {
      const others = selectRows(played, measure.until);
      if (others.length === 0) return null;
      const ends = rows.map((row) => rowEndNs(trace, row));
      return measure.measure === 'gap'
        ? Math.min(...others.map((row) => rowStart(trace, row))) - Math.max(...ends)
        : Math.max(...others.map((row) => rowEndNs(trace, row))) - Math.min(...ends);
    }
  }
}

/** Rows of the shown iteration that fit a selector, in order of start. */
export function selectRows(played: Played, selector: Selector): RowIndex[] {
  const { begin, end } = played.iteration;
  const rows: RowIndex[] = [];
  for (let row = begin; row < end; row += 1) if (fits(played, selector, row)) rows.push(row);
  return rows;
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
