/** Checks that a solution of a task keeps the work and its results. The way there is free. */
import { bufferBytes } from '../../experiment/resources.ts';
import type { Clock } from '../../explain/order/clock.ts';
import { ProgramOrder } from '../../explain/order/programOrder.ts';
import { schedule } from '../../explain/order/schedule.ts';
import { accesses } from '../../program/accesses.ts';
import type { Content, Instruction, Program } from '../../program/program.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { type CheckResult, valueText } from './check.ts';
import type { Unit } from './measure.ts';
import { selectRows } from './measureRun.ts';
import type { Played } from './played.ts';

export const keepNames = ['kernels', 'data', 'waits', 'memory', 'host-work'] as const;
export type KeepName = (typeof keepNames)[number];

type Amounts = ReadonlyMap<string, number>;

interface Kept {
  readonly says: string;
  readonly unit: Unit;
  /** Returns how much of `before` is missing now. */
  readonly missing: (before: Played, now: Played) => number;
}

const kept: Readonly<Record<KeepName, Kept>> = {
  kernels: {
    says: 'The same kernels run',
    unit: 'count',
    missing: (before, now) => lacking(kernels(before), kernels(now)),
  },
  data: { says: 'The same data arrives', unit: 'bytes', missing: missingData },
  waits: {
    says: 'The host waits for all work in the end',
    unit: 'count',
    missing: (before, now) => Math.max(0, unwaited(now.program) - unwaited(before.program)),
  },
  memory: {
    says: 'Data stays in the memory where it is',
    unit: 'bytes',
    missing: (before, now) => lacking(memory(before), memory(now)),
  },
  'host-work': {
    says: 'The host works as long as before',
    unit: 'time',
    missing: (before, now) => lacking(hostWork(before), hostWork(now)),
  },
};

export function evaluateKept(name: KeepName, before: Played, now: Played): CheckResult {
  const { says, unit, missing } = kept[name];
  const amount = missing(before, now);
  const what = name === 'waits' ? 'not waited for' : 'missing';
  const found = amount === 0 ? 'kept' : `${valueText(amount, unit)} ${what}`;
  return { says, told: true, holds: amount === 0, found, wanted: '' };
}

/** Returns how much of `before` is missing in `now`. A millionth is rounding. */
function lacking(before: Amounts, now: Amounts): number {
  let missing = 0;
  for (const [key, amount] of before) {
    const left = amount - (now.get(key) ?? 0);
    if (left > amount * 1e-6) missing += left;
  }
  return missing;
}

function totals(list: Iterable<readonly [string, number]>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, amount] of list) sums.set(key, (sums.get(key) ?? 0) + amount);
  return sums;
}

const instructions = ({ threads }: Program): Instruction[] => threads.flatMap((thread) => [...thread.instructions]);

/** Counts kernels by what they do. Buffers count by their size, because a solution may use others. */
function kernels(played: Played): Amounts {
  const { program } = played;
  const sizes = (list: readonly number[]): number[] => list.map((buffer) => program.buffers[buffer]?.bytes ?? 0);
  const work = new Map<number, string>();
  for (const one of instructions(program)) {
    if (one.code !== 'kernel') continue;
    work.set(one.op, JSON.stringify([withoutBuffers(one.kernel), one.smShare, sizes(one.reads), sizes(one.writes)]));
  }
  const { op } = played.run.trace.columns;
  return totals(selectRows(played, { kind: 'kernel' }).map((row) => [work.get(op[row] ?? -1) ?? '', 1]));
}

const notWork = new Set(['src', 'dst', 'other', 'tf32', 'firstUse']);
const withoutBuffers = (kernel: object): object =>
  Object.fromEntries(Object.entries(kernel).filter(([field]) => !notWork.has(field)));

/** Content in host or device memory. */
const side = ({ buffers }: Program, buffer: number): string =>
  isHostMemory(buffers[buffer]?.memory ?? 'device') ? 'host' : 'device';

/** Returns which bytes of the pattern a piece begins with, and its offset. Equal words have no place. */
const place = ({ pattern, patternOffset }: Content, offset: number): string =>
  pattern.kind === 'constant' ? '' : `${patternOffset} at ${offset}`;

