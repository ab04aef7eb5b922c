/** Framework calls of a step's copies: which copy a moment of the host belongs to. */
import { lowerBound } from '../lowerBound.ts';
import type { CopySpan } from './ranges.ts';
import { Nesting } from './ranges.ts';

/** Operators that search or compare on the device, and bring the result to the host. */
const finding = /^aten::(nonzero|equal)$/;

export interface SpanOfCopy extends CopySpan {
  readonly copy: number;
}

/** Copies that one framework call makes have the same span. */
interface Shared extends CopySpan {
  first: number;
  last: number;
}

export class CopySpans {
  readonly #shared: readonly Shared[];
  readonly #nesting: Nesting;
  /** Begins and ends of all spans. */
  readonly #edges: Float64Array;
  readonly #finds: ReadonlyMap<number, string>;

  constructor(spans: readonly SpanOfCopy[]) {
    this.#shared = sharedSpans(spans);
    const at = (index: number): Shared => this.#shared[index] as Shared;
    this.#nesting = new Nesting(
      this.#shared.length,
      (index) => at(index).startNs,
      (index) => at(index).endNs,
    );
    this.#finds = new Map(
      spans.flatMap(({ copy, operator = '' }) => (finding.test(operator) ? [[copy, operator] as const] : [])),
    );
    this.#edges = Float64Array.from(this.#shared.flatMap(({ startNs, endNs }) => [startNs, endNs])).sort();
  }

  /** Returns the operator that launches kernels to find what this copy brings, and then waits for it. */
  finds(copy: number): string | undefined {
    return this.#finds.get(copy);
  }

  /** Returns the first copy whose call contains this moment; -1 if there is none. */
  firstAt(ns: number): number {
    let first = Number.POSITIVE_INFINITY;
    for (const index of this.#nesting.holding(ns, ns)) first = Math.min(first, this.#shared[index]?.first ?? first);
    return Number.isFinite(first) ? first : -1;
  }

  /** Returns the last copy whose call contains the whole span; -1 if there is none. */
  lastAround({ startNs, endNs }: CopySpan): number {
    let last = -1;
    for (const index of this.#nesting.holding(startNs, endNs)) last = Math.max(last, this.#shared[index]?.last ?? -1);
    return last;
  }

  /** Returns begins and ends of spans within this time, in order. */
  edgesBetween(fromNs: number, toNs: number): Float64Array {
    const edges = this.#edges;
    const from = lowerBound(0, edges.length, (index) => (edges[index] ?? 0) <= fromNs);
    return edges.subarray(
      from,
      lowerBound(from, edges.length, (index) => (edges[index] ?? 0) < toNs),
    );
  }
}

function sharedSpans(spans: readonly SpanOfCopy[]): Shared[] {
  const sorted = [...spans].sort((a, b) => a.startNs - b.startNs || b.endNs - a.endNs);
  const shared: Shared[] = [];
  for (const { startNs, endNs, copy } of sorted) {
    const known = shared.at(-1);
    if (known?.startNs === startNs && known.endNs === endNs) {
      known.first = Math.min(known.first, copy);
      known.last = Math.max(known.last, copy);
    } else shared.push({ startNs, endNs, first: copy, last: copy });
  }
  return shared;
}
