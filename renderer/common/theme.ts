/** Mantine's theme: neutral surfaces, one accent, compact controls. Colours of the lanes are in palette.ts. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const slate: MantineColorsTuple = [
  '#e4e9f0',
  '#c3ccd8',
  '#9aa7b8',
  '#738197',
  '#465366',
  '#323e4e',
  '#232c39',
  '#171e28',
  '#10161e',
  '#0b1016',
];

const azure: MantineColorsTuple = [
  '#e8f3fd',
  '#d0e5f9',
  '#a0caf2',
  '#6fb0ec',
  '#4698e2',
  '#2a82d3',
  '#1668b8',
  '#11579c',
  '#0d477f',
  '#083661',
];

/** Mantine's red is too pale under white text. */
const red: MantineColorsTuple = [
  '#fdeceb',
  '#fad4d2',
  '#f4a8a4',
  '#ef7c76',
  '#e25a53',
  '#d33f38',
  '#c02c25',
  '#a3231d',
  '#861b16',
  '#6b1410',
];

/** The system's font, so that nothing is fetched and the content security policy blocks nothing. */
export const sans =
  "'Inter Variable', Inter, 'Segoe UI Variable Text', 'Segoe UI', -apple-system, BlinkMacSystemFont, Roboto, 'Noto Sans', Ubuntu, 'Liberation Sans', system-ui, sans-serif";
const mono =
  "'JetBrains Mono', 'Cascadia Code', 'SF Mono', Menlo, Consolas, 'Noto Sans Mono', 'DejaVu Sans Mono', 'Liberation Mono', monospace";

export const theme = createTheme({
  primaryColor: 'azure',
  primaryShade: 6,
  autoContrast: true,
  colors: { azure, red, dark: slate },
  fontFamily: sans,
  fontFamilyMonospace: mono,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: { fontFamily: sans, fontWeight: '600' },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Tooltip: { defaultProps: { openDelay: 350, multiline: true, maw: 320, withArrow: true, fz: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'md' } },
    // The list itself scrolls, so that choosing an option by keyboard scrolls to it.
    Select: {
      defaultProps: { size: 'xs', allowDeselect: false, checkIconPosition: 'right', withScrollArea: false },
      styles: { options: { maxHeight: 360, overflowY: 'auto' } },
    },
    // A menu may contain nothing but its items.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Button: { defaultProps: { size: 'xs' } },
    Modal: { defaultProps: { centered: true, size: 'sm', closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { withBorder: true, closeButtonProps: { 'aria-label': 'Close' } } },
    Badge: { defaultProps: { size: 'sm', radius: 'sm', tt: 'none' } },
  },
});

/** Surfaces and text colours. Our style sheets use the same names. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#17202c',
    '--mantine-color-dimmed': '#536074',
    '--mantine-color-placeholder': '#5f6c80',
    '--mantine-color-default-border': '#cfd7e1',
    '--mantine-color-default-hover': '#f0f4f8',
  },
  dark: {
    '--mantine-color-body': '#171e28',
    '--mantine-color-text': '#e4e9f0',
    '--mantine-color-dimmed': '#a3afbf',
    '--mantine-color-placeholder': '#93a0b2',
    '--mantine-color-default': '#1f2733',
    '--mantine-color-default-border': '#364254',
    '--mantine-color-default-hover': '#273140',
    // Mantine's value is meant for its paler red.
    '--mantine-color-error': red[3],
    // Mantine's value is darker than its surroundings.
    '--mantine-color-azure-light': '#1c3550',
    '--mantine-color-azure-light-hover': '#234263',
    '--mantine-color-azure-light-color': '#d0e5f9',
  },
});
