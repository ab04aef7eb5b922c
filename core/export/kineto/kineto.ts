/**
 * Exports a run in the format of PyTorch's profiler (https://github.com/pytorch/kineto, output_json.cpp) for its tools.
 * Everything that the format lacks goes into the events' arguments, or into events that such tools ignore:
 *
 *   host-work, -read, -write   annotations          host-function             asynchronous events
 *   pinned, mapped, …          'Pinned'             records without a wait    instants
 *   iterations of a run        annotations 'ProfilerStep#1', …
 */
import { rowDirection } from '../../trace/iteration.ts';
import { memoryEvent, readMemoryEventName } from '../../trace/rangeNames.ts';
import type { Run } from '../../trace/run.ts';
import { type RowIndex, type RowKind, rowKinds, type Trace } from '../../trace/trace.ts';
import type { ExportSteps } from '../exportRun.ts';
import { type FlowTable, flowTable } from '../flowTable.ts';
import { EventText, fieldText, microseconds, numberOrText } from '../json.ts';
import { type Place, placesOf } from '../processes.ts';
import { eachField } from '../rowFields.ts';
import { endOf, type PlacedIteration, startOf } from '../times.ts';
import { headText } from './kinetoHead.ts';
import { callCategory, kinetoCopyName, kinetoMemsetName, rangeCategory } from './kinetoNames.ts';
import { type Wait, Waits } from './waits.ts';

const codeOf = (kind: RowKind): number => rowKinds.indexOf(kind);
const [callCode, rangeCode] = [codeOf('host-call'), codeOf('host-range')];

export function* kinetoPieces(
  run: Run,
  iterations: readonly PlacedIteration[],
  steps: ExportSteps,
): Generator<Uint8Array> {
  const { trace, info } = run;
  const places = placesOf(run);
  const writer = new RowEvents(run, places, flowTable(run, iterations));
  const text = new EventText(headText(run));
  for (const event of nameEvents(run, places)) text.add(event);
  const main = trace.lanes.findIndex(({ kind }) => kind === 'host-thread');
  for (const iteration of iterations) {
    if (info.imported === undefined && main >= 0) text.add(stepEvent(iteration, places[main] as Place));
    for (let row = iteration.rows.from; row < iteration.rows.to; row += 1) {
      writer.write(text, iteration, row);
      if (steps.isDue(text.length, row)) yield text.take();
    }
  }
  yield text.take('\n]}\n');
}

const stepEvent = ({ number, beginNs, endNs }: PlacedIteration, { process, thread }: Place): string =>
  `{"ph":"X","cat":"user_annotation","name":"ProfilerStep#${number}","pid":${numberOrText(process)},` +
  `"tid":${numberOrText(thread)},"ts":${microseconds(beginNs)},"dur":${microseconds(endNs - beginNs)},"args":{}}`;

/** Names of threads, unless their number alone determines them. */
function* nameEvents({ trace }: Run, places: readonly Place[]): Generator<string> {
  for (const [index, { kind, name }] of trace.lanes.entries()) {
    const { process, thread } = places[index] as Place;
    if ((kind !== 'host-thread' && kind !== 'stream') || name === `thread ${thread}`) continue;
    const label = kind === 'stream' ? `stream ${thread}${name === thread ? '' : ` ${name}`}` : name;
    yield `{"ph":"M","name":"thread_name","pid":${numberOrText(process)},"tid":${numberOrText(thread)},"ts":0.000,` +
      `"args":{"name":${JSON.stringify(label)}}}`;
  }
}

class RowEvents {
  readonly #trace: Trace;
  readonly #places: readonly Place[];
  readonly #threads: readonly string[];
  readonly #flows: FlowTable;
  readonly #names: readonly string[];
  readonly #memsets: readonly string[];
  readonly #ranges: readonly string[];
  readonly #calls: readonly string[];
  readonly #waits: Waits;
  /** Records that were written with their wait. */
  readonly #told = new Set<RowIndex>();
  /** Allocated bytes by device: Kineto writes the total with each change. */
  readonly #allocated = new Map<string, number>();

  constructor({ trace }: Run, places: readonly Place[], flows: FlowTable) {
    this.#trace = trace;
    this.#places = places;
    this.#threads = places.map(({ process, thread }) => `"pid":${numberOrText(process)},"tid":${numberOrText(thread)}`);
    this.#flows = flows;
    this.#names = trace.names.map((name) => JSON.stringify(name));
    this.#memsets = trace.names.map((name) => JSON.stringify(kinetoMemsetName(name)));
    this.#ranges = trace.names.map(rangeCategory);
    this.#calls = trace.names.map(callCategory);
    this.#waits = new Waits(trace, flows);
  }

