import { getDefaultZIndex, localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { cssVariables, theme } from '../common/theme.ts';
import { mostNotices } from '../store/notify.ts';
import { CurrentScheme } from './CurrentScheme.tsx';
import { DesktopTheme } from './DesktopTheme.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import classes from './Shell.module.css';
import { Shell } from './Shell.tsx';

const schemes = localStorageColorSchemeManager({ key: 'copyscope:theme' });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemes}
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
