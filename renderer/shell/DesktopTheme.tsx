/** Keeps page and menu of the desktop app in one theme. The page stores it, and each follows a choice in the other. */
import { useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import { desktopBridge, type DesktopTheme as Theme } from '../connection/desktopBridge.ts';

const schemes = { system: 'auto', light: 'light', dark: 'dark' } as const;
const themes = { auto: 'system', light: 'light', dark: 'dark' } as const;

const bridge = desktopBridge();

export function DesktopTheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  useEffect(() => bridge?.setTheme(themes[colorScheme]), [colorScheme]);
  // Set once: the menu has one listener, and the setter never changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as said above.
  useEffect(() => bridge?.onTheme((theme: Theme) => setColorScheme(schemes[theme])), []);
  return null;
}
