/**
 * The component library's variables as a style sheet that script makes. The library itself would put them into a style
 * element, which the page's content security policy refuses.
 */
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { cssVariables, theme } from '../common/theme.ts';

export function adoptTheme(): void {
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
