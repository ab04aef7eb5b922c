/** Splits a command line into words as a POSIX shell does, and runs nothing. `notes` list what a shell would do too. */

export type SplitCommand =
  | {
      readonly ok: true;
      readonly words: readonly string[];
      /** Variables before the program, as in `CUDA_VISIBLE_DEVICES=0 python train.py`. */
      readonly variables: Readonly<Record<string, string>>;
      /** Expansions that a shell would have made, a sentence for each. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

const operators: Readonly<Record<string, string>> = {
  '|': 'joins two programs',
  '&': 'puts a program into the background',
  ';': 'separates two programs',
  '<': 'redirects input',
  '>': 'redirects output',
  '(': 'begins a group',
  ')': 'ends a group',
};

const replaced: Readonly<Record<string, string>> = {
  $: 'a variable or a command',
  '`': 'a command',
  '*': 'names of files',
  '?': 'names of files',
  '[': 'names of files',
};

class Splitter {
  readonly #text: string;
  #at = 0;
  /** The current word; null between words. */
  #word: string | null = null;
  /** The unquoted start of the word: a variable's name and '=' can only stand there. */
  #plain = '';
  readonly words: { readonly text: string; readonly plain: string }[] = [];
  readonly notes = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns null, or the problem. */
  split(): string | null {
    while (this.#at < this.#text.length) {
      const letter = this.#next();
      if (/\s/.test(letter)) this.#endWord();
      else if (letter === '\\') this.#escaped();
      else if (letter === "'" || letter === '"') {
        if (!this.#quoted(letter)) return `The quote ${letter} is opened and never closed.`;
      } else if (letter === '#' && this.#word === null) {
        this.notes.add('A shell takes # and what follows as a comment. Here the program gets it.');
        this.#take(letter);
      } else if (operators[letter] !== undefined) {
        return `${letter} ${operators[letter]} in a shell, and no shell is run. Quote it, if the program is to get it, or put the line into a script and record that.`;
      } else this.#take(letter);
    }
    this.#endWord();
    return null;
  }

  #next(): string {
    const letter = this.#text[this.#at] ?? '';
    this.#at += 1;
    return letter;
  }

  #take(letter: string): void {
    this.#note(letter);
    if (letter === '~' && this.#word === null) {
      this.notes.add('A shell would replace ~ by your own folder. Here the program gets it as it is: write the path.');
    }
    if (this.#plain === (this.#word ?? '')) this.#plain += letter;
    this.#word = (this.#word ?? '') + letter;
  }

  #note(letter: string): void {
    const what = replaced[letter];
    if (what !== undefined) {
      this.notes.add(`A shell would put in ${what} for ${letter}. Here the program gets it as it is.`);
    }
  }

  /** A backslash at the end of a line joins it with the next. */
  #escaped(): void {
    const letter = this.#next();
    if (letter !== '\n') this.#word = (this.#word ?? '') + letter;
  }

  /** Returns false if the quote is never closed. Within double quotes a backslash escapes only a few characters. */
  #quoted(quote: string): boolean {
    this.#word ??= '';
    while (this.#at < this.#text.length) {
      const letter = this.#next();
      if (letter === quote) return true;
      if (quote === '"' && letter === '\\' && /["\\$`\n]/.test(this.#text[this.#at] ?? '')) this.#escaped();
      else {
        if (quote === '"' && (letter === '$' || letter === '`')) this.#note(letter);
        this.#word += letter;
      }
    }
    return false;
  }

  #endWord(): void {
    if (this.#word !== null) this.words.push({ text: this.#word, plain: this.#plain });
    this.#word = null;
    this.#plain = '';
  }
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=/;

export function splitCommand(text: string): SplitCommand {
  const splitter = new Splitter(text);
  const problem = splitter.split();
  if (problem !== null) return { ok: false, message: problem };
  const program = splitter.words.findIndex(({ plain }) => !assignment.test(plain));
  const before = program < 0 ? splitter.words : splitter.words.slice(0, program);
  const words = splitter.words.slice(before.length).map((word) => word.text);
  if (words.length === 0) return { ok: false, message: 'Name the program that is to be recorded.' };
  const variables = Object.fromEntries(
    before.map(({ text: word }) => {
      const [all = '', name = ''] = assignment.exec(word) ?? [];
      return [name, word.slice(all.length)];
    }),
  );
  return { ok: true, words, variables, notes: [...splitter.notes] };
}

/** Quotes a word if a shell would not take it as one. */
export const quoted = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
