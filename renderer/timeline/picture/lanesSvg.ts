/** The lanes of a run's time range as a drawing: the window's content with run name, legend, and every lane. */

import { xmlText } from '../../../core/media.ts';
import type { Drawn } from '../../common/files.ts';
import {
  type CanvasColours,
  canvasColours,
  type PaintName,
  type Pattern,
  paint,
  type Scheme,
} from '../../common/palette.ts';
import { sans } from '../../common/theme.ts';
import { type HazardsByOp, noHazards } from '../../predict/hazards/hazardsByOp.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { missedIn } from '../../store/opened/missed.ts';
import type { Boxes } from '../painting/boxes.ts';
import { type Frame, type FrameBandwidth, type FrameCounter, inPaintOrder } from '../painting/frame.ts';
import { FrameMaker } from '../painting/frameMaker.ts';
import { Signs, signSize } from '../painting/signs.ts';
import { operationLabels, rowTitle } from '../rows/describeRow.ts';
import { labelSpace, timeTicks } from '../time/ticks.ts';
import { type TimeView, toPixels } from '../time/timeView.ts';
import { type Layout, layoutTracks } from '../tracks/layout.ts';
import { arrangementOf } from '../tracks/useArrangement.ts';

/** Formats a number to a hundredth of a pixel. */
const short = (value: number): string => String(Math.round(value * 100) / 100);

function rectangle(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${fill}"${more}/>`;
}

/** Returns all boxes of one colour as one path, since thousands of elements make viewers slow. */
function boxesPath({ values, length }: Boxes, dx: number, dy: number): string {
  let path = '';
  for (let at = 0; at < length; at += 4) {
    const [x = 0, y = 0, width = 0, height = 0] = values.subarray(at, at + 4);
    path += `M${short(x + dx)} ${short(y + dy)}h${short(width)}v${short(height)}h${short(-width)}z`;
  }
  return path;
}

/** Returns the pattern over a fill, as an element that fills can reference. */
function patternElement(id: string, pattern: Pattern, ink: string): string {
  const open = `<pattern id="${id}" width="8" height="8" patternUnits="userSpaceOnUse">`;
  const opacity = pattern === 'sparse' ? 0.28 : 0.2;
  if (pattern === 'dots') {
    const dot = (at: number): string =>
      `<circle cx="${at}" cy="${at}" r="1.1" fill="${ink}" fill-opacity="${opacity}"/>`;
    return `${open}${dot(2)}${dot(6)}</pattern>`;
  }
  const rises = pattern !== 'falling';
  const lines = [-8, 0, 8].map((x) => `M${x} ${rises ? 8 : 0}L${x + 8} ${rises ? 0 : 8}`).join('');
  const width = pattern === 'sparse' ? 1 : 1.5;
  return `${open}<path d="${lines}" stroke="${ink}" stroke-width="${width}" stroke-opacity="${opacity}"/></pattern>`;
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
const axisHeight = 24;
const legendLine = 22;
/** Average width of a character, so that nothing is measured. */
const characterWidth = 6.1;
const groundShare = 0.32;

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
  const top = head + axisHeight;
  const legend = legendOf(frame, width, scheme);
  const height = Math.ceil(top + layout.height + legend.height + 8);
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${xmlText(sans)}" font-size="11.5">`,
    `<title>${xmlText(picture.title)}</title>`,
    `<defs>${patternsOf(frame, scheme)}<clipPath id="lanes-plot"><rect x="${gutter}" y="${head}" width="${plot}" height="${axisHeight + layout.height}"/></clipPath></defs>`,
    rectangle(0, 0, width, height, colours.surface),
    line(12, 24, picture.title, inkOf(scheme), 16, ' font-weight="600"', width - 24),
    line(12, 42, picture.about, colours.textDim, 12, '', width - 24),
    axis(picture, ticks, plot, colours),
    gutterOf(layout, top, scheme, colours),
    `<g clip-path="url(#lanes-plot)">${frameOf(frame, gutter, top, colours)}</g>`,
    legend.at(top + layout.height + 4),
    '</svg>',
  ].join('\n');
  return { text, width, height };
}

const inkOf = (scheme: Scheme): string => (scheme === 'light' ? '#17202c' : '#e4e9f0');

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