  write(text: EventText, iteration: PlacedIteration, row: RowIndex): void {
    const { kind, name } = this.#trace.columns;
    const code = kind[row] as number;
    const nameIndex = name[row] as number;
    switch (rowKinds[code]) {
      case 'host-range':
        if (!this.#memory(text, iteration, row))
          text.add(this.#host(iteration, row, this.#ranges[nameIndex] as string));
        return;
      case 'host-call':
      case 'host-sync':
        text.add(this.#host(iteration, row, this.#calls[nameIndex] as string));
        this.#flowStart(text, iteration, row);
        return;
      case 'kernel':
        this.#device(text, iteration, row, 'kernel', this.#names[nameIndex] as string);
        return;
      case 'memset':
        this.#device(text, iteration, row, 'gpu_memset', this.#memsets[nameIndex] as string);
        return;
      case 'copy':
        this.#device(text, iteration, row, 'gpu_memcpy', JSON.stringify(this.#copyName(row)));
        return;
      case 'event-wait':
        this.#wait(text, iteration, row);
        return;
      case 'event-record':
        if (!this.#waits.isKnown(row))
          text.add(this.#plain('i","s":"t', iteration, row, this.#argumentsOf(iteration, row)));
        return;
      case 'host-function':
        text.add(this.#plain(`b","id":"${row}`, iteration, row, this.#argumentsOf(iteration, row)));
        text.add(this.#plain(`e","id":"${row}`, iteration, row, '', endOf(this.#trace, iteration, row)));
        return;
      default:
        text.add(this.#host(iteration, row, 'user_annotation'));
    }
  }

  #plain(phase: string, iteration: PlacedIteration, row: RowIndex, args: string, time = this.#start(iteration, row)) {
    const { kind, name, lane } = this.#trace.columns;
    return (
      `{"ph":"${phase}","cat":"${rowKinds[kind[row] as number]}","name":${this.#names[name[row] as number]},` +
      `${this.#threads[lane[row] as number]},"ts":${microseconds(time)},"args":{${args}}}`
    );
  }

  #start(iteration: PlacedIteration, row: RowIndex): number {
    return startOf(this.#trace, iteration, row);
  }

  #complete(iteration: PlacedIteration, row: RowIndex, category: string, name: string, args: string): string {
    const start = this.#start(iteration, row);
    const duration = endOf(this.#trace, iteration, row) - start;
    return (
      `{"ph":"X","cat":"${category}","name":${name},${this.#threads[this.#trace.columns.lane[row] as number]},` +
      `"ts":${microseconds(start)},"dur":${microseconds(duration)},"args":{${args}}}`
    );
  }

  #host(iteration: PlacedIteration, row: RowIndex, category: string): string {
    const { name } = this.#trace.columns;
    const args = this.#argumentsOf(iteration, row);
    return this.#complete(iteration, row, category, this.#names[name[row] as number] as string, args);
  }

  #device(text: EventText, iteration: PlacedIteration, row: RowIndex, category: string, name: string): void {
    const { bytes, durationNs, kind } = this.#trace.columns;
    const moved = bytes[row] as number;
    const rate =
      rowKinds[kind[row] as number] === 'kernel'
        ? ''
        : `,"memory bandwidth (GB/s)":${moved / Math.max(1, durationNs[row] as number)}`;
    const args = `${this.#deviceFields(row)}${this.#more(this.#argumentsOf(iteration, row))}${rate}`;
    text.add(this.#complete(iteration, row, category, name, args));
    const correlation = this.#issuer(row);
    if (correlation === 0) return;
    text.add(this.#flow('f","bp":"e', correlation + iteration.firstCorrelation, iteration, row));
  }

  #deviceFields(row: RowIndex): string {
    const { device, thread } = this.#places[this.#trace.columns.lane[row] as number] as Place;
    return `"device":${device},"stream":${thread}`;
  }

  #more(fields: string): string {
    return fields === '' ? '' : `,${fields}`;
  }

  /** Returns the correlation of the call that issued it; 0 if the trace lacks it. */
  #issuer(row: RowIndex): number {
    const { kind, correlation } = this.#trace.columns;
    const flow = this.#flows.firstIn[row] as number;
    const call = flow < 0 ? -1 : (this.#flows.from[flow] as number);
    return call >= 0 && kind[call] === callCode ? (correlation[call] as number) : 0;
  }

  #flowStart(text: EventText, iteration: PlacedIteration, row: RowIndex): void {
    if ((this.#flows.firstOut[row] as number) < 0) return;
    const correlation = (this.#trace.columns.correlation[row] as number) + iteration.firstCorrelation;
    text.add(this.#flow('s', correlation, iteration, row));
  }

  #flow(phase: string, id: number, iteration: PlacedIteration, row: RowIndex): string {
    const thread = this.#threads[this.#trace.columns.lane[row] as number];
    const ts = microseconds(this.#start(iteration, row));
    return `{"ph":"${phase}","id":${id},"cat":"ac2g","name":"ac2g",${thread},"ts":${ts}}`;
  }

  #copyName(row: RowIndex): string {
    const { names, columns } = this.#trace;
    return kinetoCopyName(this.#trace, row, names[columns.name[row] as number] ?? '', rowDirection(this.#trace, row));
  }

  #wait(text: EventText, iteration: PlacedIteration, row: RowIndex): void {
    const wait = this.#waits.of(row);
    if (wait !== null && !this.#told.has(wait.record)) {
      this.#told.add(wait.record);
      this.#waitEvent(text, iteration, wait.teller, wait);
    }
    if (wait?.teller !== row) this.#waitEvent(text, iteration, row, wait);
  }

  #waitEvent(text: EventText, iteration: PlacedIteration, row: RowIndex, wait: Wait | null): void {
    const record =
      wait === null
        ? ''
        : `,"wait_on_stream":${this.#places[wait.recordLane]?.thread},` +
          `"wait_on_cuda_event_record_corr_id":${wait.correlation + iteration.firstCorrelation}` +
          (wait.event === null ? '' : `,"wait_on_cuda_event_id":${wait.event}`);
    const own = this.#start(iteration, row);
    const start = wait?.teller === row ? Math.min(own, this.#start(iteration, wait.record)) : own;
    const args = `${this.#deviceFields(row)}${this.#more(this.#argumentsOf(iteration, row))}${record}`;
    const thread = this.#threads[this.#trace.columns.lane[row] as number];
    text.add(
      `{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event",${thread},"ts":${microseconds(start)},"dur":0.000,"args":{${args}}}`,
    );
  }

  /** Writes a change of allocated memory as an instant, as Kineto does. Returns whether the range is one. */
  #memory(text: EventText, iteration: PlacedIteration, row: RowIndex): boolean {
    const { columns, names } = this.#trace;
    const change =
      columns.kind[row] === rangeCode ? readMemoryEventName(names[columns.name[row] as number] ?? '') : null;
    if (change === null) return false;
    const { action, device } = change;
    const bytes = (columns.bytes[row] as number) * (action === 'free' ? -1 : 1);
    const allocated = (this.#allocated.get(device) ?? 0) + bytes;
    this.#allocated.set(device, allocated);
    if (action === 'before') return true;
    const [type, number] = device === '' ? [0, -1] : [1, Number(/\d+$/.exec(device)?.[0] ?? 0)];
    text.add(
      `{"ph":"i","s":"t","cat":"cpu_instant_event","name":"${memoryEvent}",${this.#threads[columns.lane[row] as number]},` +
        `"ts":${microseconds(this.#start(iteration, row))},"args":{"Bytes":${bytes},"Total Allocated":${allocated},` +
        `"Device Type":${type},"Device Id":${number}}}`,
    );
    return true;
  }

  #isCorrelated(row: RowIndex): boolean {
    const kind = rowKinds[this.#trace.columns.kind[row] as number] as RowKind;
    return kind === 'host-call' || kind === 'host-sync' || !kind.startsWith('host-');
  }

  #argumentsOf(iteration: PlacedIteration, row: RowIndex): string {
    let fields = '';
    eachField(this.#trace, row, (name, value) => {
      if (name !== 'correlation') fields += `${fields === '' ? '' : ','}${fieldText(name, value)}`;
    });
    const correlation = this.#trace.columns.correlation[row] as number;
    if (correlation === 0 && !this.#isCorrelated(row)) return fields;
    // Kineto's readers expect a correlation with every call and every activity: 0 joins nothing.
    const told = correlation === 0 ? 0 : correlation + iteration.firstCorrelation;
    return `"correlation":${told}${this.#more(fields)}`;
  }
}
