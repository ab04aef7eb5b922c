/**
 * A run as trace events, the JSON of Chrome's about:tracing, which many viewers read. Each row is a complete event on the
 * thread of its lane. Its form allows no overlap on one thread but for what lies inside of something: other rows of a lane
 * have threads of their own.
 */
import type { Run } from '../../trace/run.ts';
import { type RowIndex, rowKinds, type Trace } from '../../trace/trace.ts';
import type { ExportSteps } from '../exportRun.ts';
import { type FlowTable, flowTable } from '../flowTable.ts';
import { EventText, fieldText, microseconds, numberOrText } from '../json.ts';
import { linkCounterName, linkCounters } from '../linkCounters.ts';
import { type Place, placesOf } from '../processes.ts';
import { eachField } from '../rowFields.ts';
import { endOf, type PlacedIteration, startOf } from '../times.ts';
import { type Tracks, tracksOf } from '../tracks.ts';

export function* chromePieces(
  run: Run,
  iterations: readonly PlacedIteration[],
  steps: ExportSteps,
): Generator<Uint8Array> {
  const { trace, info } = run;
  const tracks = tracksOf(trace, iterations);
  const flows = flowTable(run, iterations);
  const places = placesOf(run);
  const threads = tracks.list.map(({ lane, part }, index) => {
    const place = places[lane] as Place;
    return `"pid":${numberOrText(place.process)},"tid":${part === 0 ? numberOrText(place.thread) : partThreads + index}`;
  });
  const names = trace.names.map((name) => JSON.stringify(name));
  const other = { createdAt: info.createdAt, engine: info.engine, copyscope: info.versions.copyscope };
  const text = new EventText(`{"displayTimeUnit":"ns","otherData":${JSON.stringify(other)},"traceEvents":[\n`);
  for (const event of nameEvents(run, tracks, places, threads)) text.add(event);
  for (const iteration of iterations) {
    const begins = (row: RowIndex): string =>
      `${threads[tracks.own[row] as number]},"ts":${microseconds(startOf(trace, iteration, row))}`;
    for (let row = iteration.rows.from; row < iteration.rows.to; row += 1) {
      const start = startOf(trace, iteration, row);
      const times = `"ts":${microseconds(start)},"dur":${microseconds(endOf(trace, iteration, row) - start)}`;
      const name = names[trace.columns.name[row] as number];
      const kind = rowKinds[trace.columns.kind[row] as number];
      const own = threads[tracks.own[row] as number];
      text.add(`{"ph":"X","cat":"${kind}","name":${name},${own},${times},"args":{${argumentsOf(trace, row)}}}`);
      const engine = tracks.engine[row] as number;
      if (engine >= 0) text.add(`{"ph":"X","cat":"engine","name":${name},${threads[engine]},${times}}`);
      addFlows(text, flows, row, begins);
      if (steps.isDue(text.length, row)) yield text.take();
    }
    for (const event of counterEvents(run, places, iteration)) text.add(event);
  }
  yield text.take('\n]}\n');
}

/** Threads for what overlaps come behind all others. */
const partThreads = 2_000_000;

function argumentsOf(trace: Trace, row: RowIndex): string {
  let fields = '';
  eachField(trace, row, (name, value) => {
    fields += `${fields === '' ? '' : ','}${fieldText(name, value)}`;
  });
  return fields;
}

/** An event binds to the slice on its thread that begins at its time. */
function addFlows(text: EventText, flows: FlowTable, row: RowIndex, begins: (row: RowIndex) => string): void {
  const event = (phase: string, flow: number): string =>
    `{"ph":"${phase}","cat":"flow","name":"flow","id":${flow + 1},${begins(row)}}`;
  for (let flow = flows.firstOut[row] as number; flow >= 0; flow = flows.nextOut[flow] as number) {
    text.add(event('s', flow));
  }
  for (let flow = flows.firstIn[row] as number; flow >= 0; flow = flows.nextIn[flow] as number) {
    text.add(event('f","bp":"e', flow));
  }
}

function* nameEvents(
  { trace }: Run,
  tracks: Tracks,
  places: readonly Place[],
  threads: readonly string[],
): Generator<string> {
  const processes = new Map(places.map((place) => [place.process, place]));
  for (const [rank, { process, processName }] of [...processes.values()].entries()) {
    const pid = `"pid":${numberOrText(process)},"tid":0`;
    yield `{"ph":"M","name":"process_name",${pid},"args":{"name":${JSON.stringify(processName)}}}`;
    yield `{"ph":"M","name":"process_sort_index",${pid},"args":{"sort_index":${rank}}}`;
  }
  for (const [index, { lane, part }] of tracks.list.entries()) {
    const name = trace.lanes[lane]?.name ?? '';
    const shown = JSON.stringify(part === 0 ? name : `${name}, overlapping ${part}`);
    yield `{"ph":"M","name":"thread_name",${threads[index]},"args":{"name":${shown}}}`;
    yield `{"ph":"M","name":"thread_sort_index",${threads[index]},"args":{"sort_index":${index}}}`;
  }
}

function* counterEvents({ trace }: Run, places: readonly Place[], iteration: PlacedIteration): Generator<string> {
  for (const counter of linkCounters(trace, iteration)) {
    const lane = trace.lanes.findIndex(({ device }) => device === counter.device);
    const head = `{"ph":"C","name":${JSON.stringify(linkCounterName(counter))},"pid":${numberOrText(places[lane]?.process ?? '0')},"tid":0`;
    for (const [index, time] of counter.timeNs.entries()) {
      yield `${head},"ts":${microseconds(time)},"args":{"bytes/s":${counter.bytesPerSecond[index]}}}`;
    }
  }
}