function axis(
  { shown }: LanesPicture,
  { ticks, anchorLabel }: ReturnType<typeof timeTicks>,
  plot: number,
  colours: CanvasColours,
): string {
  const middle = head + axisHeight / 2 + 4;
  const marks = ticks.map(({ timeNs, label }) => {
    const x = toPixels(shown, plot, timeNs);
    const words =
      x < plot - labelSpace
        ? `<text x="${short(gutter + x + 6)}" y="${middle}" fill="${colours.textDim}">${xmlText(label)}</text>`
        : '';
    return `${rectangle(gutter + Math.round(x), head, 1, axisHeight, colours.textDim)}${words}`;
  });
  const anchor =
    anchorLabel === null
      ? ''
      : `<text x="${gutter - 8}" y="${middle}" fill="${colours.textDim}" font-weight="600" text-anchor="end">${xmlText(anchorLabel)}</text>`;
  return `${anchor}<g clip-path="url(#lanes-plot)">${marks.join('')}</g>`;
}

function gutterOf({ rows }: Layout, top: number, scheme: Scheme, colours: CanvasColours): string {
  return rows
    .map(({ name, detail, top: y, height }) => {
      const isTwo = height >= 28 && detail.toLowerCase() !== name.toLowerCase();
      const middle = top + y + Math.min(height, 120) / 2;
      const first = line(12, middle + (isTwo ? -2 : 4), name, inkOf(scheme), 12, '', gutter - 20);
      const second = isTwo ? line(12, middle + 12, detail, colours.textDim, 10.5, '', gutter - 20) : '';
      return `${first}${second}`;
    })
    .join('');
}

function frameOf(frame: Frame, dx: number, dy: number, colours: CanvasColours): string {
  const { scheme } = colours;
  const mark = paint('mark', scheme).fill;
  return [
    ...frame.gridX.map((x) => rectangle(dx + Math.round(x), dy, 1, frame.height, colours.line)),
    ...frame.separatorY.map((y) => rectangle(dx, dy + Math.round(y - 1), frame.width, 1, colours.line)),
    ...inPaintOrder(frame).map((batch) => batchOf(batch, dx, dy, scheme)),
    ...frame.bandwidths.map((one) => bandwidthOf(one, frame.width, dx, dy, colours)),
    ...frame.counters.map((one) => counterOf(one, dx, dy, colours)),
    marksOf(frame.strokes, (x, y) => `M${short(dx + x)} ${short(dy + y)}h1v8h-1z`, `fill="${mark}"`),
    marksOf(frame.records, (x, y) => `M${short(dx + x - 4.5)} ${short(dy + y)}h9l-4.5 8z`, `fill="${mark}"`),
    marksOf(
      frame.waits,
      (x, y) => `M${short(dx + x)} ${short(dy + y - 0.5)}l4.5 4.5l-4.5 4.5l-4.5 -4.5z`,
      `fill="${colours.surface}" stroke="${mark}" stroke-width="1.5"`,
    ),
    signsAndLabels(frame, dx, dy, colours),
  ].join('');
}

function batchOf(
  { paint: name, bars, grounds, fills }: Frame['batches'][number],
  dx: number,
  dy: number,
  scheme: Scheme,
): string {
  const { fill, pattern } = paint(name, scheme);
  const path = (boxes: typeof bars, more: string): string =>
    boxes.length === 0 ? '' : `<path d="${boxesPath(boxes, dx, dy)}" ${more}/>`;
  return [
    path(grounds, `fill="${fill}" fill-opacity="${groundShare}"`),
    path(fills, `fill="${fill}"`),
    path(bars, `fill="${fill}"`),
    pattern === 'none' ? '' : path(bars, `fill="url(#lanes-${name})"`),
  ].join('');
}

function bandwidthOf(
  { direction, points, baseline, limitY }: FrameBandwidth,
  width: number,
  dx: number,
  dy: number,
  { scheme, textDim }: CanvasColours,
): string {
  const { fill } = paint(direction, scheme);
  let top = '';
  for (let at = 0; at + 1 < points.length; at += 2) {
    top += `${at === 0 ? 'M' : 'L'}${short(dx + (points[at] ?? 0))} ${short(dy + (points[at + 1] ?? 0))}`;
  }
  const [first = 0] = points;
  const last = points.at(-2) ?? 0;
  const area =
    top === ''
      ? ''
      : `<path d="${top}L${short(dx + last)} ${short(dy + baseline)}L${short(dx + first)} ${short(dy + baseline)}z" fill="${fill}" fill-opacity="0.18"/><path d="${top}" fill="none" stroke="${fill}" stroke-width="1.5"/>`;
  const limit =
    limitY === null
      ? ''
      : `<path d="M${dx} ${short(dy + limitY)}h${short(width)}" stroke="${textDim}" stroke-dasharray="3 3"/>`;
  return `${area}${limit}`;
}

