/** Names of a trace's rows, each stored once, and of the file's string table by id. */
import { type Cell, textOf, wholeOf } from './database.ts';

/** Name of a string that the file lacks. */
const unnamed = '(unnamed)';

/** Returns a runtime call as in a program: Nsight Systems also writes cudaMemcpyAsync's version, as _v3020. */
export const callName = (name: string): string => name.replace(/^(cuda\w+?)_v\d{4,6}(?=$|_pt[sd][zs]$)/, '$1');

/** Text after an operator's name that makes it unique; torch.autograd.profiler.emit_nvtx adds it. */
const operatorDetails = /, (seq|op_id|sizes|input_op_ids) = .*$/s;

export const rangeName = (name: string): string => name.replace(operatorDetails, '');

export class Names {
  readonly list: string[] = [];
  readonly #indices = new Map<string, number>();
  readonly #strings = new Map<number, string>();
  /** For each notation of a string of the table, the name's index by the string's id. */
  readonly #byId = new Map<(text: string) => string, Map<number, number>>();

  /** Adds a row of StringIds. */
  addString(id: Cell, value: Cell): void {
    const key = wholeOf(id);
    if (!Number.isNaN(key) && typeof value === 'string') this.#strings.set(key, textOf(value));
  }

  /** Returns a text of the string table; empty if missing. */
  string(id: Cell): string {
    return this.#strings.get(wholeOf(id)) ?? '';
  }

  /** Returns the index of a name in `list`. */
  index(name: string): number {
    const text = name === '' ? unnamed : name;
    const known = this.#indices.get(text);
    if (known !== undefined) return known;
    const index = this.list.push(text) - 1;
    this.#indices.set(text, index);
    return index;
  }

  /** Returns the index of the name that `written` makes of the string with this id. */
  indexOfString(id: Cell, written: (text: string) => string): number {
    let known = this.#byId.get(written);
    if (known === undefined) {
      known = new Map();
      this.#byId.set(written, known);
    }
    const key = wholeOf(id);
    const index = known.get(key) ?? this.index(written(this.string(id)));
    known.set(key, index);
    return index;
  }
}

export const asWritten = (text: string): string => text;
