/** Work in steps of some milliseconds, for whoever has other things to do in between, or may give it up. */
export type InSteps<Result, Step = unknown> = Generator<Step, Result, void>;

export function atOnce<Result>(work: InSteps<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
