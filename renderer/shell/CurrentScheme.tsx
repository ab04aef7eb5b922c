/** Provides the current theme, light or dark, chosen here or by the system. */
import { useComputedColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { SchemeContext } from '../common/usePaints.ts';

export function CurrentScheme({ children }: { readonly children: ReactNode }) {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  return <SchemeContext value={scheme}>{children}</SchemeContext>;
}
