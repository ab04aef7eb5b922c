/**
 * A chart as data: Chart.tsx draws it, its table shows it, and exports hold it. A chart knows no store: a view makes a
 * spec from runs, a sweep or a benchmark, and passes it to <Chart spec={…} />.
 *
 * Values are in base units (nanoseconds, bytes, bytes per second, shares from 0 to 1); the chart picks the unit to
 * show. Every chart has a grid of cells: `rows[r].cells[c]` belongs to the column `c`. A cell is a reading, a failure
 * with its reason, or null if it is empty. Null and failures are never drawn as zero.
 */

import type { RunOrigin } from '../../core/trace/run.ts';
import type { PaintName } from '../common/palette.ts';

export type Unit = 'ns' | 'B' | 'B/s' | 'share' | 'count';

export interface Quantity {
  /** Name without a unit, such as 'Makespan'. */
  readonly name: string;
  readonly unit: Unit;
}

/** Values of an axis: numbers, or indices into `names`. */
export interface ChosenQuantity extends Quantity {
  readonly values: readonly number[];
  readonly names?: readonly string[] | null;
}

/** Source of the figures, shown in the title, the legend, the table and every export. */
export interface Provenance {
  /** Origins of all drawn figures; several if the chart compares runs. */
  readonly origins: readonly RunOrigin[];
  /** Device or profile, such as 'NVIDIA H200'; empty if unknown. */
  readonly device: string;
  /** Time of the newest figure in ISO 8601; empty if unknown. */
  readonly date: string;
}

/** A median; `low` to `high` is the spread over `count` iterations. */
export interface Reading {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
  readonly count?: number;
  /** Passed to onOpen if the point is clicked. */
  readonly id?: string;
  /** Device of this point, if the chart has points of several. */
  readonly device?: string;
}

/** A point that failed, shown at its place with the reason. */
export interface Failure {
  readonly problem: string;
  readonly id?: string;
  /** Device of this point, if the chart has points of several; empty if unknown. */
  readonly device?: string;
}

export type Cell = Reading | Failure | null;

export interface Row {
  readonly name: string;
  readonly cells: readonly Cell[];
  /** A colour of the lanes; left out, the chart picks its next colour. */
  readonly paint?: PaintName;
  /** Origin of this row, if rows of several origins are in one chart. */
  readonly origin?: RunOrigin;
  /** A limit or a reference: drawn dashed, without points, and not opened. */
  readonly isLimit?: boolean;
  /** A second figure of the row before it, drawn in that row's look but thin and dashed. */
  readonly isBeside?: boolean;
}

interface Common {
  /** Title without the origin, which is added. */
  readonly title: string;
  readonly provenance: Provenance;
  readonly value: Quantity;
  readonly rows: readonly Row[];
  /** End of the value axis, such as 1 for shares. A larger value moves it. */
  readonly most?: number;
}

export interface Category {
  readonly label: string;
  readonly origin?: RunOrigin;
}

/** Horizontal bars, a group for each category. Bars of several rows are side by side, or end to end if `stacked`. */
export interface BarSpec extends Common {
  readonly kind: 'bars';
  /** Kind of the categories, such as 'Strategy'. */
  readonly by: string;
  readonly categories: readonly Category[];
  readonly stacked?: boolean;
}

/** A line for each row over the numbers of `x`. */
export interface LineSpec extends Common {
  readonly kind: 'lines';
  readonly x: ChosenQuantity & { readonly scale: 'linear' | 'log' };
}

/** A field for each pair of `x` and `y`, with one row for each value of `y`. */
export interface HeatSpec extends Common {
  readonly kind: 'heat';
  readonly x: ChosenQuantity;
  readonly y: ChosenQuantity;
}

export type ChartSpec = BarSpec | LineSpec | HeatSpec;

export const isReading = (cell: Cell | undefined): cell is Reading => cell != null && 'value' in cell;
export const isFailure = (cell: Cell | undefined): cell is Failure => cell != null && 'problem' in cell;

export const originText = ({ origins }: Provenance): string => [...new Set(origins)].join(' and ');

/** Returns a title such as 'Makespan by chunk size, simulated'. */
export const fullTitle = ({ title, provenance }: ChartSpec): string => `${title}, ${originText(provenance)}`;

/** Returns text such as 'Simulated on NVIDIA H200, 2026-11-20'. */
export function provenanceLine({ provenance }: ChartSpec): string {
  const text = originText(provenance);
  const on = provenance.device === '' ? '' : ` on ${provenance.device}`;
  const when = provenance.date === '' ? '' : `, ${provenance.date.slice(0, 10)}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${on}${when}`;
}

/** Returns the origin of one cell, as the table and the exports show it. */
export function cellOrigin(spec: ChartSpec, row: Row, column: number): string {
  const category = spec.kind === 'bars' ? spec.categories[column]?.origin : undefined;
  return category ?? row.origin ?? originText(spec.provenance);
}

/** Returns a row's name in the legend with the origin of its figures. */
export function legendName(spec: ChartSpec, row: Row): string {
  if (row.isLimit === true) return row.name;
  return `${row.name}, ${row.origin ?? originText(spec.provenance)}`;
}
