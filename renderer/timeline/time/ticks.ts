/** The time axis: round steps, and labels that stay short at any zoom. */
import type { TimeView } from './timeView.ts';

export interface Tick {
  readonly timeNs: number;
  readonly label: string;
}

export interface Ticks {
  readonly ticks: readonly Tick[];
  readonly stepNs: number;
  /** Time from which labels count if they would be too long, such as '+40 ns' after '1.23 ms'. */
  readonly anchorLabel: string | null;
}

const units = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
] as const;

/** Longest fraction of a label before labels count from an anchor. */
const mostDecimals = 3;

/** Returns the smallest of 1, 2 or 5 times a power of ten that is at least `least`, and at least 1 ns. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const step = [1, 2, 5, 10].find((candidate) => candidate * power >= least * 0.999999) ?? 10;
  return Math.max(step * power, 1);
}

/** Maximum width of a label; a tick closer to the right edge has none. */
export const labelSpace = 64;

/** Least distance of two ticks in pixels. */
const spacing = 90;

/** Returns ticks for a view drawn `width` pixels wide. */
export function timeTicks(view: TimeView, width: number): Ticks {
  const span = view.endNs - view.startNs;
  if (!(span > 0) || !(width > 0)) return { ticks: [], stepNs: 1, anchorLabel: null };
  const stepNs = roundStep((span * spacing) / width);
  const [unit, name] = unitOf(Math.max(Math.abs(view.startNs), Math.abs(view.endNs)));
  const decimals = Math.max(0, Math.ceil(Math.log10(unit / stepNs) - 1e-9));
  return decimals <= mostDecimals
    ? { ticks: places(view, stepNs, (time) => label(time / unit, decimals, name)), stepNs, anchorLabel: null }
    : anchored(view, stepNs);
}

function anchored(view: TimeView, stepNs: number): Ticks {
  const [unit, name] = unitOf(stepNs);
  const coarse = unit * 1000;
  const anchor = Math.floor(Math.max(view.startNs, 0) / coarse) * coarse;
  const [anchorUnit, anchorName] = unitOf(anchor);
  const decimals = Math.max(0, Math.round(Math.log10(anchorUnit / coarse)));
  return {
    ticks: places(view, stepNs, (time) => `+${label((time - anchor) / unit, 0, name)}`),
    stepNs,
    anchorLabel: label(anchor / anchorUnit, decimals, anchorName),
  };
}

function unitOf(magnitude: number): readonly [factor: number, name: string] {
  return units.find(([factor]) => magnitude >= factor) ?? [1, 'ns'];
}

function places(view: TimeView, stepNs: number, text: (timeNs: number) => string): Tick[] {
  const first = Math.ceil(Math.max(view.startNs, 0) / stepNs);
  const last = Math.floor(view.endNs / stepNs);
  const count = Math.max(0, Math.min(last - first + 1, 1000));
  return Array.from({ length: count }, (_, index) => {
    const timeNs = (first + index) * stepNs;
    return { timeNs, label: text(timeNs) };
  });
}

const label = (value: number, decimals: number, unit: string): string =>
  value === 0 ? '0' : `${value.toFixed(decimals)} ${unit}`;

/** Times to the nanosecond, for deep zoom. */
const exactUnits = [
  [1e9, 's', 9],
  [1e6, 'ms', 6],
  [1e3, 'µs', 3],
] as const;

/** Returns '1.234567 ms', '380 µs' or '12 ns', with all significant digits and no trailing zeros. */
export function exactTime(ns: number): string {
  const whole = Math.round(ns);
  const found = exactUnits.find(([factor]) => Math.abs(whole) >= factor);
  if (found === undefined) return `${whole} ns`;
  const [factor, name, digits] = found;
  return `${(whole / factor).toFixed(digits).replace(/\.?0+$/, '')} ${name}`;
}
