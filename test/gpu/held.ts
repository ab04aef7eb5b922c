/** Lines of the form "name: figure (limit) held", for the requirements of an issue or a promise. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../../core/statistics.ts';

export interface Limit {
  readonly least?: number;
  readonly most?: number;
}

export interface Line {
  readonly name: string;
  /** Null if it couldn't be measured; `why` then gives the reason. */
  readonly figure: number | null;
  readonly unit: string;
  readonly limit: Limit | null;
  readonly spread?: readonly [least: number, most: number];
  readonly held: boolean | null;
  readonly why?: string;
}

const digits = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) >= 100 ? 1 : 3);

function limitText({ least, most }: Limit, unit: string): string {
  const bounds = [least === undefined ? '' : `at least ${least}`, most === undefined ? '' : `at most ${most}`];
  return bounds.filter((bound) => bound !== '').join(', ') + unit;
}

export function lineText({ name, figure, unit, limit, spread, held, why }: Line): string {
  if (figure === null) return `${name}: not measured (${why ?? 'no reason given'})`;
  const between = spread === undefined ? '' : `, ${digits(spread[0])} to ${digits(spread[1])}`;
  const bound = limit === null ? '' : ` (${limitText(limit, unit)})`;
  const verdict = held === null ? '' : held ? ' held' : ' NOT HELD';
  return `${name}: ${digits(figure)}${unit}${between}${bound}${verdict}`;
}

/** Collects lines, prints each at once, and adds it to the table of run.sh. */
export class HeldLines {
  readonly lines: Line[] = [];
  readonly #isTrial: boolean;

  /** In a trial nothing is a result, so no limit is checked. */
  constructor(isTrial = false) {
    this.#isTrial = isTrial;
  }

  /** Adds the median of `samples` and checks it against the limit; with a null limit it is only reported. */
  add(name: string, samples: readonly number[], unit: string, limit: Limit | null): void {
    if (samples.length === 0) {
      this.missing(name, 'nothing was measured');
      return;
    }
    const figure = median([...samples]);
    const fits = limit === null || (figure >= (limit.least ?? -Infinity) && figure <= (limit.most ?? Infinity));
    const spread = samples.length > 1 ? ([Math.min(...samples), Math.max(...samples)] as const) : undefined;
    const held = limit === null || this.#isTrial ? null : fits;
    this.#print({ name, figure, unit, limit, held, ...(spread === undefined ? {} : { spread }) });
    if (held === false) process.exitCode = 1;
  }

  missing(name: string, why: string): void {
    this.#print({ name, figure: null, unit: '', limit: null, held: null, why });
  }

  #print(line: Line): void {
    this.lines.push(line);
    const text = lineText(line);
    console.log(text);
    const folder = process.env['OUT'];
    if (folder !== undefined) appendFileSync(join(folder, 'table.txt'), `${text}\n`);
  }
}
