import {
  getDefaultZIndex,
  localStorageColorSchemeManager,
  MantineProvider,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type ReactNode, useEffect } from 'react';
import { SchemeContext } from '../common/hooks.ts';
import { cssVariables, theme } from '../common/theme.ts';
import { desktopBridge, type DesktopTheme as Theme } from '../store/connection/channel.ts';
import { mostNotices } from '../store/notify.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import classes from './Shell.module.css';
import { Shell } from './Shell.tsx';

/** Keeps page and menu of the desktop app in one theme. The page stores it, and each follows a choice in the other. */
const schemes = { system: 'auto', light: 'light', dark: 'dark' } as const;
const themes = { auto: 'system', light: 'light', dark: 'dark' } as const;

const bridge = desktopBridge();

function DesktopTheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  useEffect(() => bridge?.setTheme(themes[colorScheme]), [colorScheme]);
  // Set once: the menu has one listener, and the setter never changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as said above.
  useEffect(() => bridge?.onTheme((theme: Theme) => setColorScheme(schemes[theme])), []);
  return null;
}

/** Provides the current theme, light or dark, chosen here or by the system. */
export function CurrentScheme({ children }: { readonly children: ReactNode }) {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  return <SchemeContext value={scheme}>{children}</SchemeContext>;
}

const schemeManager = localStorageColorSchemeManager({ key: 'copyscope:theme' });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
    >
      <DesktopTheme />
      <Notifications
        className={classes['notifications'] ?? ''}
        position="bottom-right"
        limit={mostNotices}
        containerWidth={420}
        // In a narrow window notifications would cover a dialog's buttons.
        zIndex={getDefaultZIndex('modal') - 1}
      />
      <ErrorBoundary area="The window">
        <CurrentScheme>
          <Shell />
        </CurrentScheme>
      </ErrorBoundary>
    </MantineProvider>
  );
}
