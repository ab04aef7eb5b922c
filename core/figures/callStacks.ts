/**
 * Who called: the stack around each host row, from the ranges that recorders make of it. copyscope record makes one of a whole
 * stack, torch.profiler (with_stack=True) one of each function, which nest.
 */
import { framesOfName, isCallStackName, type StackFrame } from '../trace/callStack.ts';
import type { Iteration } from '../trace/iteration.ts';
import { isFrameName } from '../trace/rangeNames.ts';
import { rowEndNs } from '../trace/rows.ts';
import { type RowIndex, rowKinds } from '../trace/trace.ts';

const callKinds = new Set((['host-call', 'host-sync'] as const).map((kind) => rowKinds.indexOf(kind)));
const rangeKind = rowKinds.indexOf('host-range');
const none: readonly StackFrame[] = [];

export class CallStacks {
  readonly #iteration: Iteration;
  /** By row, from the iteration's first: the range of the innermost function around it; -1 for none. */
  readonly #around: Int32Array;
  /** Of each name that is one: the lines that it tells. */
  readonly #frames = new Map<number, readonly StackFrame[]>();
  readonly #stacks = new Map<RowIndex, readonly StackFrame[]>();

  constructor(iteration: Iteration) {
    const { trace, begin, end } = iteration;
    this.#iteration = iteration;
    for (const [index, name] of trace.names.entries()) {
      if (isCallStackName(name) || isFrameName(name)) this.#frames.set(index, framesOfName(name));
    }
    this.#around = new Int32Array(this.#frames.size === 0 ? 0 : end - begin).fill(-1);
    if (this.#frames.size > 0) this.#nest();
  }

  /** Whether any row has a stack. */
  get areThere(): boolean {
    return this.#frames.size > 0;
  }

  /** Innermost first; empty where the trace tells none. */
  of(row: RowIndex): readonly StackFrame[] {
    const known = this.#stacks.get(this.#frameAround(row));
    if (known !== undefined) return known;
    const first = this.#frameAround(row);
    if (first < 0) return none;
    const { columns, names } = this.#iteration.trace;
    const stack: StackFrame[] = [];
    for (let at = first; at >= 0; at = this.#frameAround(at)) {
      const name = columns.name[at] ?? -1;
      stack.push(...(this.#frames.get(name) ?? none));
      // It is the whole of it.
      if (isCallStackName(names[name] ?? '')) break;
    }
    this.#stacks.set(first, stack);
    return stack;
  }

  #frameAround(row: RowIndex): RowIndex {
    return this.#around[row - this.#iteration.begin] ?? -1;
  }

  /** One pass over the calls of each thread, with the functions that are under way. */
  #nest(): void {
    const { trace, begin, end } = this.#iteration;
    const { columns } = trace;
    const isFrame = (row: RowIndex): boolean =>
      columns.kind[row] === rangeKind &&
      this.#frames.has(columns.name[row] ?? -1) &&
      (columns.durationNs[row] ?? 0) > 0;
    const rows: RowIndex[] = [];
    for (let row = begin; row < end; row += 1)
      if (callKinds.has(columns.kind[row] ?? -1) || isFrame(row)) rows.push(row);
    const startOf = (row: RowIndex): number => columns.startNs[row] ?? 0;
    const endOf = (row: RowIndex): number => rowEndNs(trace, row);
    // What begins with its content comes before it.
    const rank = (row: RowIndex): number => (isFrame(row) ? 0 : 1);
    rows.sort((a, b) => startOf(a) - startOf(b) || rank(a) - rank(b) || endOf(b) - endOf(a));
    const open = new Map<number, RowIndex[]>();
    for (const row of rows) {
      const lane = columns.lane[row] ?? -1;
      const stack = open.get(lane) ?? [];
      open.set(lane, stack);
      while (stack.length > 0 && endOf(stack.at(-1) ?? -1) <= startOf(row)) stack.pop();
      let at = stack.length - 1;
      while (at >= 0 && endOf(stack[at] ?? -1) < endOf(row)) at -= 1;
      this.#around[row - begin] = stack[at] ?? -1;
      if (isFrame(row)) stack.push(row);
    }
  }
}
