/** The page of a report. It reads the data in its own file and fetches nothing. */
import '../common/zodSetup.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '../common/global.css';
import './report.css';
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { cssVariables, theme } from '../common/theme.ts';
import { ReportApp } from './ReportApp.tsx';

/**
 * Adds the component library's variables through a script-made style sheet. The library would use a style element,
 * which the page's content security policy refuses.
 */
function adoptTheme(): void {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const [standard, own] = [defaultCssVariablesResolver(merged), cssVariables(merged)];
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    convertCssVariables({
      variables: { ...standard.variables, ...own.variables },
      light: { ...standard.light, ...own.light, '--mantine-color-scheme': 'light' },
      dark: { ...standard.dark, ...own.dark, '--mantine-color-scheme': 'dark' },
    }),
  );
  document.adoptedStyleSheets.push(sheet);
}

const root = document.getElementById('root');
if (root === null) throw new Error('the report has no element with the id "root"');
adoptTheme();
createRoot(root).render(<ReportApp />);
