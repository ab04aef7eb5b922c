/** Content of an exported run in a form that all formats share, to compare it with the run itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { allFlows } from '../../../core/explain/figures/flows.ts';
import { exportRun } from '../../../core/export/exportRun.ts';
import type { ExportFormat } from '../../../core/export/formats.ts';
import { simulateRunInSteps } from '../../../core/machine/cost/simEngine.ts';
import { lower } from '../../../core/program/lower.ts';
import { atOnce } from '../../../core/steps.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { iterationRows, iterationsOf, readRow } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import { h200 as profile } from '../machine/toy.ts';

/** All fields of a row in a run file. */
export interface ToldRow {
  readonly kind: string;
  readonly name: string;
  readonly lane: string;
  readonly engine: string;
  readonly startNs: number;
  readonly durationNs: number;
  readonly iteration: number;
  readonly op: number;
  readonly correlation: number;
  readonly bytes: number;
  readonly src: string;
  readonly dst: string;
  readonly channel: number;
  readonly channelType: string;
}

/** Returns a row of a reader, in which empty fields are left out. */
export function toldRow(
  own: Pick<ToldRow, 'kind' | 'name' | 'lane' | 'startNs' | 'durationNs'>,
  args: Readonly<Record<string, number | string>>,
): ToldRow {
  const number = (name: string, otherwise: number): number => Number(args[name] ?? otherwise);
  const word = (name: string, otherwise: string): string => String(args[name] ?? otherwise);
  return {
    ...own,
    startNs: number('start_ns', own.startNs),
    durationNs: number('duration_ns', own.durationNs),
    engine: word('engine', ''),
    iteration: number('iteration', 0),
    op: number('op', -1),
    correlation: number('correlation', 0),
    bytes: number('bytes', 0),
    src: word('src', 'none'),
    dst: word('dst', 'none'),
    channel: number('channel', -1),
    channelType: word('channel_type', 'unknown'),
  };
}

export const rowsTold = ({ trace }: Run): ToldRow[] =>
  Array.from({ length: trace.count }, (_, row) => {
    const { lane, engine, op, correlation, channel, row: _row, endNs: _end, ...rest } = readRow(trace, row);
    return {
      ...rest,
      bytes: rest.bytes + 0,
      lane: `${lane.name}`,
      engine: engine?.id ?? '',
      op: op ?? -1,
      correlation: correlation ?? 0,
      channel: channel ?? -1,
    };
  });

/** Returns rows as sorted texts, since formats return them by time. */
export const sorted = (rows: readonly ToldRow[]): string[] =>
  rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();

const shown = ({ kind, name, lane, iteration, op, correlation }: ToldRow): string =>
  JSON.stringify([kind, name, lane, iteration, op, correlation]);

export const flowText = (from: ToldRow, to: ToldRow): string => `${shown(from)} -> ${shown(to)}`;

export function flowsTold(run: Run): string[] {
  const rows = rowsTold(run);
  return iterationsOf(run.trace)
    .flatMap((number) => [...allFlows(run.trace, iterationRows(run.trace, number), run.info.experiment)])
    .map(({ from, to }) => flowText(rows[from] as ToldRow, rows[to] as ToldRow))
    .sort();
}

export function exported(run: Run, format: ExportFormat, iteration?: number): Uint8Array {
  const pieces = [...exportRun(run, format, { iteration })];
  return new Uint8Array(Buffer.concat(pieces));
}

/** Returns the start of each iteration's own times: one follows the other at the next whole microsecond. */
export function beginnings({ trace }: Run): ReadonlyMap<number, number> {
  const begins = new Map<number, number>();
  let next = 0;
  for (const number of iterationsOf(trace)) {
    begins.set(number, next);
    const { from, to } = iterationRows(trace, number);
    let end = 0;
    for (let row = from; row < to; row += 1) end = Math.max(end, readRow(trace, row).endNs);
    next += Math.ceil(end / 1000) * 1000;
  }
  return begins;
}

const assets = join(import.meta.dirname, '../../../assets');

/** Returns the simulator's prediction for a shipped example. */
export function simulatedExample(name: string, on = profile): Run {
  const experiment = requireExperiment(readFileSync(join(assets, `examples/${name}.json`), 'utf8'));
  const request = { program: lower(experiment), experiment };
  return atOnce(simulateRunInSteps(request, on, { machine: null, version: '1.2.3' }));
}

/** Returns a shipped run. */
export const recordedRun = (name: string): Run =>
  decodeRun(new Uint8Array(readFileSync(join(assets, `runs/${name}.arrow`))));
