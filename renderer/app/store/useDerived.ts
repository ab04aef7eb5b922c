import { useApp } from './store.ts';
import type { AppState } from './types.ts';

/** For what a selector computes anew each time; useApp() itself needs a value that stays the same object. */
export const useDerived = <Value>(selector: (state: AppState) => Value): Value => selector(useApp());
