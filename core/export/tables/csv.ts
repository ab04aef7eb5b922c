/** Comma-separated values (RFC 4180). */
import { csvCell } from '../../media.ts';

export type CsvCell = string | number;

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cellText).join(',')}\r\n`;

const cellText = (value: CsvCell): string => (typeof value === 'number' ? String(value) : csvCell(value));
