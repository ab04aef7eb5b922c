/** Points that somebody else is submitting. Slurm may refuse them: then whoever waits for them submits them. */
import type { WorkState } from './protocol.ts';

export class Awaited {
  /** In which submission each of them is. */
  readonly #numbers = new Map<number, number>();

  /** Somebody else has taken this number. */
  add(points: readonly number[], number: number): void {
    for (const point of points) this.#numbers.set(point, number);
  }

  /** Forgets those that Slurm has got, and takes out those that nobody is submitting any more. */
  takeLeft({ submissions }: Pick<WorkState, 'submissions'>): number[] {
    const underWay = new Set<number>();
    for (const { number, tasks, job } of submissions) {
      for (const point of tasks.flat()) {
        if (job === null) underWay.add(point);
        else if (number >= (this.#numbers.get(point) ?? Number.POSITIVE_INFINITY)) this.#numbers.delete(point);
      }
      if (job === null) this.add(tasks.flat(), number);
    }
    const left = [...this.#numbers.keys()].filter((point) => !underWay.has(point));
    for (const point of left) this.#numbers.delete(point);
    return left;
  }
}
