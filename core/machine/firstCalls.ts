/** Finds a host thread's first calls of each kind, and their extra cost. */
import type { FirstCalls } from './costModel.ts';
import type { Step } from './step.ts';

const isWait = ({ code }: Step): boolean =>
  code === 'synchronizeStream' || code === 'synchronizeEvent' || code === 'synchronizeDevice';

export class CallHistory {
  readonly #first: FirstCalls;
  readonly #called = new Set<string>();

  constructor(first: FirstCalls) {
    this.#first = first;
  }

  /** Returns the extra time of a step: 0 for calls that wait for the device anyway; staged copies mostly copy. */
  moreNs(step: Step): number {
    const { call, route, captured, callNs } = step;
    const { ns, newPart } = this.#first;
    if (ns === 0 && newPart === 0) return 0;
    if (call === '' || isWait(step) || this.#called.has(call)) return 0;
    const isFirst = this.#called.size === 0;
    this.#called.add(call);
    if (isFirst) return ns * (route === 'mark' ? 0.5 : 1);
    return captured || route === 'stage-in' || route === 'stage-out' ? 0 : newPart * callNs;
  }
}
