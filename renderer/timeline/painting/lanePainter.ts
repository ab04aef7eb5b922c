/**
 * Draws frames on our own canvas. Bars and other shapes in thousands go straight into pixels; the few labels, outlines
 * and arrows are drawn over them. ECharts took a microsecond per bar, and some milliseconds per frame.
 */

import { type CanvasColours, paint } from '../../common/palette.ts';
import { sans } from '../../common/theme.ts';
import { pixelRatioOf } from '../../common/zoomed.ts';
import type { Box, Boxes } from './boxes.ts';
import { type Batch, type Frame, type FrameBandwidth, type FrameCounter, inPaintOrder } from './frame.ts';
import { hatchTile } from './hatch.ts';
import { arrows, drawFound, drawNotes, drawSigns, outline } from './overlays.ts';
import { mixed, type Pixel, pixel, Raster } from './raster.ts';
import { Signs } from './signs.ts';

/** Shortens texts to the available space. Each text is measured once, since labels recur in every frame. */
const mostKept = 5000;
const ellipsis = '…';

class Labels {
  readonly #context: CanvasRenderingContext2D;
  readonly #font: string;
  readonly #widths = new Map<string, number>();

  constructor(context: CanvasRenderingContext2D, font: string) {
    this.#context = context;
    this.#font = font;
  }

