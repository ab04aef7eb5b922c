import { createContext, useCallback, useContext } from 'react';
import { type Paint, type PaintName, paint, type Scheme } from './palette.ts';

/** The current theme. It is read once, since each query goes to the browser, and lanes are drawn with every edit. */
export const SchemeContext = createContext<Scheme>('light');

export const useScheme = (): Scheme => useContext(SchemeContext);

/** Returns the palette of the current theme. */
export function usePaints(): (name: PaintName) => Paint {
  const scheme = useScheme();
  return useCallback((name) => paint(name, scheme), [scheme]);
}
