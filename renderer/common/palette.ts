/**
 * Colours of activities. People with any common colour deficiency can tell blue, green and orange apart, and each kind
 * has a second cue: a pattern, a shape or its label. Text on a fill has a contrast of at least 4.5 to 1.
 */
import {
  type CopyDirection,
  copyDirection,
  memoryKinds,
  type RowIndex,
  type RowKind,
  rowKinds,
  type Trace,
} from '../../core/trace/trace.ts';

export type Scheme = 'light' | 'dark';

/** Paints of activities: by direction for copies, by kind for the rest. */
export const paintNames = [
  'h2d',
  'd2h',
  'd2d',
  'h2h',
  'kernel',
  'memset',
  'host-function',
  'host-call',
  'host-sync',
  'host-work',
  'host-access',
  'host-range',
  'mark',
] as const;
export type PaintName = (typeof paintNames)[number];

export type Pattern = 'none' | 'rising' | 'falling' | 'dots' | 'sparse';

export interface Paint {
  readonly label: string;
  readonly fill: string;
  readonly text: string;
  readonly pattern: Pattern;
}

type Tones = Readonly<Record<Scheme, readonly [fill: string, text: string]>>;

const tones: Readonly<Record<PaintName, Tones>> = {
  h2d: { light: ['#1668b8', '#ffffff'], dark: ['#5ab0f0', '#06131f'] },
  d2h: { light: ['#b04a05', '#ffffff'], dark: ['#f5a742', '#1d1200'] },
  d2d: { light: ['#6d5bc4', '#ffffff'], dark: ['#b3a5f5', '#110b2c'] },
  h2h: { light: ['#7a4f1e', '#ffffff'], dark: ['#d3b08a', '#1c1206'] },
  kernel: { light: ['#0a7a58', '#ffffff'], dark: ['#3bcb9d', '#03150e'] },
  memset: { light: ['#5d6b06', '#ffffff'], dark: ['#c3d14a', '#151900'] },
  'host-function': { light: ['#8a3d78', '#ffffff'], dark: ['#e09ad0', '#1f0a1a'] },
  'host-call': { light: ['#4a5a70', '#ffffff'], dark: ['#a9b6c9', '#0d1219'] },
  'host-sync': { light: ['#d3dae4', '#2a3443'], dark: ['#3a4658', '#e4e9f0'] },
  'host-work': { light: ['#8e3f86', '#ffffff'], dark: ['#dd9ad6', '#1d0a1b'] },
  'host-access': { light: ['#6b5420', '#ffffff'], dark: ['#dcc58d', '#1a1404'] },
  'host-range': { light: ['#e8edf3', '#2a3443'], dark: ['#2a3443', '#dbe2eb'] },
  mark: { light: ['#17202c', '#ffffff'], dark: ['#e4e9f0', '#10161e'] },
};

const labels: Readonly<Record<PaintName, string>> = {
  h2d: 'H2D copy',
  d2h: 'D2H copy',
  d2d: 'D2D copy',
  h2h: 'H2H copy',
  kernel: 'Kernel',
  memset: 'Memset',
  'host-function': 'Host function',
  'host-call': 'Host call',
  'host-sync': 'Host waits',
  'host-work': 'Host work',
  'host-access': 'Host read or write',
  'host-range': 'Range',
  mark: 'Event',
};

const patterns: Partial<Readonly<Record<PaintName, Pattern>>> = {
  h2d: 'rising',
  d2h: 'falling',
  d2d: 'dots',
  h2h: 'dots',
  'host-sync': 'sparse',
  'host-function': 'dots',
};

export function paint(name: PaintName, scheme: Scheme): Paint {
  const [fill, text] = tones[name][scheme];
  return { label: labels[name], fill, text, pattern: patterns[name] ?? 'none' };
}

const kindPaints: Readonly<Record<Exclude<RowKind, 'copy'>, PaintName>> = {
  'host-call': 'host-call',
  'host-sync': 'host-sync',
  'host-work': 'host-work',
  'host-read': 'host-access',
  'host-write': 'host-access',
  'host-range': 'host-range',
  kernel: 'kernel',
  memset: 'memset',
  'host-function': 'host-function',
  'event-record': 'mark',
  'event-wait': 'mark',
};

/** Returns the paint of an activity. A copy without a recorded direction is painted as device to device. */
export function paintOf(kind: RowKind, direction: CopyDirection | null): PaintName {
  return kind === 'copy' ? (direction ?? 'd2d') : kindPaints[kind];
}

/** Colours of the style sheet that the canvas needs, since it can't read them by name. */
export interface CanvasColours {
  readonly scheme: Scheme;
  readonly line: string;
  readonly text: string;
  readonly textDim: string;
  readonly selected: string;
  readonly accent: string;
  readonly surface: string;
  readonly note: string;
  readonly hazard: string;
  readonly missed: string;
}

const canvas: Readonly<Record<Scheme, Omit<CanvasColours, 'scheme'>>> = {
  light: {
    line: '#e6ebf1',
    text: '#17202c',
    textDim: '#536074',
    selected: '#d6006c',
    accent: '#1668b8',
    surface: '#ffffff',
    note: '#8a4b00',
    hazard: '#b3261e',
    missed: '#8a4b00',
  },
  dark: {
    line: '#263140',
    text: '#e4e9f0',
    textDim: '#a3afbf',
    selected: '#ff7ac0',
    accent: '#5ab0f0',
    surface: '#171e28',
    note: '#f2b45c',
    hazard: '#ff8f86',
    missed: '#f2b45c',
  },
};

export const canvasColours = (scheme: Scheme): CanvasColours => ({ scheme, ...canvas[scheme] });

/** Index into paintNames. */
export type PaintCode = number;

const copyCode = rowKinds.indexOf('copy');
const unknownPaint = 255;
const paintCodeOf = (name: PaintName): PaintCode => paintNames.indexOf(name);
const paintOfKind = Uint8Array.from(rowKinds, (kind) => paintCodeOf(paintOf(kind, null)));
const paintOfCopy = Uint8Array.from(
  memoryKinds.flatMap((src) =>
    memoryKinds.map((dst) => {
      const direction = copyDirection(src, dst);
      return direction === null ? unknownPaint : paintCodeOf(paintOf('copy', direction));
    }),
  ),
);

export function paintCode({ columns, lanes }: Trace, row: RowIndex): PaintCode {
  const kind = columns.kind[row] as number;
  if (kind !== copyCode) return paintOfKind[kind] as number;
  const memory = (columns.srcMemory[row] as number) * memoryKinds.length + (columns.dstMemory[row] as number);
  const code = paintOfCopy[memory] as number;
  if (code !== unknownPaint) return code;
  return paintCodeOf(paintOf('copy', lanes[columns.engine[row] as number]?.direction ?? null));
}

export const paintOfRow = (trace: Trace, row: RowIndex): PaintName => paintNames[paintCode(trace, row)] ?? 'mark';
