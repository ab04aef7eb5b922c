/** Places of a gate's findings in a program: source lines, if known. */
import { lineOfField } from '../../experiment/edit/jsonLines.ts';
import { CallStacks } from '../../explain/figures/callStacks.ts';
import { programFacts } from '../../explain/verdicts/facts.ts';
import type { OperationInfo } from '../../program/program.ts';
import { fieldPath } from '../../shape/path.ts';
import { ownFrame } from '../../trace/callStack.ts';
import { iterationOf, rowKind } from '../../trace/iteration.ts';
import type { Run } from '../../trace/run.ts';
import type { RowIndex, Trace } from '../../trace/trace.ts';

export interface GatePlace {
  /** Path from the trace or the command line; null if no source line is known. */
  readonly file: string | null;
  /** From 1; null without a file. */
  readonly line: number | null;
  /** Function of a source line, label of an operation, or else the CUDA call. */
  readonly name: string;
  /** Path of an experiment's operation, such as "threads[0].operations[2]"; null for a trace. */
  readonly path: string | null;
}

/** Text of an experiment's file, from which operations get line numbers. */
export interface ExperimentFile {
  readonly name: string;
  readonly text: string;
}

/** Finds the places of rows. */
export class Places {
  readonly #trace: Trace;
  readonly #stacks: CallStacks;
  readonly #operations: readonly OperationInfo[];
  readonly #file: ExperimentFile | null;
  readonly #nameOfFile: (told: string) => string;
  readonly #known = new Map<RowIndex | string, GatePlace>();

  /** `nameOfFile` maps a source file's path in the trace to the reported path. */
  constructor({ trace, info }: Run, file: ExperimentFile | null, nameOfFile = (told: string): string => told) {
    this.#trace = trace;
    this.#stacks = new CallStacks(iterationOf(trace, 0));
    this.#operations = programFacts(info.experiment).program?.operations ?? [];
    this.#file = file;
    this.#nameOfFile = nameOfFile;
  }

  /** Returns the place of a device row or of a call. `call` is undefined if the trace lacks the row's call. */
  of(row: RowIndex, call: RowIndex | undefined): GatePlace {
    const known = this.#known.get(row);
    if (known !== undefined) return known;
    const info = this.#operations[this.#trace.columns.op[row] ?? -1];
    const place = info === undefined ? this.#sourceLine(row, call) : this.ofOperation(fieldPath(info.path), info.label);
    this.#known.set(row, place);
    return place;
  }

  ofOperation(path: string, label: string): GatePlace {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const line = this.#file === null ? null : lineOfField(this.#file.text, path);
    const place = { file: this.#file?.name ?? null, line, name: label, path };
    this.#known.set(path, place);
    return place;
  }

  #sourceLine(row: RowIndex, call: RowIndex | undefined): GatePlace {
    const { columns, names } = this.#trace;
    const at = call ?? row;
    const name = names[columns.name[at] ?? -1] ?? rowKind(this.#trace, at);
    const none = { file: null, line: null, name, path: null };
    if (call === undefined) return none;
    const found = ownFrame(this.#stacks.of(at));
    return found === undefined
      ? none
      : { file: this.#nameOfFile(found.file), line: found.line, name: found.function, path: null };
  }
}

/** Returns the path with slashes, without a leading "./". */
export const relativeFile = (file: string): string => file.replaceAll('\\', '/').replace(/^\.\//, '');

/** Returns for example "train.py:44 in step", or less if less is known. */
export function placeText({ file, line, name, path }: GatePlace): string {
  if (path !== null) return file === null ? `"${name}" (${path})` : `${file}:${line}: "${name}" (${path})`;
  return file === null ? name : `${file}:${line} in ${name}`;
}

/** Returns a key that is the same for every line of a function, so that inserted lines don't change it. */
export const placeKey = ({ file, name, path }: GatePlace): string => (path === null ? `${file ?? ''} ${name}` : name);
