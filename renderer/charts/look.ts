/** Colours, patterns and symbols of charts, from the window's palette. Rows differ in all three, not only in colour. */
import { canvasColours, type PaintName, type Pattern, paint, type Scheme } from '../common/palette.ts';
import { sans } from '../common/theme.ts';
import type { Row } from './spec.ts';

export interface Look {
  readonly scheme: Scheme;
  readonly text: string;
  readonly textDim: string;
  readonly line: string;
  readonly surface: string;
  readonly bad: string;
  readonly font: string;
  /** Colours from low to high in one hue, so that lightness alone shows the order. */
  readonly ramp: readonly string[];
}

const ramps: Readonly<Record<Scheme, readonly string[]>> = {
  light: ['#e6f0fa', '#9cc6ec', '#4b94d1', '#1668b8', '#0a3a6b'],
  dark: ['#1d2c3d', '#23507d', '#3179b5', '#5ab0f0', '#c4e3ff'],
};

export function lookOf(scheme: Scheme): Look {
  const { textDim, line, surface } = canvasColours(scheme);
  return {
    scheme,
    textDim,
    line,
    surface,
    text: scheme === 'light' ? '#17202c' : '#e4e9f0',
    bad: scheme === 'light' ? '#b3261e' : '#ff8f86',
    font: sans,
    ramp: ramps[scheme],
  };
}

/** Neighbours differ in lightness too, for people who see no hue. */
const order: readonly PaintName[] = ['h2d', 'd2h', 'kernel', 'd2d', 'memset', 'host-work', 'host-call', 'h2h'];

const star = 'path://M5,0 L6.2,3.6 L10,3.6 L7,5.9 L8.1,9.5 L5,7.3 L1.9,9.5 L3,5.9 L0,3.6 L3.8,3.6 Z';
const symbols = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'pin', 'arrow', star];
const dashes = ['solid', [7, 3], [2, 3], [9, 3, 2, 3]] as const;
const patterns: readonly Pattern[] = ['none', 'rising', 'dots', 'falling', 'sparse'];

export interface RowLook {
  readonly colour: string;
  readonly symbol: string;
  readonly dash: 'solid' | number[];
  readonly decal: object;
}

/** Returns the look of each row. An `isBeside` row looks like the row before it and uses up no look of its own. */
export function rowLooks(rows: readonly Row[], look: Look): RowLook[] {
  let place = -1;
  return rows.map((row) => {
    if (row.isBeside !== true) place += 1;
    return rowLook(row, Math.max(0, place), look);
  });
}

export function rowLook({ paint: own }: Row, index: number, { scheme }: Look): RowLook {
  const name = own ?? order[index % order.length] ?? 'h2d';
  const { fill, text, pattern } = paint(name, scheme);
  const dash = dashes[Math.floor(index / 2) % dashes.length] ?? 'solid';
  return {
    colour: fill,
    symbol: symbols[index % symbols.length] ?? 'circle',
    dash: dash === 'solid' ? dash : [...dash],
    decal: decal(own === undefined ? (patterns[index % patterns.length] ?? 'none') : pattern, text),
  };
}

/** Returns a hatch as an ECharts decal. */
function decal(pattern: Pattern, ink: string): object {
  const color = `${ink}59`;
  switch (pattern) {
    case 'none':
      return { symbol: 'none' };
    case 'dots':
      return { symbol: 'circle', symbolSize: 0.6, color, dashArrayX: [[6, 6]], dashArrayY: [6, 6] };
    default:
      return {
        symbol: 'rect',
        color,
        dashArrayX: [1, 0],
        dashArrayY: pattern === 'sparse' ? [1, 11] : [2, 5],
        rotation: ((pattern === 'falling' ? 1 : -1) * Math.PI) / 4,
      };
  }
}
