import { useComputedColorScheme } from '@mantine/core';
import { useCallback } from 'react';
import { type Paint, type PaintName, paint, type Scheme } from '../app/palette.ts';

export const useScheme = (): Scheme => useComputedColorScheme('light', { getInitialValueInEffect: false });

/** The palette in the theme that is on. */
export function usePaints(): (name: PaintName) => Paint {
  const scheme = useScheme();
  return useCallback((name) => paint(name, scheme), [scheme]);
}