function counterOf(
  { least, most, columns, baseline }: FrameCounter,
  dx: number,
  dy: number,
  { textDim }: CanvasColours,
): string {
  const path = (heights: Float64Array): string => {
    let text = `M${dx} ${short(dy + baseline)}`;
    for (let x = 0; x < columns; ) {
      let next = x + 1;
      while (next < columns && heights[next] === heights[x]) next += 1;
      text += `V${short(dy + baseline - (heights[x] ?? 0))}H${short(dx + next)}`;
      x = next;
    }
    return `${text}V${short(dy + baseline)}z`;
  };
  const of = (heights: Float64Array, opacity: number): string =>
    `<path d="${path(heights)}" fill="${textDim}" fill-opacity="${opacity}"/>`;
  return `${of(most, 0.4)}${of(least, 0.22)}`;
}

function marksOf(tips: readonly number[], shape: (x: number, y: number) => string, look: string): string {
  let path = '';
  for (let at = 0; at + 1 < tips.length; at += 2) path += shape(tips[at] ?? 0, tips[at + 1] ?? 0);
  return path === '' ? '' : `<path d="${path}" ${look}/>`;
}

function signsAndLabels(frame: Frame, dx: number, dy: number, colours: CanvasColours): string {
  const signs = new Signs(frame.hazards, frame.missed);
  const words = frame.labels.map(({ x, y, width, height, text, paint: name }) => {
    const indent = signs.indent(x, y);
    const shown = fitted(text, width - 5 - indent);
    if (shown === '') return '';
    return `<text x="${short(dx + x + indent)}" y="${short(dy + y + height / 2 + 4)}" fill="${paint(name, colours.scheme).text}">${xmlText(shown)}</text>`;
  });
  const drawn = signs.all.map(({ says, x, y }) => (says === 'missed' ? disc : triangle)(dx + x, dy + y, colours));
  return [...words, ...drawn].join('');
}

/** Returns a crossed disc for a missed overlap. */
function disc(x: number, y: number, { missed, surface }: CanvasColours): string {
  const [middle, down] = [x + signSize / 2, y + signSize / 2];
  const cross = `M${short(middle - 2.2)} ${short(down - 2.2)}l4.4 4.4m0 -4.4l-4.4 4.4`;
  return `<circle cx="${short(middle)}" cy="${short(down)}" r="${signSize / 2 - 0.5}" fill="${missed}" stroke="${surface}"/><path d="${cross}" stroke="${surface}" stroke-width="1.6"/>`;
}

/** Returns a warning triangle for a hazard. */
function triangle(x: number, y: number, { hazard, surface }: CanvasColours): string {
  const outline = `M${short(x + signSize / 2)} ${short(y + 1)}L${short(x + signSize)} ${short(y + signSize)}H${short(x)}z`;
  return `<path d="${outline}" fill="${hazard}" stroke="${surface}"/>${rectangle(x + signSize / 2 - 0.7, y + 4.5, 1.4, 3.6, surface)}`;
}

const ink = (text: string, pattern: string): string =>
  pattern === 'sparse' ? text : text === '#ffffff' ? '#000000' : '#ffffff';

const drawnPaints = (frame: Frame): PaintName[] =>
  inPaintOrder(frame)
    .filter(({ bars, fills }) => bars.length + fills.length > 0)
    .map((batch) => batch.paint);

const patternsOf = (frame: Frame, scheme: Scheme): string =>
  drawnPaints(frame)
    .map((name) => {
      const { pattern, text } = paint(name, scheme);
      return pattern === 'none' ? '' : patternElement(`lanes-${name}`, pattern, ink(text, pattern));
    })
    .join('');

interface Legend {
  readonly height: number;
  at(top: number): string;
}

/** Returns the legend of the colours in one or more lines. */
function legendOf(frame: Frame, width: number, scheme: Scheme): Legend {
  let [x, row] = [12, 0];
  const items = drawnPaints(frame).map((name) => {
    const { label, fill, pattern } = paint(name, scheme);
    const breadth = 20 + label.length * 6.4 + 18;
    if (x + breadth > width && x > 12) [x, row] = [12, row + 1];
    const place = { x, row };
    x += breadth;
    return (top: number): string => {
      const y = top + place.row * legendLine + 6;
      const hatch = pattern === 'none' ? '' : rectangle(place.x, y, 14, 11, `url(#lanes-${name})`);
      return `${rectangle(place.x, y, 14, 11, fill, ' rx="2"')}${hatch}<text x="${short(place.x + 20)}" y="${short(y + 9.5)}" fill="${inkOf(scheme)}">${xmlText(label)}</text>`;
    };
  });
  return { height: (row + 1) * legendLine, at: (top) => items.map((item) => item(top)).join('') };
}
