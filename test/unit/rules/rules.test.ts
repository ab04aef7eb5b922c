import { describe, expect, it } from 'vitest';
import { describeSource, rule, ruleIds, rules } from '../../../core/rules/rules.ts';

describe('rule registry', () => {
  it('holds every rule once, under its id', () => {
    expect(rules.map(({ id }) => id)).toEqual([...ruleIds]);
    expect(new Set(ruleIds).size).toBe(ruleIds.length);
    expect(new Set(rules.map(({ title }) => title)).size).toBe(rules.length);
    expect(rule('stream-order')).toEqual(rules[ruleIds.indexOf('stream-order')]);
  });

  it.each(rules)('$id says one or two short things, and where they come from', ({ statement, sources }) => {
    const sentences = statement.match(/[^.!?]+[.!?](\s|$)/g) ?? [];
    expect(sentences.length).toBeGreaterThanOrEqual(1);
    expect(sentences.length).toBeLessThanOrEqual(2);
    for (const sentence of sentences) expect(sentence.split(' ').length).toBeLessThanOrEqual(30);
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expect(describeSource(source)).toMatch(/.: ./);
  });
});
