/** Work split into steps of a few milliseconds, so that the caller can do other things in between or cancel it. */
export type InSteps<Result, Step = unknown> = Generator<Step, Result, void>;

export function atOnce<Result>(work: InSteps<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
