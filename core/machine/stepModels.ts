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
  of(step: Step, op: number): number {
    return this.#steps[op] === step ? (this.#models[op] ?? -1) : -1;
  }

  set(step: Step, op: number, model: number): void {
    this.#steps[op] = step;
    this.#models[op] = model;
  }
}