const contentKey = ({ pattern, multiplier }: Content): string => JSON.stringify([pattern, multiplier]);

/** Bytes by their content: in the end of the program, at reads of the host, and in multi-tensor copies. */
function delivered(program: Program): Amounts {
  return totals([
    ...program.expectations.map(({ buffer, offset, bytes, content }) => [
      `${side(program, buffer)} ${contentKey(content)} ${place(content, offset)}`,
      isInitial(program, buffer, content) ? 0 : bytes,
    ]),
    ...program.results.map(({ kernel, operands }) => [
      JSON.stringify([withoutBuffers(kernel), operands.map(contentKey)]),
      1,
    ]),
    ...instructions(program).flatMap((one) =>
      one.code === 'read' && one.expected !== null ? [[`read ${contentKey(one.expected)}`, one.bytes]] : [],
    ),
    ...program.multiCopies.flatMap(({ direction, sizes }) =>
      [...sizes].map((bytes) => [`${direction} ${bytes}`, bytes]),
    ),
  ] as [string, number][]);
}

const isInitial = ({ buffers }: Program, buffer: number, content: Content): boolean =>
  contentKey(content) === JSON.stringify([buffers[buffer]?.pattern, 1]);

/** Content that the program found, and left as it was, is there as well. */
function present(program: Program): Amounts {
  const found = new Map(delivered(program));
  for (const [buffer, { written, bytes, pattern }] of program.buffers.entries()) {
    const content = { pattern, patternOffset: 0, multiplier: 1 };
    const key = `${side(program, buffer)} ${contentKey(content)} ${place(content, 0)}`;
    if (!written) found.set(key, (found.get(key) ?? 0) + bytes);
  }
  return found;
}

/** The order of several threads decides what a buffer holds that they share, so it may hold what is missing. */
function missingData({ program: before }: Played, { program: now }: Played): number {
  const unknown = now.buffers.map(({ bytes }, buffer) => (isShared(now, buffer) ? bytes : 0));
  return Math.max(0, lacking(delivered(before), present(now)) - unknown.reduce((sum, bytes) => sum + bytes, 0));
}

const isShared = ({ threads }: Program, buffer: number): boolean =>
  threads.filter(({ instructions: list }) =>
    list.some((one) => accesses(one).some((access) => access.buffer === buffer)),
  ).length > 1;

/** Declared host memory by kind, of buffers and of the tensors of multi-tensor copies. */
const memory = ({ experiment: { buffers }, program: { multiCopies } }: Played): Amounts =>
  totals([
    ...buffers.map((buffer): [string, number] => [buffer.memory, bufferBytes(buffer)]),
    ...multiCopies.flatMap(({ memory: kind, sizes }) => [...sizes].map((bytes): [string, number] => [kind, bytes])),
  ]);

function hostWork(played: Played): Amounts {
  const { op, durationNs } = played.run.trace.columns;
  const rows = selectRows(played, { kind: 'host-work' }).filter(
    (row) => played.operations[op[row] ?? -1]?.op === 'work',
  );
  return totals(rows.map((row) => ['work', durationNs[row] ?? 0]));
}

const works: ReadonlySet<Instruction['code']> = new Set([
  ...(['copy', 'blockCopy', 'prefetch', 'memset', 'kernel', 'launchGraph', 'hostFunction'] as const),
]);

/** Returns how many operations may still run when every host thread has ended. */
function unwaited(program: Program): number {
  const hosts = new Map<number, Clock>();
  const issued: { readonly op: number; readonly lane: number; readonly index: number }[] = [];
  new ProgramOrder(program, schedule(program)).walk((call) => {
    hosts.set(call.thread, call.host);
    const { op, code } = call.instruction;
    if (call.issued !== null && works.has(code)) issued.push({ op, ...call.issued });
  });
  // Clocks change until the walk ends, so they hold what each thread knows then.
  const open = issued.filter(({ lane, index }) => [...hosts.values()].every((host) => (host[lane] ?? 0) < index));
  return new Set(open.map(({ op }) => op)).size;
}
