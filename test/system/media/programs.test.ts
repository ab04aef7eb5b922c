/** Generated programs mean the same to the compilers of their languages, for any names in the document. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CodeLanguage, codeOf } from '../../../core/code/code.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { runs } from '../../support/effort.ts';
import { everything } from '../../unit/code/everything.ts';
import { allPieces, hostileText } from '../../unit/media/hostile.ts';

const folder = newFolder();

const isThere = (command: string): boolean => spawnSync(command, ['--version']).status === 0;

/** Returns the experiment with other texts in all text fields. */
function named(experiment: Experiment, text: () => string): Experiment {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one)]));
    return 'op' in value ? { ...inner, label: text(), ...(value.op === 'range' && { name: text() }) } : inner;
  };
  const threads = visit(experiment.threads) as Experiment['threads'];
  return { ...experiment, threads, name: text(), description: text() };
}

/** In UTF-7 the description ends its line, writes a file and ends the program. */
const utf7 = {
  name: 'Running ahead, coding: utf-7',
  description: "Fine.+AAo-open('ran.txt','w').write('ran')+AAo-raise+ACA-SystemExit(0)+AAo-",
};

/** Returns experiments of which the first is harmless. */
function subjects(count: number): Experiment[] {
  const texts = fc.sample(hostileText, 1000);
  let next = 0;
  return [
    named(everything(), () => 'harmless'),
    named(everything(), () => allPieces),
    { ...named(everything(), () => 'harmless'), ...utf7 },
    ...Array.from({ length: count }, () => named(everything(), () => texts[next++ % texts.length] ?? '')),
  ];
}

/** Writes each program into a separate folder, so that all have the same name. */
const written = (language: CodeLanguage, experiments: readonly Experiment[], name: string): string[] =>
  experiments.map((experiment, index) => {
    const place = join(folder, `${language}-${index}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, name), codeOf(experiment, language).text);
    return join(place, name);
  });

/** Prints the tree of each file, with all texts equal. Fails if a text can't be printed or the encoding isn't fixed. */
const dumpAll = `
import ast, sys, tokenize
class Alike(ast.NodeTransformer):
    def visit_Constant(self, node):
        if not isinstance(node.value, str):
            return node
        node.value.encode()
        return ast.copy_location(ast.Constant("text"), node)
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        assert tokenize.detect_encoding(file.readline)[0] == "utf-8", name
    with open(name, "rb") as file:
        print(ast.dump(Alike().visit(ast.parse(file.read(), name))))
`;

import { newFolder } from '../../support/newFolder.ts';

/** Returns the tokens of preprocessed C++ with all texts equal. */
const tokens = (preprocessed: string): string =>
  preprocessed
    .replace(/^#.*$/gm, '')
    .replace(/("(\\.|[^"\\\n])*"\s*)+/g, '"text"')
    .replace(/\s+/g, ' ');

describe('a generated program', () => {
  it('a program of PyTorch has the same syntax tree with hostile names as with harmless ones', (context) => {
    if (!isThere('python3')) return context.skip('python3 is not installed');
    const files = written('pytorch', subjects(runs(300)), 'program.py');
    const options = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const { stdout, stderr } = spawnSync('python3', ['-c', dumpAll, ...files], options);
    expect(stderr).toBe('');
    const trees = stdout.trimEnd().split('\n');
    expect(trees).toHaveLength(files.length);
    expect([...new Set(trees)]).toHaveLength(1);
  });

  // The older standards have trigraphs.
  it.for(['c++14', 'c++17', 'gnu++20'])('has the same CUDA tokens in %s with hostile names', (standard, context) => {
    if (!isThere('g++')) return context.skip('g++ is not installed');
    const found = written('cuda', subjects(runs(60)), 'program.cu').map((file) => {
      const args = ['-E', '-P', '-fpreprocessed', `-std=${standard}`, '-Wall', '-Werror', '-x', 'c++', file];
      const { stdout, stderr } = spawnSync('g++', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
      expect(stderr).toBe('');
      return tokens(stdout);
    });
    expect(found[0]).toContain('nvtxRangePushA("text")');
    expect([...new Set(found)]).toHaveLength(1);
  });
});
