/** The lanes of one iteration as text: a line for each host thread, stream and engine, on one time scale. */
import { activity, type Iteration, makespan } from '../../../core/trace/iteration.ts';
import { lanePrefixes, laneTitles } from '../../../core/trace/laneTitles.ts';
import { formatDuration } from '../../../core/units.ts';
import type { Colors } from '../io.ts';
import { type Mark, markOf, paint } from './marks.ts';
import { column, limited } from './text.ts';

const widestName = 24;
const mostLanes = 40;
const idle = '·';

interface Cell {
  readonly mark: Mark;
  /** Share of the cell's time that the activity takes; the largest one is drawn. */
  readonly covered: number;
  readonly first: boolean;
}
type Cells = (Cell | undefined)[];

export function drawLanes(iteration: Iteration, columns: number, colors: Colors): string[] {
  const span = makespan(iteration);
  if (span === null || span <= 0) return ['Nothing was recorded.'];
  const { lanes: own } = iteration.trace;
  const titles = laneTitles(own);
  const names = own.map(({ kind }, index) => lanePrefixes[kind] + (titles[index] ?? ''));
  const nameWidth = Math.min(widestName, Math.max(...names.map((name) => name.length)));
  const width = Math.max(10, columns - nameWidth - 2);
  const lanes = names.map((): Cells => new Array<Cell | undefined>(width).fill(undefined));
  const used = new Map<string, Mark>();
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    const found = activity(iteration.trace, row);
    const mark = markOf(found);
    if (mark === null) continue;
    used.set(mark.letter, mark);
    for (const lane of [found.lane, found.engine]) fill(lanes[lane] ?? [], found, mark, span);
  }
  return [
    `${column('', nameWidth)}  ${scale(span, width)}`,
    ...limited(
      lanes.map((cells, index) => `${column(names[index] ?? '', nameWidth)}  ${draw(cells, colors)}`),
      mostLanes,
    ),
    ...legend([...used.values()], width, colors).map((line) => `${column('', nameWidth)}  ${line}`),
  ];
}

/** Draws an activity shorter than a cell at its start, if nothing longer is there. */
function fill(cells: Cells, { startNs, endNs }: { startNs: number; endNs: number }, mark: Mark, span: number): void {
  const perCell = span / cells.length;
  const last = Math.min(cells.length - 1, Math.max(Math.ceil(endNs / perCell) - 1, Math.floor(startNs / perCell)));
  let first = true;
  for (let index = Math.min(last, Math.floor(startNs / perCell)); index <= last; index += 1) {
    const covered = Math.min(endNs, (index + 1) * perCell) - Math.max(startNs, index * perCell);
    const drawn = cells[index];
    if (drawn !== undefined && drawn.covered >= covered) continue;
    cells[index] = { mark, covered, first };
    first = false;
  }
}

/** Paints neighbours of one colour together. */
function draw(cells: Cells, colors: Colors): string {
  let line = '';
  for (let begin = 0; begin < cells.length; ) {
    const color = cells[begin]?.mark.color;
    let end = begin + 1;
    while (end < cells.length && cells[end]?.mark.color === color) end += 1;
    line += colors[color ?? 'dim'](cells.slice(begin, end).map(cellText).join(''));
    begin = end;
  }
  return line;
}

function cellText(cell: Cell | undefined): string {
  if (cell === undefined) return idle;
  return cell.first ? cell.mark.letter : cell.mark.letter.toLowerCase();
}

/** Returns '0', then times at steps of 1, 2 or 5 times a power of ten, each at its place. */
function scale(span: number, width: number): string {
  const step = niceStep((span / width) * 14);
  let line = '';
  for (let time = 0; time < span; time += step) {
    const at = Math.round((time / span) * width);
    const label = `|${time === 0 ? '0' : formatDuration(time)}`;
    if (at >= line.length && at + label.length <= width) line = line.padEnd(at) + label;
  }
  return line;
}

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

/** Returns the legend of the letters in one or more lines; colours have no width. */
function legend(marks: readonly Mark[], width: number, colors: Colors): string[] {
  const lines: string[] = [];
  let used = width;
  for (const mark of marks) {
    const wide = mark.meaning.length + 2;
    const text = `${paint(colors, mark, mark.letter)} ${mark.meaning}`;
    if (used + 2 + wide > width) {
      lines.push(text);
      used = wide;
    } else {
      lines.push(`${lines.pop() ?? ''}  ${text}`);
      used += 2 + wide;
    }
  }
  return lines;
}
