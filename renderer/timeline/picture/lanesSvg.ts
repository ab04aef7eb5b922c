/** The lanes of a run's time range as a drawing: the window's content with run name, legend, and every lane. */

import { xmlText } from '../../../core/media.ts';
import type { Drawn } from '../../common/files.ts';
import { type CanvasColours, canvasColours, type PaintName, paint, type Scheme } from '../../common/palette.ts';
import { sans } from '../../common/theme.ts';
import { type HazardsByOp, noHazards } from '../../predict/hazards/hazardsByOp.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { missedIn } from '../../store/opened/missed.ts';
import { axisHeight, paintAxis } from '../painting/axisPainter.ts';
import { type Frame, inPaintOrder } from '../painting/frame.ts';
import { FrameMaker } from '../painting/frameMaker.ts';
import { drawPattern, patternSide } from '../painting/hatch.ts';
import { drawSigns } from '../painting/overlays.ts';
import { drawMarks, paintGround, paintOver } from '../painting/paint.ts';
import type { Sign } from '../painting/signs.ts';
import { operationLabels, rowTitle } from '../rows/describeRow.ts';
import { timeTicks } from '../time/ticks.ts';
import type { TimeView } from '../time/timeView.ts';
import { type Layout, layoutTracks } from '../tracks/layout.ts';
import { arrangementOf } from '../tracks/useArrangement.ts';
import { SvgPen, short } from './svgPen.ts';

function rectangle(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${fill}"${more}/>`;
}

export interface LanesPicture {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly shown: TimeView;
  /** Width of the whole drawing in pixels. */
  readonly width: number;
  readonly scheme: Scheme;
  readonly title: string;
  /** Source of the figures, such as 'Recorded on NVIDIA H200, 20 Nov 2026'. */
  readonly about: string;
  readonly hazards?: HazardsByOp;
}

const gutter = 160;
const head = 52;
const legendLine = 22;
/** Average width of a character, so that nothing is measured. */
const characterWidth = 6.1;

export function lanesSvg(picture: LanesPicture): Drawn {
  const { run, view, width, scheme, hazards = noHazards } = picture;
  const plot = Math.max(width - gutter - 1, 50);
  const layout = layoutTracks(view, {
    height: 0,
    attainable: run.summary?.attainable ?? { h2d: null, d2h: null },
    linkLimit: (direction) => run.linkLimit(direction),
    arrangement: arrangementOf(run),
  });
  const ticks = timeTicks(picture.shown, plot);
  const labels = operationLabels(run.run.info.experiment);
  const frame = new FrameMaker().make({
    ...{ trace: run.run.trace, tracks: layout.tracks, view: picture.shown, ticks, width: plot, height: layout.height },
    ...{ scrollTop: 0, selectedRow: null, selectedOp: null, flows: [], evidence: [], notes: [], area: null },
    hazards,
    missed: missedIn(run, view),
    found: null,
    tones: null,
    labelOf: (row) => rowTitle(run.run.trace, row, labels),
  });
  const colours = canvasColours(scheme);
  const [axis, pen] = [new SvgPen(), new SvgPen()];
  paintAxis(axis, { ticks, view: picture.shown, gutter, width: plot }, colours);
  paintGround(pen, frame, colours);
  paintOver(pen, frame, colours, fitted);
  const top = head + axisHeight;
  const legend = legendOf(frame, width, top + layout.height + 4, colours);
  const height = Math.ceil(legend.bottom + 4);
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${xmlText(sans)}" font-size="11.5">`,
    `<title>${xmlText(picture.title)}</title>`,
    `<defs>${patternsOf(frame, scheme)}<clipPath id="lanes-plot"><rect x="${gutter}" y="${head}" width="${plot}" height="${axisHeight + layout.height}"/></clipPath></defs>`,
    rectangle(0, 0, width, height, colours.surface),
    line(12, 24, picture.title, colours.text, 16, ' font-weight="600"', width - 24),
    line(12, 42, picture.about, colours.textDim, 12, '', width - 24),
    `<g transform="translate(0 ${head})">${axis.text}</g>`,
    gutterOf(layout, top, colours),
    `<g clip-path="url(#lanes-plot)"><g transform="translate(${gutter} ${top})">${pen.text}</g></g>`,
    legend.text,
    '</svg>',
  ].join('\n');
  return { text, width, height };
}

