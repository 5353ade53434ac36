import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import { i18n } from '@/lib/i18n'

/** Deep petrol: calm next to the greens, ambers and reds that carry meaning. */
const petrol: MantineColorsTuple = [
  '#e8f7f9',
  '#d3ebef',
  '#a6d6de',
  '#75c0cc',
  '#4eadbd',
  '#35a1b3',
  '#2390a3',
  '#137a8b',
  '#0b6371',
  '#034c58',
]

/** Surfaces and text of the dark theme, with a breath of the same blue as the light one. */
const dark: MantineColorsTuple = [
  '#dde4e8',
  '#a3b1ba',
  '#8f9ea8',
  '#64737d',
  '#3b4a54',
  '#2e3b44',
  '#1c252b',
  '#182026',
  '#12181c',
  '#0d1215',
]

export const theme = createTheme({
  primaryColor: 'petrol',
  colors: { petrol, dark },
  // Mantine's own shades (6 and 8) leave white text below 4.5:1 on filled controls.
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.125rem', lineHeight: '1.35' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  // Without the components' own `extend`, which would load all of them with the first page.
  components: {
    // Asked for each time: the language is not known yet when this is made.
    PasswordInput: {
      defaultProps: () => ({
        visibilityToggleButtonProps: { 'aria-label': i18n.t('common.togglePassword') },
      }),
    },
    Modal: {
      defaultProps: () => ({
        centered: true,
        radius: 'md',
        closeButtonProps: { 'aria-label': i18n.t('common.close') },
        // Its header element would count as a second banner of the page.
        attributes: { header: { role: 'presentation' } },
      }),
    },
  },
})

/** Contrast: every pair below is at least 4.5:1 (3:1 for marks) on the surfaces it is used on. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f6f8f9',
    '--mantine-color-dimmed': '#4d5a63',
    '--mantine-color-anchor': '#0b6371',
    '--mantine-color-placeholder': '#5d6b75',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-default-border': '#c3ccd2',
    '--mantine-color-disabled-color': '#5d6b75',
    '--mantine-color-petrol-light': '#dceff2',
    '--mantine-color-petrol-light-hover': '#cbe6eb',
    '--mantine-color-petrol-light-color': '#034c58',
    '--mantine-color-red-filled': '#b3261e',
    '--mantine-color-red-filled-hover': '#8f1c16',
    '--mantine-color-red-light-color': '#9a1f18',
    '--mantine-color-red-outline': '#b3261e',
  },
  dark: {
    '--mantine-color-body': '#12181c',
    '--mantine-color-text': '#dde4e8',
    '--mantine-color-dimmed': '#a3b1ba',
    '--mantine-color-anchor': '#75c0cc',
    '--mantine-color-placeholder': '#8f9ea8',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-default': '#1c252b',
    '--mantine-color-default-hover': '#26323a',
    '--mantine-color-default-border': '#3b4a54',
    '--mantine-color-disabled': '#232e35',
    '--mantine-color-disabled-color': '#8f9ea8',
    '--mantine-color-petrol-light': '#113840',
    '--mantine-color-petrol-light-hover': '#16464f',
    '--mantine-color-petrol-light-color': '#a6d6de',
    '--mantine-color-petrol-outline': '#75c0cc',
    '--mantine-color-red-filled': '#b8332b',
    '--mantine-color-red-filled-hover': '#cf4239',
    '--mantine-color-red-light': '#451a17',
    '--mantine-color-red-light-hover': '#57221e',
    '--mantine-color-red-light-color': '#ffb4ab',
    '--mantine-color-red-outline': '#ff8a80',
  },
})
