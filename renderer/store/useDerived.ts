import { useRef } from 'react';
import { shallow } from 'zustand/shallow';
import { useApp } from './store.ts';
import type { AppState } from './types.ts';

/**
 * Selects a value that is made again each time, while useApp() needs the same object. Returns the previous object while
 * the content is the same, one level deep.
 */
export function useDerived<Value>(selector: (state: AppState) => Value): Value {
  const last = useRef<{ readonly value: Value } | null>(null);
  // Only for this rendering: the next one may select something else from the same state.
  let of: AppState | null = null;
  const value = useApp((all) => {
    if (of === all && last.current !== null) return last.current.value;
    of = all;
    const made = selector(all);
    if (last.current === null || !shallow(last.current.value, made)) last.current = { value: made };
    return last.current.value;
  });
  return value;
}
