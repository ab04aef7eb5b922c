/** Takes the measurements of a benchmark one by one. One that fails, hangs or loses its process costs only its own line. */
import { cpus, release, type } from 'node:os';
import { comparisons, peerTasks } from '../../core/bench/comparison.ts';
import { type BenchDocument, type BenchRow, benchFormat, benchVersion } from '../../core/bench/document.ts';
import { failedRow, measuredRow, waivedRow } from '../../core/bench/figures.ts';
import type { Measured, Measurement } from '../../core/bench/measurement.ts';
import type { BenchItem } from '../../core/bench/plan.ts';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import type { CancelSignal, DeviceInfo, DeviceReport } from '../../core/program/engine.ts';
import type { Peer } from './pytorch.ts';

export interface BenchTools {
  measure(measurement: Measurement, signal: CancelSignal): Promise<Measured>;
  /** What compares with PyTorch; null where that was not asked for. */
  readonly peer: Peer | null;
  readonly onProgress: (done: number, total: number, item: BenchItem) => void;
  readonly signal: AbortSignal;
  /** Longest that one measurement may take. */
  readonly limitMs?: number;
}

export interface BenchSubject {
  readonly version: string;
  readonly report: DeviceReport;
  readonly device: DeviceInfo;
}

const defaultLimitMs = 60_000;

/** Never rejects for a measurement's sake; one that was cancelled leaves what had been measured. */
export async function runBench(
  plan: readonly BenchItem[],
  { version, report, device }: BenchSubject,
  tools: BenchTools,
): Promise<BenchDocument> {
  const createdAt = new Date().toISOString();
  const rows: BenchRow[] = [];
  for (const [index, item] of plan.entries()) {
    if (tools.signal.aborted) break;
    tools.onProgress(index, plan.length, item);
    rows.push(await rowOf(item, tools));
  }
  const cancelled = tools.signal.aborted;
  const [processor, ...others] = cpus();
  return {
    format: benchFormat,
    version: benchVersion,
    createdAt,
    copyscope: version,
    machine: {
      os: `${type()} ${release()}`,
      cpu: processor?.model.trim() ?? '',
      cores: processor === undefined ? 0 : others.length + 1,
    },
    device,
    driverVersion: report.driverVersion,
    runtimeVersion: report.runtimeVersion,
    status: cancelled ? 'cancelled' : 'complete',
    rows: cancelled ? rows.filter(({ error }) => error?.code !== 'run.cancelled') : rows,
    pytorch: tools.peer === null ? null : await compared(plan, rows, tools.peer, tools.signal),
  };
}

async function rowOf(item: BenchItem, tools: BenchTools): Promise<BenchRow> {
  if (item.waived !== undefined) return waivedRow(item, item.waived);
  try {
    return measuredRow(item, await limited(item, tools));
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    return error.code === 'bench.no-peer-access' ? waivedRow(item, error.message) : failedRow(item, error);
  }
}

/** A measurement that outlasts its limit is cancelled, which ends its process where it does not obey. */
async function limited({ measurement }: BenchItem, tools: BenchTools): Promise<Measured> {
  const limitMs = tools.limitMs ?? defaultLimitMs;
  const limit = AbortSignal.timeout(limitMs);
  try {
    return await tools.measure(measurement, AbortSignal.any([tools.signal, limit]));
  } catch (thrown) {
    if (tools.signal.aborted || !limit.aborted) throw thrown;
    throw new CopyscopeError(
      {
        code: 'bench.too-slow',
        message: `It was not done within ${limitMs / 1000} s.`,
        remedy: 'Ask for smaller sizes.',
      },
      { cause: thrown },
    );
  }
}

async function compared(
  plan: readonly BenchItem[],
  rows: readonly BenchRow[],
  peer: Peer,
  signal: AbortSignal,
): Promise<BenchDocument['pytorch']> {
  if (signal.aborted) return { status: 'waived', reason: 'the benchmark was cancelled', comparisons: [] };
  const outcome = await peer(peerTasks(plan.slice(0, rows.length)), signal);
  const { results, ...said } = outcome;
  return { ...said, comparisons: comparisons(rows, results) };
}
