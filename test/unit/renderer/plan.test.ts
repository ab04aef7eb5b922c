/** The plan of a trace in the window: its text, its choices, and its worker. */
import { describe, expect, it } from 'vitest';
import { isOn, toggled, wordsOf } from '../../../renderer/plan/planStore.ts';

describe('a choice of changes', () => {
  it('takes a remedy on and off, and drops what excludes it', () => {
    const on = toggled(['pin-each-step'], ['non-blocking', 'pin']);
    expect(on).toEqual(['pin', 'non-blocking']);
    expect(isOn(on, ['pin'])).toBe(true);
    expect(toggled(on, ['pin'])).toEqual(['non-blocking']);
    expect(toggled(['remove-wait'], ['delay-wait'])).toEqual(['delay-wait']);
  });

  it('offers what some remedy has', () => {
    expect(wordsOf([{ changes: ['prefetch'] }, { changes: ['pin', 'prefetch'] }])).toEqual(['pin', 'prefetch']);
  });
});
