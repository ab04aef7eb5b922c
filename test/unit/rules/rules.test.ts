import { describe, expect, it } from 'vitest';
import { describeSource, rule, ruleIds, rules } from '../../../core/rules/rules.ts';

describe('rule registry', () => {
  it('holds every rule once, under its id', () => {
    expect(rules.map(({ id }) => id)).toEqual([...ruleIds]);
    expect(new Set(ruleIds).size).toBe(ruleIds.length);
    expect(new Set(rules.map(({ title }) => title)).size).toBe(rules.length);
    expect(rule('stream-order')).toEqual(rules[ruleIds.indexOf('stream-order')]);
  });

  it.each(rules)('$id says where it comes from', ({ sources }) => {
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expect(describeSource(source)).toMatch(/.: ./);
  });
});
