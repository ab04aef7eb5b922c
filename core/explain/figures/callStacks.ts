/**
 * Call stacks around host rows, from the ranges of recorders. copyscope record makes one range for a whole stack,
 * torch.profiler (with_stack=True) nested ranges, one for each function.
 */
import { framesOfName, isCallStackName, type StackFrame } from '../../trace/callStack.ts';
import type { Iteration } from '../../trace/iteration.ts';
import { isFrameName } from '../../trace/rangeNames.ts';
import { rowEndNs } from '../../trace/rows.ts';
import { type RowIndex, rowKinds } from '../../trace/trace.ts';

const callKinds = new Set((['host-call', 'host-sync'] as const).map((kind) => rowKinds.indexOf(kind)));
const rangeKind = rowKinds.indexOf('host-range');
const none: readonly StackFrame[] = [];

export class CallStacks {
  readonly #iteration: Iteration;
  /** Range of the innermost function around each row, by row from the iteration's first; -1 if there is none. */
  readonly #around: Int32Array;
  /** Frames of each name that is a stack. */
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

  /** Returns the stack, innermost first; empty if the trace has none. */
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
      // This range contains the whole stack.
      if (isCallStackName(names[name] ?? '')) break;
    }
    this.#stacks.set(first, stack);
    return stack;
  }

  #frameAround(row: RowIndex): RowIndex {
    return this.#around[row - this.#iteration.begin] ?? -1;
  }

  /** Visits the calls of each thread once, and tracks open functions. */
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
    // A range that begins together with its content comes first.
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
