/**
 * A chart as data: what Chart.tsx draws, what its table shows, and what the exports hold. A chart knows no store: whoever
 * shows one makes a spec from runs, a sweep or a benchmark, and gives it to <Chart spec={…} />.
 *
 * Values are in base units (nanoseconds, bytes, bytes per second, shares from 0 to 1); the chart picks the unit to show.
 * Every chart has a grid of cells: `rows[r].cells[c]` belongs to the column `c`. A cell is a reading, a failure with its
 * reason, or null where there is nothing. Null and failures are never drawn as zero.
 */

import type { RunOrigin } from '../../core/trace/run.ts';
import type { PaintName } from '../common/palette.ts';

export type Unit = 'ns' | 'B' | 'B/s' | 'share' | 'count';

export interface Quantity {
  /** As 'Makespan', without its unit. */
  readonly name: string;
  readonly unit: Unit;
}

/** What was chosen: numbers, or names whose places are the values. */
export interface ChosenQuantity extends Quantity {
  readonly values: readonly number[];
  readonly names?: readonly string[] | null;
}

/** What the figures are. Said in the title, the legend, the table and every export. */
export interface Provenance {
  /** Of everything drawn; more than one where a chart compares. */
  readonly origins: readonly RunOrigin[];
  /** Device or profile, as 'NVIDIA H200'; empty where it isn't known. */
  readonly device: string;
  /** ISO 8601, when the newest of it was made; empty where that isn't known. */
  readonly date: string;
}

/** A median, where `low` to `high` is the spread over `count` iterations. */
export interface Reading {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
  readonly count?: number;
  /** What opens when the point is clicked: given to onOpen. */
  readonly id?: string;
  /** Its own, where points of one chart may be of several. */
  readonly device?: string;
}

/** Shown at its place, with the reason. */
export interface Failure {
  readonly problem: string;
  readonly id?: string;
  /** Its own, where points of one chart may be of several; empty where it isn't known. */
  readonly device?: string;
}

export type Cell = Reading | Failure | null;

export interface Row {
  readonly name: string;
  readonly cells: readonly Cell[];
  /** A colour of the lanes; the next of the chart's own where left out. */
  readonly paint?: PaintName;
  /** Where rows of different origins stand in one chart. */
  readonly origin?: RunOrigin;
  /** A line that nothing can cross, or that is only for comparison: dashed, without points, not opened. */
  readonly isLimit?: boolean;
  /** A second figure of the row before it, in that row's look but thin and dashed. */
  readonly isBeside?: boolean;
}

interface Common {
  /** Without the origin, which is added. */
  readonly title: string;
  readonly provenance: Provenance;
  readonly value: Quantity;
  readonly rows: readonly Row[];
  /** Where the value axis has an end of its own, as 1 for shares: what is larger moves it. */
  readonly most?: number;
}

export interface Category {
  readonly label: string;
  readonly origin?: RunOrigin;
}

/** Lying bars, a group for each category. Bars of several rows stand side by side, or end to end where `stacked`. */
export interface BarSpec extends Common {
  readonly kind: 'bars';
  /** What the categories are, as 'Strategy'. */
  readonly by: string;
  readonly categories: readonly Category[];
  readonly stacked?: boolean;
}

/** A line for each row over the numbers of `x`. */
export interface LineSpec extends Common {
  readonly kind: 'lines';
  readonly x: ChosenQuantity & { readonly scale: 'linear' | 'log' };
}

/** A field for each pair of `x` and `y`: a row for each value of `y`. */
export interface HeatSpec extends Common {
  readonly kind: 'heat';
  readonly x: ChosenQuantity;
  readonly y: ChosenQuantity;
}

export type ChartSpec = BarSpec | LineSpec | HeatSpec;

export const isReading = (cell: Cell | undefined): cell is Reading => cell != null && 'value' in cell;
export const isFailure = (cell: Cell | undefined): cell is Failure => cell != null && 'problem' in cell;

export const originText = ({ origins }: Provenance): string => [...new Set(origins)].join(' and ');

/** 'Makespan by chunk size, simulated'. */
export const fullTitle = ({ title, provenance }: ChartSpec): string => `${title}, ${originText(provenance)}`;

/** 'Simulated on NVIDIA H200, 2026-11-20'. */
export function provenanceLine({ provenance }: ChartSpec): string {
  const text = originText(provenance);
  const on = provenance.device === '' ? '' : ` on ${provenance.device}`;
  const when = provenance.date === '' ? '' : `, ${provenance.date.slice(0, 10)}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${on}${when}`;
}

/** Origin of one cell, as the table and the exports say it. */
export function cellOrigin(spec: ChartSpec, row: Row, column: number): string {
  const category = spec.kind === 'bars' ? spec.categories[column]?.origin : undefined;
  return category ?? row.origin ?? originText(spec.provenance);
}

/** A row's name in the legend, which always says what its numbers are. */
export function legendName(spec: ChartSpec, row: Row): string {
  if (row.isLimit === true) return row.name;
  return `${row.name}, ${row.origin ?? originText(spec.provenance)}`;
}
