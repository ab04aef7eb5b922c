/** Lines of a program, each with its operation. */

export interface CodeNote {
  /** Number of the operation; -1 for a declaration. */
  readonly op: number;
  readonly text: string;
}

export class Listing {
  readonly lines: string[] = [];
  /** Operation number of each line, or -1. */
  readonly ops: number[] = [];
  readonly notes: CodeNote[] = [];
  /** Lines of declarations that a remedy added or changed. */
  readonly remedied = new Set<number>();
  readonly #unit: string;
  readonly #comment: (text: string) => string;
  #depth = 0;

  /** `comment` makes a comment from one line of text. */
  constructor(unit: string, comment: (text: string) => string) {
    this.#unit = unit;
    this.#comment = comment;
  }

  /** Adds one or more indented lines; an empty one stays empty. */
  add(text: string, op = -1): void {
    for (const line of text.split('\n')) {
      this.lines.push(line === '' ? '' : this.#unit.repeat(this.#depth) + line);
      this.ops.push(op);
    }
  }

  comment(text: string, op = -1): void {
    for (const line of wrapped(text, 114 - this.#unit.length * this.#depth)) this.add(this.#comment(line), op);
  }

  /** Notes what the language can't express, in a comment at the operation and in `notes`. */
  note(text: string, op = -1): void {
    this.comment(`Note: ${text}`, op);
    if (!this.notes.some((one) => one.op === op && one.text === text)) this.notes.push({ op, text });
  }

  /** Marks the lines that `write` adds as a remedy's change, with a comment. */
  markedAs(mark: string | undefined, write: () => void): void {
    const from = this.lines.length;
    if (mark !== undefined) this.comment(mark);
    write();
    if (mark !== undefined) for (let line = from; line < this.lines.length; line += 1) this.remedied.add(line);
  }

  indent(): void {
    this.#depth += 1;
  }

  dedent(): void {
    this.#depth = Math.max(0, this.#depth - 1);
  }

  inside(write: () => void): void {
    this.indent();
    write();
    this.dedent();
  }

  append(other: Listing): void {
    for (const line of other.remedied) this.remedied.add(this.lines.length + line);
    for (const [index, line] of other.lines.entries()) this.add(line, other.ops[index]);
    this.notes.push(...other.notes);
  }
}

/** Wraps a comment. An author's own line breaks stay. */
function wrapped(text: string, width: number): string[] {
  return text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).flatMap((line) => {
    const lines: string[] = [];
    let last = '';
    for (const word of line.split(' ')) {
      if (last !== '' && last.length + word.length >= width) {
        lines.push(last);
        last = word;
      } else last = last === '' ? word : `${last} ${word}`;
    }
    return [...lines, last];
  });
}
