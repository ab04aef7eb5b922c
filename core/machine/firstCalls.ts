/** Which of a host thread's calls are the first of their kind, and what they take longer for that. */
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

  /** What this step takes longer. What waits for the device, waits anyway; a staged copy mostly copies. */
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
