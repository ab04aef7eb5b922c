/** A benchmark as text for people: a table a section, and beneath it what was waived or failed. */
import { describeError } from '../errors.ts';
import { formatDuration, formatRate } from '../units.ts';
import { type BenchDocument, type BenchRow, type BenchSection, benchSections, type Figure } from './document.ts';

const titles: Readonly<Record<BenchSection, string>> = {
  copies: 'Copies between host and device: bytes moved over device time (pageable: over host time)',
  latency: 'Latency of one copy: host time from the call to the end of a synchronise',
  device: 'Copies within the device: each byte counted once, though it is read and written',
  bidirectional: 'Both directions at once, pinned',
  peer: 'Copies between devices',
  links: 'Links of two devices at once, and one payload over both: host time',
  small: 'Many small copies, H2D from pinned memory: host time until all have arrived',
  launch: 'Launches, with the stream held while the host submits',
  queue: 'Depth of the launch queue',
  submit: 'Submitting: the experiment engine beside a loop written by hand, taken in turns',
};

/** Cells of each section's table, the first row and column being headings. */
export interface SectionTable {
  readonly section: BenchSection;
  readonly title: string;
  readonly cells: readonly (readonly string[])[];
  readonly remarks: readonly string[];
}

export function benchTables({ rows }: BenchDocument): SectionTable[] {
  return benchSections.flatMap((section) => {
    const own = rows.filter((row) => row.section === section);
    return own.length === 0 ? [] : [sectionTable(section, own)];
  });
}

export const formatFigure = ({ unit, median }: Figure): string => formatValue(unit, median);

export function formatValue(unit: Figure['unit'], value: number): string {
  if (unit === 'B/s') return formatRate(value);
  return unit === 'ns' ? formatDuration(value) : value.toFixed(0);
}

function sectionTable(section: BenchSection, rows: readonly BenchRow[]): SectionTable {
  const byFigure = rows.every(({ column }) => column === '');
  const measured = rows.filter(({ figures }) => figures.length > 0);
  const columns = unique(
    byFigure ? measured.flatMap(({ figures }) => figures.map(({ name }) => name)) : rows.map(({ column }) => column),
  );
  const cell = (row: string, column: string): string => {
    const found = rows.find((one) => one.row === row && (byFigure || one.column === column));
    if (found === undefined) return '';
    if (found.status !== 'done') return found.status;
    const shown = byFigure ? found.figures.find(({ name }) => name === column) : found.figures[0];
    return shown === undefined ? '' : formatFigure(shown);
  };
  const body = unique(rows.map(({ row }) => row)).map((row) => [row, ...columns.map((column) => cell(row, column))]);
  return { section, title: titles[section], cells: [['', ...columns], ...body], remarks: remarks(rows) };
}

function remarks(rows: readonly BenchRow[]): string[] {
  const spreads = rows.flatMap(({ status, figures }) => (status === 'done' ? figures.slice(0, 1) : [])).map(spread);
  const checked = rows.reduce((sum, { verification }) => sum + (verification?.bytesChecked ?? 0), 0);
  return [
    ...(spreads.length === 0
      ? []
      : [`Medians; half of least to most is at most ${Math.max(...spreads).toFixed(1)} % of them.`]),
    ...(checked === 0 ? [] : [`Verified: ${checked} bytes.`]),
    ...unique(
      rows.flatMap(({ status, reason }) => (status === 'waived' ? [`Waived: ${reason ?? 'no reason given'}.`] : [])),
    ),
    ...rows.flatMap(({ status, error, row, column }) =>
      status !== 'failed' || error === undefined ? [] : [`Failed: ${row} ${column}: ${describeError(error)}`],
    ),
  ];
}

const spread = ({ median, least, most }: Figure): number => (median === 0 ? 0 : (50 * (most - least)) / median);

const unique = (values: readonly string[]): string[] => [...new Set(values)];
