import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { parseLesson } from '../../../core/apps/lessons/parse.ts';

const good = readFileSync(join(import.meta.dirname, '../../../assets/lessons/first-overlap.md'), 'utf8');

function problems(text: string): string[] {
  const parsed = parseLesson('test', text);
  return parsed.ok ? [] : parsed.problems.map(({ field, message }) => `${field}: ${message}`);
}

const lineOf = (text: string, part: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1;

/** Returns the good lesson with one change, and the line of the change. */
function changed(from: string, to: string): { text: string; line: number } {
  expect(good).toContain(from);
  const text = good.replace(from, to);
  return { text, line: lineOf(text, to.split('\n')[0] ?? '') };
}

describe('parseLesson', () => {
  it('reads a lesson, and gives each step its text', () => {
    const parsed = parseLesson('first-overlap', good);
    expect(parsed.ok && parsed.lesson.steps.map(({ text }) => text.length > 50)).toEqual([true, true, true, true]);
    expect(parsed.ok && parsed.lesson.steps.map(({ shown }) => shown)).toEqual([
      { name: 'start', step: 0 },
      { name: 'start', step: 0 },
      { name: 'start', step: 2 },
      { name: 'start', step: 2 },
    ]);
  });

  it('names the line of every mistake', () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['minutes: 4', 'minutes: soon', /minutes.*"soon"/],
      ['order: 10', 'ordre: 10', /ordre/],
      ['experiment: start', 'experiment: begin', /no experiment "begin"/],
      ['right: true', 'right: false', /exactly one choice/],
      ['atMost: 40 us', 'atMost: 40 parsecs', /40 parsecs/],
      ['measure: time', 'measure: thyme', /measure/],
      ['rules: [issue-before-run', 'rules: [no-such-rule', /no-such-rule/],
      ['comparedTo: start, atMost: 0.8', 'comparedTo: other, atMost: 0.8', /"other"/],
      ['## What do you expect?', '## What do you think?', /"What do you think\?" stands where step 1/],
      ['(glossary:kernel)', '(glossary:colonel)', /glossary:colonel/],
      ['Think first', '<b>Think</b> first', /HTML/],
      ['Think first', '![Think](https://example.org/x.png) first', /images/],
      ['Think first', '[Think](javascript:alert(1)) first', /leads nowhere/],
    ];
    for (const [from, to, message] of cases) {
      const { text, line } = changed(from, to);
      const found = problems(text);
      expect(found, to).toHaveLength(1);
      expect(found[0], to).toMatch(message);
      // YAML gives the line of the nearest known place: the value itself, or the entry around it.
      const given = Number(/^line (\d+)/.exec(found[0] ?? '')?.[1]);
      expect(Math.abs(given - line), `${to}: ${found[0]} is in line ${line}`).toBeLessThanOrEqual(12);
    }
  });

  it('gives the very line where it can', () => {
    for (const [from, to] of [
      ['minutes: 4', 'minutes: soon'],
      ['measure: time', 'measure: thyme'],
      ['Think first', '<b>Think</b> first'],
      ['## What do you expect?', '## What do you think?'],
    ] as const) {
      const { text, line } = changed(from, to);
      expect(problems(text)[0]).toMatch(new RegExp(`^line ${line}: `));
    }
  });

  it.each([
    ['empty', ''],
    ['no front part', '# A lesson\n\nText.'],
    ['an open front part', '---\ntitle: x\n'],
    ['broken YAML', '---\ntitle: [x\n---\n'],
    ['a front part that is no object', '---\n- x\n---\n'],
    ['a billion laughs', `---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n`],
    ['too long', 'x'.repeat(3 * 1024 * 1024)],
    ['binary', String.fromCharCode(...Array.from({ length: 500 }, (_, index) => index % 256))],
  ])('refuses %s with a remedy', (_, text) => {
    const parsed = parseLesson('test', text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) for (const problem of parsed.problems) expect(problem.remedy).toBeTruthy();
  });

  it('refuses every cut of a lesson, or reads it; it never throws', () => {
    for (let length = 0; length < good.length; length += 97)
      expect(() => parseLesson('test', good.slice(0, length))).not.toThrow();
  });

  it('reads the example of docs/guide/lessons.md', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/guide/lessons.md'), 'utf8');
    const example = /```markdown\n([\s\S]*?)\n```/.exec(docs)?.[1] ?? '';
    expect(problems(example)).toEqual([]);
  });

  it('takes headings inside fenced code for text', () => {
    const { text } = changed('Think first', '```\n## no step\n```\n\nThink first');
    expect(problems(text)).toEqual([]);
  });
});

it('says nothing on the program’s own stderr, whatever keys its front part has', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  parseLesson('own', '---\n? [x]\n: y\n---\n## A\nText.\n');
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
