/** The names of a trace's rows, each once, and those of the file's string table by their ids. */
import { type Cell, textOf, wholeOf } from './database.ts';

/** A name that the file lost. */
const unnamed = '(unnamed)';

/** The calls of the runtime as a program writes them: Nsight Systems tells cudaMemcpyAsync's version, as _v3020, too. */
export const callName = (name: string): string => name.replace(/^(cuda\w+?)_v\d{4,6}(?=$|_pt[sd][zs]$)/, '$1');

/** What torch.autograd.profiler.emit_nvtx puts behind an operator's name, so that no two are alike. */
const operatorDetails = /, (seq|op_id|sizes|input_op_ids) = .*$/s;

export const rangeName = (name: string): string => name.replace(operatorDetails, '');

export class Names {
  readonly list: string[] = [];
  readonly #indices = new Map<string, number>();
  readonly #strings = new Map<number, string>();
  /** Of each way to write a string of the table, the name's index by the string's id. */
  readonly #byId = new Map<(text: string) => string, Map<number, number>>();

  /** A row of StringIds. */
  addString(id: Cell, value: Cell): void {
    const key = wholeOf(id);
    if (!Number.isNaN(key) && typeof value === 'string') this.#strings.set(key, textOf(value));
  }

  /** A text of the string table; empty where it has none. */
  string(id: Cell): string {
    return this.#strings.get(wholeOf(id)) ?? '';
  }

  /** Index of a name in `list`. */
  index(name: string): number {
    const text = name === '' ? unnamed : name;
    const known = this.#indices.get(text);
    if (known !== undefined) return known;
    const index = this.list.push(text) - 1;
    this.#indices.set(text, index);
    return index;
  }

  /** Index of the name that `written` makes of the string with this id. */
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
