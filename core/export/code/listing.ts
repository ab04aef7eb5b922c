/** The lines of a program as they are written, each with the operation that it carries out. */

export interface CodeNote {
  /** Number of the operation; -1 of what is declared. */
  readonly op: number;
  readonly text: string;
}

export class Listing {
  readonly lines: string[] = [];
  /** By line: the operation's number, or -1. */
  readonly ops: number[] = [];
  readonly notes: CodeNote[] = [];
  /** Lines of what is declared that a remedy has to do with. */
  readonly remedied = new Set<number>();
  readonly #unit: string;
  readonly #comment: (text: string) => string;
  #depth = 0;

  /** `comment` makes a comment of one line of text. */
  constructor(unit: string, comment: (text: string) => string) {
    this.#unit = unit;
    this.#comment = comment;
  }

  /** One or more lines, indented; an empty one stays empty. */
  add(text: string, op = -1): void {
    for (const line of text.split('\n')) {
      this.lines.push(line === '' ? '' : this.#unit.repeat(this.#depth) + line);
      this.ops.push(op);
    }
  }

  comment(text: string, op = -1): void {
    for (const line of wrapped(text, 114 - this.#unit.length * this.#depth)) this.add(this.#comment(line), op);
  }

  /** What the language can't say as the experiment does: it stands with the operation, and is told apart as well. */
  note(text: string, op = -1): void {
    this.comment(`Note: ${text}`, op);
    if (!this.notes.some((one) => one.op === op && one.text === text)) this.notes.push({ op, text });
  }

  /** What `write` adds is what a remedy has made so, which a comment says. */
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

/** The words of a comment in lines. Lines that an author wrote stay apart. */
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