function line(x: number, y: number, words: string, fill: string, size: number, more: string, space: number): string {
  const shown = fitted(words, space, size * 0.53);
  return shown === ''
    ? ''
    : `<text x="${short(x)}" y="${short(y)}" fill="${fill}" font-size="${size}"${more}>${xmlText(shown)}</text>`;
}

/** Returns the text or its beginning; empty if not even a letter fits. */
function fitted(words: string, space: number, each = characterWidth): string {
  const most = Math.floor(space / each);
  if (words.length <= most) return words;
  return most < 2 ? '' : `${words.slice(0, most - 1).trimEnd()}…`;
}

function gutterOf({ rows }: Layout, top: number, colours: CanvasColours): string {
  return rows
    .map(({ name, detail, top: y, height }) => {
      const isTwo = height >= 28 && detail.toLowerCase() !== name.toLowerCase();
      const middle = top + y + Math.min(height, 120) / 2;
      const first = line(12, middle + (isTwo ? -2 : 4), name, colours.text, 12, '', gutter - 20);
      const second = isTwo ? line(12, middle + 12, detail, colours.textDim, 10.5, '', gutter - 20) : '';
      return `${first}${second}`;
    })
    .join('');
}

const drawnPaints = (frame: Frame): PaintName[] =>
  inPaintOrder(frame)
    .filter(({ bars, fills }) => bars.length + fills.length > 0)
    .map((batch) => batch.paint);

const patternsOf = (frame: Frame, scheme: Scheme): string =>
  drawnPaints(frame)
    .filter((name) => paint(name, scheme).pattern !== 'none')
    .map((name) => {
      const pen = new SvgPen();
      drawPattern(pen, paint(name, scheme));
      const size = `width="${patternSide}" height="${patternSide}" patternUnits="userSpaceOnUse"`;
      return `<pattern id="lanes-${name}" ${size}>${pen.text}</pattern>`;
    })
    .join('');

/** Returns the legend of colours, marks and signs in one or more lines. */
function legendOf(frame: Frame, width: number, top: number, colours: CanvasColours) {
  const { scheme, text: ink } = colours;
  let [x, y, text] = [12, top + 6, ''];
  const add = (label: string, symbol: (pen: SvgPen) => void): void => {
    const breadth = 20 + label.length * 6.4 + 18;
    if (x + breadth > width && x > 12) [x, y] = [12, y + legendLine];
    const pen = new SvgPen();
    symbol(pen);
    text += `<g transform="translate(${short(x)} ${short(y)})">${pen.text}</g>`;
    text += `<text x="${short(x + 20)}" y="${short(y + 9.5)}" fill="${ink}">${xmlText(label)}</text>`;
    x += breadth;
  };
  for (const name of drawnPaints(frame)) {
    const { label, fill, pattern } = paint(name, scheme);
    add(label, (pen) => {
      pen.fillStyle = pattern === 'none' ? fill : `url(#lanes-${name})`;
      pen.fillRect(0, 0, 14, 11);
    });
  }
  const mark = (records: readonly number[], waits: readonly number[]) => (pen: SvgPen) =>
    drawMarks(pen, { records, waits }, paint('mark', scheme).fill, colours.surface);
  if (frame.records.length > 0) add('Event recorded', mark([7, 1], []));
  if (frame.waits.length > 0) add('Event wait passed', mark([], [7, 1]));
  const sign = (says: Sign['says']) => (pen: SvgPen) => drawSigns(pen, [{ says, x: 1, y: 0 }], colours);
  if (frame.hazards.length > 0) add('Hazard', sign('hazard'));
  if (frame.missed.length > 0) add('No overlap', sign('missed'));
  return { text, bottom: y - 6 + legendLine };
}
