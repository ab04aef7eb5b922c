import { beforeAll, describe, expect, it } from 'vitest';
import { parseExperiment } from '../../../core/experiment/parse.ts';
import { summarizeRun } from '../../../core/explain/summary/summary.ts';
import { groupText, type VerdictGroup, verdictGroups } from '../../../core/explain/verdicts/groups.ts';
import { plannerOf, type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import { experimentOf } from '../../../core/lift/experimentOf.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { replay } from '../../../core/lift/replay.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { rowKinds } from '../../../core/trace/trace.ts';
import { newFolder } from '../../support/newFolder.ts';
import { h200Costs as costs } from '../machine/toy.ts';
import { query, read, recorded } from './nsightSupport.ts';

const folder = newFolder();
const files = ['h100_2gpu_1s', 'mfu_2gpu_before', 'mock'] as const;
const paths = new Map<string, string>();
const runs = new Map<string, Run>();
beforeAll(async () => {
  for (const name of files) {
    paths.set(name, recorded(folder, name));
    runs.set(name, await read(paths.get(name) ?? ''));
  }
});
const runOf = (name: string): Run => runs.get(name) as Run;

/** Sums up rows of one kind, by device, or by thread for rows without a device. */
function summed({ trace }: Run, kinds: readonly string[]): Record<string, string> {
  const { columns, count, lanes } = trace;
  const sums = new Map<string, { rows: number; ns: number; bytes: number; first: number; last: number }>();
  for (let row = 0; row < count; row += 1) {
    if (!kinds.includes(rowKinds[columns.kind[row] ?? 0] ?? '')) continue;
    const lane = lanes[columns.lane[row] ?? 0];
    const place = lane?.id.replace(/^stream:gpu|^thread:/, '') ?? '';
    const [start, ns] = [columns.startNs[row] ?? 0, columns.durationNs[row] ?? 0];
    const sum = sums.get(place) ?? { rows: 0, ns: 0, bytes: 0, first: Number.POSITIVE_INFINITY, last: 0 };
    sum.rows += 1;
    sum.ns += ns;
    sum.bytes += columns.bytes[row] ?? 0;
    sum.first = Math.min(sum.first, start);
    sum.last = Math.max(sum.last, start + ns);
    sums.set(place, sum);
  }
  return Object.fromEntries([...sums].map(([place, sum]) => [place, Object.values(sum).join(' ')]));
}

const tables = {
  device: {
    kernel: 'CUPTI_ACTIVITY_KIND_KERNEL',
    copy: 'CUPTI_ACTIVITY_KIND_MEMCPY',
    memset: 'CUPTI_ACTIVITY_KIND_MEMSET',
  },
  host: { 'host-call,host-sync': 'CUPTI_ACTIVITY_KIND_RUNTIME', 'host-range': 'NVTX_EVENTS' },
} as const;

/** Returns the same sums by SQL, independently of the reader. Times begin with the first row of all tables. */
function sums(path: string, table: string, place: string, bytes: string): Record<string, string> {
  const there = new Set(query(path, "SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name));
  if (!there.has(table)) return {};
  const all = [...Object.values(tables.device), ...Object.values(tables.host)].filter((name) => there.has(name));
  const first = all.map((name) => `SELECT min(start) AS s FROM ${name}`).join(' UNION ALL ');
  const rows = query(
    path,
    `SELECT ${place} AS place, count(*) || ' ' || sum(end - start) || ' ' || ${bytes} || ' ' ||
       (min(start) - (SELECT min(s) FROM (${first}))) || ' ' || (max(end) - (SELECT min(s) FROM (${first}))) AS sums
     FROM ${table} GROUP BY 1 ORDER BY 1`,
  );
  return Object.fromEntries(rows.map((row) => [String(row['place']), String(row['sums'])]));
}

const streamPlace = "deviceId || ':' || streamId";
const threadPlace = "((globalTid >> 24) & 16777215) || ':' || (globalTid & 16777215)";

describe.each(files)('the export %s', (name) => {
  it.each(Object.entries(tables.device))('has the rows, bytes and times of every %s', (kind, table) => {
    const bytes = kind === 'kernel' ? '0' : 'sum(bytes)';
    expect(summed(runOf(name), [kind])).toEqual(sums(paths.get(name) ?? '', table, streamPlace, bytes));
  });

  it.each(Object.entries(tables.host))('has the rows and times of every %s', (kinds, table) => {
    expect(summed(runOf(name), kinds.split(','))).toEqual(sums(paths.get(name) ?? '', table, threadPlace, '0'));
  });

  it('joins the device work with its calls, by process', () => {
    const { trace } = runOf(name);
    const process = (row: number): string => trace.lanes[trace.columns.lane[row] ?? 0]?.id.split(':')[1] ?? '';
    const calls = new Map<number, number>();
    let [joined, mixed] = [0, 0];
    const devices = new Map<string, Set<string>>();
    for (let row = 0; row < trace.count; row += 1) {
      const correlation = trace.columns.correlation[row] ?? 0;
      if (rowKinds[trace.columns.kind[row] ?? 0]?.startsWith('host-') && correlation > 0) calls.set(correlation, row);
    }
    for (let row = 0; row < trace.count; row += 1) {
      if (!['kernel', 'copy', 'memset'].includes(rowKinds[trace.columns.kind[row] ?? 0] ?? '')) continue;
      const call = calls.get(trace.columns.correlation[row] ?? 0);
      if (call === undefined) continue;
      joined += 1;
      const seen = devices.get(process(row)) ?? new Set();
      devices.set(process(row), seen.add(process(call)));
      if ((trace.columns.startNs[row] ?? 0) < (trace.columns.startNs[call] ?? 0)) mixed += 1;
    }
    const join = Object.values(tables.device)
      .filter((table) => query(paths.get(name) ?? '', `SELECT 1 FROM sqlite_master WHERE name = '${table}'`).length > 0)
      .map(
        (table) => `SELECT count(*) AS n FROM ${table} d WHERE EXISTS (SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME r
         WHERE r.correlationId = d.correlationId AND r.globalTid >> 24 = d.globalPid >> 24)`,
      );
    const expected = join.reduce((sum, sql) => sum + Number(query(paths.get(name) ?? '', sql)[0]?.['n']), 0);
    expect({ joined, mixed }).toEqual({ joined: expected, mixed: 0 });
    for (const processes of devices.values()) expect(processes.size).toBe(1);
  });

  it('is a run that can be kept, without anything of the machine or its user', () => {
    const file = encodeRun(runOf(name));
    expect(Buffer.from(file).includes('private-7f31')).toBe(false);
    expect(decodeRun(file).info).toEqual(runOf(name).info);
    expect(runOf(name).info).toMatchObject({ status: 'complete', imported: { format: 'nsight-systems' } });
  });
});

describe('two GPUs that copy and compute in turn (h100_2gpu_1s)', () => {
  it('tells a copy of 151 ms first, by what it costs, and not as too small for the kernel of 6 us before it', () => {
    const { verdicts, makespanNs } = summarizeRun(runOf('h100_2gpu_1s'));
    expect(verdicts[0]).toMatchObject({ cause: 'same-stream', device: 'gpu0', also: [] });
    expect(Math.round((verdicts[0]?.costNs ?? 0) / 1e6)).toBe(152);
    // Names the kernel that had to wait until the copy ended.
    expect(verdicts[0]?.explanation).toMatch(/The host issued the kernel 152 ms before the copy ended/);
    expect(verdicts.filter(({ cause, costNs }) => cause === 'too-small' && costNs > 10_000)).toEqual([]);
    // Both GPUs copy at once: the cost of their copies isn't more than the whole time.
    for (const group of verdictGroups(verdicts)) expect(group.costNs).toBeLessThan(makespanNs ?? 0);
    expect(groupText(verdictGroups(verdicts)[0] as VerdictGroup, makespanNs)).toMatch(
      /They cost \d+ ms, \d\d\.\d % of the makespan, on the GPU where they cost most\.$/,
    );
  });

  it('has a step that the copies hold, and a plan that gains what the kernels take', () => {
    const { steps, plan, tried }: TraceAnswers = traceAnswers(runOf('h100_2gpu_1s'), costs, {
      tried: ['other-stream'],
    });
    const share = (part: string): number => steps.parts.find((one) => one.part === part)?.share ?? 0;
    expect(share('exposed-copy-pinned')).toBeCloseTo(0.95, 2);
    expect(share('kernels')).toBeCloseTo(0.023, 3);
    expect(steps.parts.reduce((sum, one) => sum + one.ns, 0)).toBeCloseTo(steps.medianNs, 0);
    expect(steps.inferred.join(' ')).toMatch(/The trace has 2 processes .* makes the most calls/);
    expect(plan[0]?.changes).toEqual(['keep-on-device']);
    // Kernels and copies within the device are 4.3 % of the step: a second stream can hide no more.
    expect(tried?.gainShare).toBeGreaterThan(0.02);
    expect(tried?.gainShare).toBeLessThan(0.044);
  });

  it('replays in the time that was recorded, also what had been issued before', () => {
    const run = runOf('h100_2gpu_1s');
    const lifted = liftTrace(run.trace, 'test');
    expect(replay(lifted.script, costs).stepNs / (lifted.recordedNs[0] ?? 0)).toBeCloseTo(1, 2);
    const { experiment } = experimentOf(plannerOf(lifted, run.info, costs).changed([]), '');
    expect(parseExperiment(JSON.parse(JSON.stringify(experiment))).ok).toBe(true);
  });
});

it('two processes of one job (mfu_2gpu_before) have steps by what one of them repeats', () => {
  // Each step contains two attentions, whose ranges are no steps.
  const { steps } = traceAnswers(runOf('mfu_2gpu_before'), costs);
  expect(steps.rule).toContain('the same 157 device activities');
  expect(steps.medianNs).toBeCloseTo(16.5e6, -5);
  const kernels = steps.parts.find(({ part }) => part === 'kernels')?.share ?? 0;
  expect(kernels).toBeGreaterThan(0.9);
});
