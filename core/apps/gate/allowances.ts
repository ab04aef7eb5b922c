/** Allowances: what the rules permit by name, with a reason. Records which were used. */
import type { GateFigure } from './figures.ts';
import { type GatePlace, relativeFile } from './places.ts';
import type { GateAllowance } from './rules.ts';

export class Allowances {
  readonly #list: readonly GateAllowance[];
  /** Rows and hazards that each allowance let pass. */
  readonly #used: readonly Set<string>[];

  constructor(list: readonly GateAllowance[]) {
    this.#list = list;
    this.#used = list.map(() => new Set());
  }

  get isEmpty(): boolean {
    return this.#list.length === 0;
  }

  /** Returns whether an allowance applies, and marks it as used. `what` identifies the row or hazard. */
  allows(figure: GateFigure, place: GatePlace, what: string): boolean {
    const index = this.#list.findIndex(
      (one) => (one.figures === undefined || one.figures.includes(figure)) && isOf(one, place),
    );
    this.#used[index]?.add(what);
    return index >= 0;
  }

  used(): { readonly what: string; readonly reason: string; readonly times: number }[] {
    return this.#list.flatMap((one, index) => {
      const times = this.#used[index]?.size ?? 0;
      return times === 0 ? [] : [{ what: nameOf(one), reason: one.reason, times }];
    });
  }

  unused(): string[] {
    return this.#list.filter((_, index) => this.#used[index]?.size === 0).map(nameOf);
  }
}

const nameOf = ({ line, operation }: GateAllowance): string => line ?? operation ?? '';

function isOf({ line, operation }: GateAllowance, place: GatePlace): boolean {
  if (operation !== undefined) return place.path !== null && (operation === place.path || operation === place.name);
  if (place.file === null || line === undefined) return false;
  const [, file = line, number, name] = /^(.*?):(\d+)(?: in (.+))?$/.exec(line) ?? [];
  if (!isSameFile(place.file, file)) return false;
  return (number === undefined || Number(number) === place.line) && (name === undefined || name === place.name);
}

/** The trace may have the whole path and the rules only its end. */
function isSameFile(told: string, named: string): boolean {
  const [whole, end] = [relativeFile(told), relativeFile(named)];
  return whole === end || whole.endsWith(`/${end}`);
}
