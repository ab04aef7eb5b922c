/** Finds the steps of a run with their rows: the program's steps in a trace, the recorded iterations in a run. */

import { CopyscopeError, type ErrorInfo } from '../../errors.ts';
import type { RunSteps } from '../../explain/compare/measures.ts';
import { type HostCalls, hostCalls } from '../../explain/figures/hostCalls.ts';
import { hostLine } from '../../lift/hostLine.ts';
import { findSteps, isAfterGap } from '../../lift/steps.ts';
import { lowerBound } from '../../lowerBound.ts';
import { iterationOf, rowStart, rowsOfKind } from '../../trace/iteration.ts';
import { iterationRows, iterationsOf, makespanNs, rowEndNs } from '../../trace/rows.ts';
import type { Run } from '../../trace/run.ts';
import type { RowIndex, Trace } from '../../trace/trace.ts';

export interface GateStep {
  readonly name: string;
  /** From the end of the step before, or this step's own begin, until host and device have finished it. */
  readonly fromNs: number;
  readonly toNs: number;
  /** Time of the host's calls. The host may run ahead of the device, or wait for it. */
  readonly host: { readonly fromNs: number; readonly toNs: number };
  /** Rows of the step's device activity. */
  readonly device: readonly RowIndex[];
  /** Rows of the step's CUDA calls. */
  readonly calls: readonly RowIndex[];
  readonly hostCalls: HostCalls;
}

export interface GateSteps {
  readonly steps: readonly GateStep[];
  /** How the steps were found, in words. */
  readonly rule: string;
}

/** Returns a run's steps; in a trace only `asked`, from 1. Throws `gate.no-steps` and `gate.no-such-steps`. */
export function gateSteps(run: Run, asked: { readonly from: number; readonly to: number } | null): GateSteps {
  const found = run.info.imported === undefined ? iterations(run) : programSteps(run);
  if (found.steps.length === 0) {
    throw new CopyscopeError({
      code: 'gate.no-steps',
      message: 'nothing was recorded, so nothing can be judged.',
      remedy: run.info.error?.remedy ?? 'Record it again, with the activities of both CPU and CUDA.',
    });
  }
  if (asked === null) return found;
  const { from, to } = asked;
  if (!(from >= 1 && from <= to && to <= found.steps.length)) {
    throw new CopyscopeError({
      code: 'gate.no-such-steps',
      field: 'steps',
      message: `steps ${from}..${to} were given, and there are ${found.steps.length}.`,
      remedy: `Name steps from 1 to ${found.steps.length}.`,
    });
  }
  return { ...found, steps: found.steps.slice(from - 1, to) };
}

const isDevice = ['copy', 'kernel', 'memset'] as const;

function iterations({ trace }: Run): GateSteps {
  const steps = iterationsOf(trace).map((number): GateStep => {
    const iteration = iterationOf(trace, number);
    const toNs = makespanNs(trace, iterationRows(trace, number));
    return {
      name: `iteration ${number + 1}`,
      fromNs: 0,
      toNs,
      host: { fromNs: 0, toNs },
      device: rowsOfKind(iteration, ...isDevice),
      calls: rowsOfKind(iteration, 'host-call', 'host-sync'),
      hostCalls: hostCalls(iteration),
    };
  });
  return { steps, rule: 'recorded iterations' };
}

/** Splits a trace into steps. A step lasts until the next one begins. Device rows belong to the step of their call. */
function programSteps({ trace, info }: Run): GateSteps {
  const whole = iterationOf(trace, 0);
  const issued = hostCalls(whole);
  const { ranges, rule } = findSteps(trace, hostLine(trace));
  requireDevice(trace, info.error);
  const device: RowIndex[][] = ranges.map(() => []);
  const calls: RowIndex[][] = ranges.map(() => []);
  const stepAt = (ns: number): number => {
    const index = lowerBound(0, ranges.length, (i) => (ranges[i]?.startNs ?? 0) <= ns) - 1;
    return ns >= (ranges[index]?.untilNs ?? 0) && ns > (ranges[index]?.endNs ?? 0) ? -1 : index;
  };
  for (const row of rowsOfKind(whole, ...isDevice)) {
    device[stepAt(rowStart(trace, issued.get(row) ?? row))]?.push(row);
  }
  for (const row of rowsOfKind(whole, 'host-call', 'host-sync')) calls[stepAt(rowStart(trace, row))]?.push(row);
  let fromNs = ranges[0]?.fromNs ?? ranges[0]?.startNs ?? 0;
  const steps = ranges.map(({ name, startNs, untilNs }, index): GateStep => {
    const own = device[index] ?? [];
    if (isAfterGap(ranges, index)) fromNs = startNs;
    const toNs = own.reduce((end, row) => Math.max(end, rowEndNs(trace, row)), Math.max(fromNs, untilNs));
    const host = { fromNs: startNs, toNs: untilNs };
    const step = { name, fromNs, toNs, host, device: own, calls: calls[index] ?? [], hostCalls: issued };
    fromNs = toNs;
    return step;
  });
  return { steps, rule };
}

/** Throws if a trace has no device rows. If it breaks off, its `error` has the remedy: the rest may have them. */
function requireDevice({ lanes }: Trace, error: ErrorInfo | undefined): void {
  const lacks = (['stream', 'host-thread'] as const).find((kind) => !lanes.some((lane) => lane.kind === kind));
  if (lacks === undefined) return;
  throw new CopyscopeError({
    code: 'gate.no-steps',
    message: `This trace contains no ${lacks === 'stream' ? 'GPU' : 'host'} activity.`,
    remedy: error?.remedy ?? 'Record it with the activities of both CPU and CUDA.',
  });
}

/**
 * Returns the steps of a trace for a comparison, with the step of each row. Returns null if the run isn't a trace of a
 * program, or if nothing repeats in it.
 */
export function runSteps(run: Run): RunSteps | null {
  const { lanes, count } = run.trace;
  const has = (kind: string): boolean => lanes.some((lane) => lane.kind === kind);
  if (run.info.imported === undefined || !has('stream') || !has('host-thread')) return null;
  const { steps } = gateSteps(run, null);
  if (steps.length < 2) return null;
  const stepOf = new Int32Array(count);
  const starts = steps.map(({ fromNs }) => fromNs);
  const end = steps.at(-1)?.toNs ?? 0;
  for (let row = 0; row < count; row += 1) {
    const at = rowStart(run.trace, row);
    stepOf[row] = at >= end ? -1 : lowerBound(0, starts.length, (index) => (starts[index] ?? 0) <= at) - 1;
  }
  for (const [number, { device, calls }] of steps.entries()) {
    for (const row of device) stepOf[row] = number;
    for (const row of calls) stepOf[row] = number;
  }
  return {
    count: steps.length,
    startNs: starts,
    durationNs: steps.map(({ fromNs, toNs }) => toNs - fromNs),
    stepOf,
  };
}
