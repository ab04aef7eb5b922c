/** Draws the time axis: a tick and a label at each round step, and at the left the time from which labels count. */

import type { CanvasColours } from '../../common/palette.ts';
import { sans } from '../../common/theme.ts';
import { pixelRatioOf } from '../../common/zoomed.ts';
import { labelSpace, type Ticks } from '../time/ticks.ts';
import { type TimeView, toPixels } from '../time/timeView.ts';
import type { Pen } from './overlays.ts';

export const axisHeight = 24;
const font = `11.5px ${sans}`;

interface Axis {
  readonly ticks: Ticks;
  readonly view: TimeView;
  readonly gutter: number;
  readonly width: number;
}

export function drawAxis(canvas: HTMLCanvasElement, axis: Axis, colours: CanvasColours): void {
  const { gutter, width } = axis;
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) return;
  const ratio = pixelRatioOf(canvas);
  const [across, down] = [Math.round((gutter + width) * ratio), Math.round(axisHeight * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
    canvas.style.width = `${gutter + width}px`;
    canvas.style.height = `${axisHeight}px`;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colours.surface;
  context.fillRect(0, 0, gutter + width, axisHeight);
  context.fillStyle = colours.line;
  context.fillRect(gutter - 1, 0, 1, axisHeight);
  paintAxis(context, axis, colours);
}

export function paintAxis(pen: Pen, { ticks, view, gutter, width }: Axis, { textDim }: CanvasColours): void {
  pen.textBaseline = 'middle';
  pen.fillStyle = textDim;
  if (ticks.anchorLabel !== null) {
    pen.font = `600 ${font}`;
    pen.textAlign = 'right';
    pen.fillText(ticks.anchorLabel, gutter - 8, axisHeight / 2);
  }
  pen.font = font;
  pen.textAlign = 'left';
  for (const { timeNs, label } of ticks.ticks) {
    const x = toPixels(view, width, timeNs);
    pen.fillRect(gutter + Math.round(x), 0, 1, axisHeight);
    if (x < width - labelSpace) pen.fillText(label, gutter + Math.round(x) + 6, axisHeight / 2);
  }
}
