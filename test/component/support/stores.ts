/** Replaces zustand in component tests, with stores that can be reset. */
import { create as createHook, useStore } from 'zustand/react';
import { createStore as createVanilla, type StateCreator } from 'zustand/vanilla';

interface Resettable {
  getInitialState(): unknown;
  setState(state: never, replace: true): void;
}

const stores: Resettable[] = [];

function kept<Store extends Resettable>(store: Store): Store {
  stores.push(store);
  return store;
}

/** Resets every store of the window to its initial state. */
export function resetStores(): void {
  for (const store of stores) store.setState(store.getInitialState() as never, true);
}

type Make = StateCreator<unknown>;

export const createStore = ((make?: Make) =>
  make === undefined ? (later: Make) => kept(createVanilla(later)) : kept(createVanilla(make))) as typeof createVanilla;

export const create = ((make?: Make) =>
  make === undefined ? (later: Make) => kept(createHook(later)) : kept(createHook(make))) as typeof createHook;

export { useStore };
