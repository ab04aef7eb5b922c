/** The model (core/trace/rowWriter.ts) of the latest row of each step, which its next row mostly has as well. */
import type { Step } from './step.ts';

export class StepModels {
  /** By operation. */
  readonly #steps: (Step | undefined)[];
  readonly #models: Int32Array;

  constructor(operations: number) {
    this.#steps = new Array<Step | undefined>(operations).fill(undefined);
    this.#models = new Int32Array(operations);
  }

  /** -1 where the operation's latest was of another step. */
  of(step: Step): number {
    return this.#steps[step.op] === step ? (this.#models[step.op] ?? -1) : -1;
  }

  set(step: Step, model: number): void {
    this.#steps[step.op] = step;
    this.#models[step.op] = model;
  }
}
