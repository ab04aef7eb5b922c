/** Tells all of the window the theme that is on, light or dark, be it chosen here or the system's. */
import { useComputedColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { SchemeContext } from '../common/usePaints.ts';

export function CurrentScheme({ children }: { readonly children: ReactNode }) {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  return <SchemeContext value={scheme}>{children}</SchemeContext>;
}
