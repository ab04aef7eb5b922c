/** The command of a recording, split like in a shell. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoted, splitCommand } from '../../../renderer/record/words.ts';

const wordsOf = (text: string): readonly string[] | string => {
  const split = splitCommand(text);
  return split.ok ? split.words : split.message;
};

const canRun = process.platform !== 'win32';

/** Returns the words of a real shell, each ended by a NUL. */
const byShell = (text: string): string[] =>
  spawnSync('sh', ['-c', `printf '%s\\0' ${text}`], { encoding: 'utf8' })
    .stdout.split('\0')
    .slice(0, -1);

const lines = [
  'python train.py --epochs 1',
  `python -c 'print("a b")' ""`,
  'a\\ b c\\\\d',
  `"x \\"y\\" \\n" 'it'"'"'s'`,
  'python \\\n  train.py',
  `--name="two words" a''b`,
  '  spaced\t out  ',
];

it.skipIf(!canRun).each(lines)('splits as the shell does: %s', (text) => {
  expect(wordsOf(text)).toEqual(byShell(text));
});

it('gets back every word that it has quoted', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      // The first word may look like a variable's assignment, but not if it is quoted.
      expect(wordsOf(`x ${words.map(quoted).join(' ')}`)).toEqual(['x', ...words]);
    }),
  );
});

it('takes variables before the program for what they are, and no others', () => {
  expect(splitCommand(`A=1 B_2="x y" python a=b C=3`)).toEqual({
    ok: true,
    words: ['python', 'a=b', 'C=3'],
    variables: { A: '1', B_2: 'x y' },
    notes: [],
  });
  expect(splitCommand(`'A=1' python`)).toMatchObject({ words: ['A=1', 'python'], variables: {} });
});

it.each([
  ['', /Name the program/],
  ['A=1', /Name the program/],
  ['python "train.py', /The quote " is opened and never closed/],
  ["it's", /The quote ' is opened/],
  ['python a.py | tee log', /\| joins two programs in a shell, and no shell is run/],
  ['cd x && python a.py', /& puts a program into the background/],
  ['python a.py > log', /> redirects output/],
])('says what a shell would have to do: %s', (text, words) => {
  expect(wordsOf(text)).toMatch(words);
});

it.each([
  ['python $HOME/a.py', /a variable or a command for \$/],
  ['python "$HOME/a.py"', /a variable or a command for \$/],
  ['python *.py', /names of files for \*/],
  ['python ~/a.py', /your own folder/],
  ['python a.py # once', /as a comment/],
])('tells what it leaves as it is: %s', (text, note) => {
  const split = splitCommand(text);
  expect(split.ok && split.notes.join()).toMatch(note);
});

it('says nothing of what stands in single quotes or behind a backslash', () => {
  expect(splitCommand(`python '$HOME *' \\$x a#b`)).toMatchObject({ ok: true, notes: [] });
});