  /** Returns the text or its beginning; empty if not even a letter fits. */
  fit(text: string, space: number): string {
    const whole = this.#width(text);
    if (whole <= space) return text;
    // Estimated by the mean width of the letters, less one letter for wider ones.
    const letters = Math.floor((text.length * (space - this.#width(ellipsis))) / whole) - 1;
    return letters < 1 ? '' : `${text.slice(0, letters).trimEnd()}${ellipsis}`;
  }

  #width(text: string): number {
    const known = this.#widths.get(text);
    if (known !== undefined) return known;
    if (this.#widths.size >= mostKept) this.#widths.clear();
    this.#context.font = this.#font;
    const { width } = this.#context.measureText(text);
    this.#widths.set(text, width);
    return width;
  }
}

/** Canvas text uses the window's font. */
const font = `11.5px ${sans}`;
const groundShare = 0.32;
const bandwidthShare = 0.18;
/** Shares of a counter's colour: below the least value of a pixel, and from there to the most. */
const counterShare = 0.22;
const counterRangeShare = 0.5;
const leastPatternWidth = 6;
const hazardBand = 4;

export class LanePainter {
  readonly #canvas = document.createElement('canvas');
  readonly #context: CanvasRenderingContext2D;
  readonly #labels: Labels;
  #image: ImageData | null = null;
  #raster = new Raster(0, 0);
  #ratio = 1;

  constructor(container: HTMLElement) {
    // Kept in main memory, since every frame writes to it.
    const context = this.#canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    if (context === null) throw new Error('this browser has no canvas');
    this.#context = context;
    this.#labels = new Labels(context, font);
    this.#canvas.style.display = 'block';
    container.append(this.#canvas);
  }

  dispose(): void {
    this.#canvas.remove();
  }

  draw(frame: Frame, colours: CanvasColours): void {
    this.#resize(frame.width, frame.height);
    if (this.#image === null) return;
    this.#fill(frame, colours);
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.#image, 0, 0);
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    this.#drawOver(frame, colours);
  }

  #resize(width: number, height: number): void {
    const ratio = pixelRatioOf(this.#canvas);
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.#ratio = ratio;
    if (across === this.#raster.width && down === this.#raster.height) return;
    this.#canvas.width = across;
    this.#canvas.height = down;
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${height}px`;
    this.#image = across > 0 && down > 0 ? this.#context.createImageData(across, down) : null;
    this.#raster = new Raster(
      across,
      down,
      this.#image === null ? undefined : new Uint32Array(this.#image.data.buffer),
    );
  }

  /** Draws from the background up: lines, bars, bandwidth, dense marks, and the bands of hazards. */
  #fill(frame: Frame, colours: CanvasColours): void {
    const surface = pixel(colours.surface);
    this.#raster.clear(surface);
    this.#lines(frame, pixel(colours.line));
    for (const batch of inPaintOrder(frame)) this.#batch(batch, surface, colours);
    for (const bandwidth of frame.bandwidths) this.#bandwidth(bandwidth, frame.width, surface, colours);
    for (const counter of frame.counters) this.#counter(counter, surface, colours);
    this.#strokes(frame.strokes, pixel(paint('mark', colours.scheme).fill));
    this.#bands(frame.hazards, surface, pixel(colours.hazard));
  }

  #lines({ gridX, separatorY, pinnedHeight, width, height }: Frame, colour: Pixel): void {
    for (const x of gridX) this.#rectangle(Math.round(x), 0, 1, height, colour);
    for (const y of separatorY) this.#rectangle(0, Math.round(y - 1), width, 1, colour);
    if (pinnedHeight > 0) this.#rectangle(0, pinnedHeight - 2, width, 2, colour);
  }

  #batch({ paint: name, bars, grounds, fills }: Batch, surface: Pixel, { scheme }: CanvasColours): void {
    const { fill, pattern } = paint(name, scheme);
    const colour = pixel(fill);
    const ground = mixed(colour, surface, groundShare);
    this.#each(grounds, (x, y, width, height) => this.#rectangle(x, y, width, height, ground));
    const ratio = this.#ratio;
    this.#each(fills, (x, y, width, height) => {
      const [left, right] = [Math.round(x * ratio), Math.round((x + width) * ratio)];
      this.#raster.fillColumn(left, right - left, y * ratio, Math.round((y + height) * ratio), colour);
    });
    const tile = pattern === 'none' || bars.length === 0 ? null : hatchTile(name, scheme, ratio);
    this.#each(bars, (x, y, width, height) => {
      if (tile === null || width < leastPatternWidth) this.#rectangle(x, y, width, height, colour);
      else {
        const [left, top] = [Math.round(x * ratio), Math.round(y * ratio)];
        const [right, bottom] = [Math.round((x + width) * ratio), Math.round((y + height) * ratio)];
        this.#raster.tile(left, top, right - left, bottom - top, tile);
      }
    });
  }

  #bandwidth(
    { direction, points, baseline, limitY, clipY }: FrameBandwidth,
    width: number,
    surface: Pixel,
    colours: CanvasColours,
  ) {
    const line = pixel(paint(direction, colours.scheme).fill);
    const area = mixed(line, surface, bandwidthShare);
    let before = baseline;
    for (let at = 0; at + 3 < points.length; at += 4) {
      const [x, right] = [points[at] as number, points[at + 2] as number];
      const y = Math.max(points[at + 1] as number, clipY);
      this.#rectangle(x, y, right - x, baseline - y, area);
      if (y < baseline || before < baseline) {
        const top = Math.min(y, before);
        this.#rectangle(x, top, 1, Math.max(Math.max(y, before) - top, 1), line);
        if (y > clipY) this.#rectangle(x, y - 0.5, Math.max(right - x, 1), 1.5, line);
      }
      before = y;
    }
    if (limitY === null || limitY < clipY) return;
    const dash = pixel(colours.textDim);
    for (let x = 0; x < width; x += 6) this.#rectangle(x, Math.round(limitY), 3, 1, dash);
  }

  /** Fills a counter up to a pixel's least value, and in another shade up to its most; equal neighbours are one box. */
  #counter({ least, most, columns, baseline, clipY }: FrameCounter, surface: Pixel, { textDim }: CanvasColours): void {
    const line = pixel(textDim);
    const [area, range] = [mixed(line, surface, counterShare), mixed(line, surface, counterRangeShare)];
    for (let x = 0; x < columns; ) {
      const [low, high] = [least[x] as number, most[x] as number];
      let next = x + 1;
      while (next < columns && least[next] === low && most[next] === high) next += 1;
      const top = Math.max(baseline - high, clipY);
      if (high > 0) {
        this.#rectangle(x, Math.max(baseline - low, top), next - x, Math.min(low, baseline - top), area);
        this.#rectangle(x, top, next - x, baseline - low - top, range);
        if (top > clipY) this.#rectangle(x, top - 0.5, next - x, 1.5, line);
      }
      x = next;
    }
  }

  #strokes(marks: readonly number[], colour: Pixel): void {
    for (let at = 0; at + 1 < marks.length; at += 2) {
      this.#rectangle(Math.floor(marks[at] as number), marks[at + 1] as number, 1, 8, colour);
    }
  }

  /** Draws a striped band at the foot of a bar in a hazard; drawSigns() adds a sign. */
  #bands(boxes: readonly Box[], surface: Pixel, colour: Pixel): void {
    for (const box of boxes) {
      const height = Math.min(hazardBand, box.height / 2);
      const [y, end] = [box.y + box.height - height, box.x + box.width];
      this.#rectangle(box.x, y, box.width, height, surface);
      for (let x = box.x; x < end; x += 6) this.#rectangle(x, y, Math.min(3, end - x), height, colour);
    }
  }

  #each(boxes: Boxes, draw: (x: number, y: number, width: number, height: number) => void): void {
    const { values, length } = boxes;
    for (let at = 0; at < length; at += 4) {
      draw(values[at] as number, values[at + 1] as number, values[at + 2] as number, values[at + 3] as number);
    }
  }

  /** Takes pixels of the window; edges go to the nearest pixel of the screen. */
  #rectangle(x: number, y: number, width: number, height: number, colour: Pixel): void {
    const ratio = this.#ratio;
    const [left, top] = [Math.round(x * ratio), Math.round(y * ratio)];
    this.#raster.fill(
      left,
      top,
      Math.round((x + width) * ratio) - left,
      Math.round((y + height) * ratio) - top,
      colour,
    );
  }

  #drawOver(frame: Frame, colours: CanvasColours): void {
    const context = this.#context;
    if (frame.area !== null) this.#area(frame, frame.area, colours);
    const mark = paint('mark', colours.scheme).fill;
    if (frame.records.length > 0) fillTriangles(context, frame.records, mark);
    if (frame.waits.length > 0) strokeDiamonds(context, frame.waits, mark, colours.surface);
    const signs = new Signs(frame.hazards, frame.missed);
    this.#drawLabels(frame, signs, colours);
    if (frame.found !== null) drawFound(context, frame.found, frame, colours);
    drawSigns(context, signs.all, colours);
    drawNotes(context, frame, colours.note);
    outline(context, frame.joined, colours.selected, [4, 2]);
    arrows(context, frame.arrows.issues, colours.selected, []);
    arrows(context, frame.arrows.releases, colours.selected, [5, 3]);
    outline(context, frame.selected, colours.selected, []);
  }

  #area({ height }: Frame, { x, width }: NonNullable<Frame['area']>, { accent }: CanvasColours): void {
    const context = this.#context;
    context.fillStyle = accent;
    context.globalAlpha = 0.16;
    context.fillRect(x, 0, width, height);
    context.globalAlpha = 1;
    context.fillRect(x, 0, 1, height);
    context.fillRect(x + width - 1, 0, 1, height);
  }

  #drawLabels({ labels }: Frame, signs: Signs, { scheme }: CanvasColours): void {
    const context = this.#context;
    context.font = font;
    context.textBaseline = 'middle';
    for (const { x, y, width, height, text, paint: name } of labels) {
      context.fillStyle = paint(name, scheme).text;
      const indent = signs.indent(x, y);
      const shown = this.#labels.fit(text, width - 5 - indent);
      if (shown !== '') context.fillText(shown, x + indent, y + height / 2 + 0.5);
    }
  }
}

/** Draws recorded events: triangles that point at their times. */
function fillTriangles(context: CanvasRenderingContext2D, tips: readonly number[], colour: string): void {
  context.beginPath();
  for (let at = 0; at + 1 < tips.length; at += 2) {
    const [x, y] = [tips[at] as number, tips[at + 1] as number];
    context.moveTo(x - 4.5, y);
    context.lineTo(x + 4.5, y);
    context.lineTo(x, y + 8);
    context.closePath();
  }
  context.fillStyle = colour;
  context.fill();
}

/** Draws passed waits: diamonds. */
function strokeDiamonds(
  context: CanvasRenderingContext2D,
  tips: readonly number[],
  stroke: string,
  fill: string,
): void {
  context.beginPath();
  for (let at = 0; at + 1 < tips.length; at += 2) {
    const [x, y] = [tips[at] as number, tips[at + 1] as number];
    context.moveTo(x, y - 0.5);
    context.lineTo(x + 4.5, y + 4);
    context.lineTo(x, y + 8.5);
    context.lineTo(x - 4.5, y + 4);
    context.closePath();
  }
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = stroke;
  context.lineWidth = 1.5;
  context.stroke();
}
