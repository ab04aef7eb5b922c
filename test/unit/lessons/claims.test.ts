/** docs/claims.md names lessons and checks that exist, and says truly on which runs each is held. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { comparedTo } from '../../../core/lessons/references.ts';
import { lessons } from './support.ts';

const text = readFileSync(join(import.meta.dirname, '../../../docs/claims.md'), 'utf8');
const [shown = '', leftOut = ''] = text.split('\n## Left out');

const rows = (part: string): string[][] =>
  part
    .split('\n')
    .filter((line) => /^\| S\d /.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );

const claims = rows(shown).map(([from = '', claim = '', outcome = '', lesson = '', check = '', runs = '']) => ({
  name: `${from}: ${claim}`,
  outcome,
  lesson,
  check,
  runs,
}));

describe('claims', () => {
  it('come from all five texts', () => {
    expect(claims.length).toBeGreaterThan(60);
    for (const from of ['S0', 'S1', 'S2', 'S3', 'S4']) {
      expect(claims.filter(({ name }) => name.startsWith(from)).length, from).toBeGreaterThan(2);
    }
  });

  it.each(claims)('$name', ({ outcome, lesson, check, runs }) => {
    expect(['Holds', 'With a limit', 'Differs']).toContain(outcome);
    const found = lessons.find(({ id }) => id === lesson);
    if (found === undefined) throw new Error(`there is no lesson ${lesson}`);
    const step = found.steps.find(({ holds }) => holds.some(({ id }) => id === check));
    const statement = step?.holds.find(({ id }) => id === check);
    if (step === undefined || statement === undefined) throw new Error(`there is no check ${lesson}#${check}`);
    const needed = [step.shown?.name ?? '', ...statement.checks.flatMap(comparedTo)];
    const isRecorded = needed.every((name) => (found.experiments[name]?.recorded ?? 'none yet') !== 'none yet');
    const held = {
      simulated: statement.on.includes('simulated'),
      recorded: statement.on.includes('recorded') && isRecorded,
    };
    expect(held).toEqual({ simulated: runs !== 'recorded', recorded: runs !== 'simulated' });
    expect(['both', 'simulated', 'recorded']).toContain(runs);
  });

  it('that are left out give their reason', () => {
    const left = rows(leftOut);
    expect(left.length).toBeGreaterThan(5);
    for (const [, claim = '', reason = ''] of left) expect(reason.length, claim).toBeGreaterThan(10);
  });

  it('say what differs: each lesson that one differs in has a text about it', () => {
    for (const { lesson, outcome } of claims) {
      if (outcome !== 'Differs' && outcome !== 'With a limit') continue;
      const found = lessons.find(({ id }) => id === lesson);
      expect(`${found?.differs}${found?.steps.map((step) => step.text).join('')}`.length, lesson).toBeGreaterThan(200);
    }
  });
});
