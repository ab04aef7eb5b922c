import { createContext, useCallback, useContext } from 'react';
import { type Paint, type PaintName, paint, type Scheme } from './palette.ts';

/** The theme that is on: asked for once, since each question goes to the browser, and lanes are drawn with every edit. */
export const SchemeContext = createContext<Scheme>('light');

export const useScheme = (): Scheme => useContext(SchemeContext);

/** The palette in the theme that is on. */
export function usePaints(): (name: PaintName) => Paint {
  const scheme = useScheme();
  return useCallback((name) => paint(name, scheme), [scheme]);
}
