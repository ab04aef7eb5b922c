import { describe, expect, it } from 'vitest';
import { glossary, term } from '../../../core/explain/glossary/glossary.ts';
import { termOfCause, termOfLane, termsOfOperation } from '../../../core/explain/glossary/termOf.ts';
import { causes } from '../../../core/explain/verdicts/verdict.ts';
import { rules } from '../../../core/rules/rules.ts';
import { laneKinds } from '../../../core/trace/trace.ts';
import { experimentOf, lessons } from '../lessons/support.ts';

describe('glossary', () => {
  it('explains the fields of an operation: what it is, its memory, its stream', () => {
    const lesson = lessons.find(({ id }) => id === 'first-overlap');
    if (lesson === undefined) throw new Error('the first lesson is gone');
    const experiment = experimentOf(lesson, 'start');
    const [copy] = experiment.threads[0]?.operations ?? [];
    if (copy === undefined) throw new Error('it has no operation');
    expect(termsOfOperation(copy, experiment)).toEqual(['copy', 'pinned', 'device-memory', 'legacy-default-stream']);
  });

  it('has a term for every rule', () => {
    const governed = new Set(glossary.flatMap((one) => one.rules));
    expect(rules.map(({ id }) => id).filter((id) => !governed.has(id))).toEqual([]);
  });

  it('is in order, each name once', () => {
    expect(new Set(glossary.map(({ name }) => name)).size).toBe(glossary.length);
  });

  it('explains every lane and every cause of a verdict', () => {
    for (const kind of laneKinds) expect(term(termOfLane({ kind, id: `${kind}:x` })).text).not.toBe('');
    expect(termOfLane({ kind: 'stream', id: 'stream:legacy' })).toBe('legacy-default-stream');
    expect(termOfLane({ kind: 'copy-engine', id: 'engine:gpu:d2h', direction: 'd2h' })).toBe('d2h');
    for (const cause of causes) expect(term(termOfCause(cause)).text).not.toBe('');
  });
});
