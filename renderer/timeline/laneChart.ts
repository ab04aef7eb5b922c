/**
 * Draws frames with ECharts: one custom series whose single item is a group of batched paths, one a colour. The series
 * has no coordinate system, since frames come in pixels.
 */
import { CustomChart } from 'echarts/charts';
import * as echarts from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { type CanvasColours, type PaintName, paint, paintNames } from '../app/palette.ts';
import { sans } from '../app/theme.ts';
import type { Box, Frame } from './frame.ts';
import { hatch } from './hatch.ts';

echarts.use([CustomChart, CanvasRenderer]);

interface Numbers {
  numbers: readonly number[];
}

/** Each registered shape draws any number of figures as one path. */
function registerBatch(
  name: string,
  draw: (context: CanvasRenderingContext2D, numbers: readonly number[]) => void,
): void {
  const shape = echarts.graphic.extendShape({
    shape: { numbers: [] as readonly number[] },
    buildPath: (context: unknown, { numbers }: Numbers) => draw(context as CanvasRenderingContext2D, numbers),
  });
  echarts.graphic.registerShape(name, shape as never);
}

const each = (numbers: readonly number[], size: number, draw: (...figure: number[]) => void): void => {
  for (let at = 0; at + size <= numbers.length; at += size) draw(...numbers.slice(at, at + size));
};

registerBatch('copyscope-boxes', (context, numbers) => {
  for (let at = 0; at + 4 <= numbers.length; at += 4) {
    context.rect(numbers[at] ?? 0, numbers[at + 1] ?? 0, numbers[at + 2] ?? 0, numbers[at + 3] ?? 0);
  }
});
registerBatch('copyscope-lines', (context, numbers) =>
  each(numbers, 4, (x1 = 0, y1 = 0, x2 = 0, y2 = 0) => {
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
  }),
);
/** An event recorded: a triangle that points at its time. */
registerBatch('copyscope-records', (context, numbers) =>
  each(numbers, 2, (x = 0, y = 0) => {
    context.moveTo(x - 4.5, y);
    context.lineTo(x + 4.5, y);
    context.lineTo(x, y + 8);
    context.closePath();
  }),
);
/** A wait passed: a diamond. */
registerBatch('copyscope-waits', (context, numbers) =>
  each(numbers, 2, (x = 0, y = 0) => {
    context.moveTo(x, y - 0.5);
    context.lineTo(x + 4.5, y + 4);
    context.lineTo(x, y + 8.5);
    context.lineTo(x - 4.5, y + 4);
    context.closePath();
  }),
);

/** Canvas text takes the window's own face. */
const font = `11.5px ${sans}`;

type Element = Readonly<Record<string, unknown>>;

export class LaneChart {
  readonly #chart: echarts.ECharts;
  #elements: Element[] = [];

  constructor(container: HTMLElement) {
    this.#chart = echarts.init(container, null, { renderer: 'canvas' });
  }

  resize(width: number, height: number): void {
    this.#chart.resize({ width, height, silent: true });
  }

  draw(frame: Frame, colours: CanvasColours): void {
    this.#elements = elements(frame, colours);
    this.#chart.setOption(
      {
        animation: false,
        series: [
          {
            id: 'lanes',
            type: 'custom',
            coordinateSystem: 'none',
            silent: true,
            animation: false,
            data: [[0]],
            renderItem: () => ({ type: 'group', children: this.#elements }) as never,
          },
        ],
      },
      { replaceMerge: ['series'], lazyUpdate: false, silent: true },
    );
    this.#chart.getZr().flush();
  }

  dispose(): void {
    this.#chart.dispose();
  }
}

/** From the ground up: lines, bars, bandwidth, marks, labels, and what is selected on top. */
function elements(frame: Frame, colours: CanvasColours): Element[] {
  return [
    path('copyscope-lines', rules(frame), { stroke: colours.line, lineWidth: 1 }),
    ...inPaintOrder(frame).flatMap((batch) => {
      const { fill, pattern } = paint(batch.paint, colours.scheme);
      const overlay = hatch(pattern, colours.scheme, batch.paint);
      return [
        path('copyscope-boxes', batch.grounds, { fill, opacity: 0.28 }),
        path('copyscope-boxes', batch.boxes, { fill }),
        ...(overlay === null ? [] : [path('copyscope-boxes', batch.patterned, { fill: overlay })]),
      ];
    }),
    ...frame.bandwidths.flatMap((bandwidth) => bandwidthElements(bandwidth, frame.width, colours)),
    path('copyscope-records', frame.records, { fill: paint('mark', colours.scheme).fill }),
    path('copyscope-waits', frame.waits, {
      fill: colours.surface,
      stroke: paint('mark', colours.scheme).fill,
      lineWidth: 1.5,
    }),
    ...frame.labels.map((label) => text(label, colours)),
    outline(frame.joined, colours.selected, [4, 2]),
    path('copyscope-lines', frame.arrows, { stroke: colours.selected, lineWidth: 1.5, lineDash: [4, 2] }),
    outline(frame.selected, colours.selected, null),
  ];
}

const inPaintOrder = (frame: Frame) => {
  const place = (name: PaintName): number => (name === 'host-range' ? -1 : paintNames.indexOf(name));
  return [...frame.batches].sort((a, b) => place(a.paint) - place(b.paint));
};

function rules({ gridX, separatorY, width, height }: Frame): number[] {
  const crisp = (at: number): number => Math.round(at) + 0.5;
  return [
    ...gridX.flatMap((x) => [crisp(x), 0, crisp(x), height]),
    ...separatorY.flatMap((y) => [0, crisp(y - 1), width, crisp(y - 1)]),
  ];
}

const path = (type: string, numbers: readonly number[], style: Element): Element => ({
  type,
  // An element that takes the place of another keeps what is not given anew.
  x: 0,
  y: 0,
  shape: { numbers },
  style: { fill: 'none', ...style },
  silent: true,
});

function outline(boxes: readonly Box[], stroke: string, lineDash: number[] | null): Element {
  const numbers = boxes.flatMap(({ x, y, width, height }) => [x - 1, y - 1, width + 2, height + 2]);
  return path('copyscope-boxes', numbers, { stroke, lineWidth: 2, ...(lineDash === null ? {} : { lineDash }) });
}

function text(
  { x, y, width, height, text: words, paint: name }: Frame['labels'][number],
  colours: CanvasColours,
): Element {
  const space = width - 10;
  return {
    type: 'text',
    x: x + 5,
    y: y + height / 2,
    silent: true,
    style: {
      text: words,
      fill: paint(name, colours.scheme).text,
      font,
      width: space,
      overflow: 'truncate',
      ellipsis: '…',
      verticalAlign: 'middle',
    },
  };
}

function bandwidthElements(
  { direction, points, baseline, limitY }: Frame['bandwidths'][number],
  width: number,
  colours: CanvasColours,
): Element[] {
  const { fill } = paint(direction, colours.scheme);
  const pairs: [number, number][] = [];
  for (let at = 0; at + 1 < points.length; at += 2) pairs.push([points[at] ?? 0, points[at + 1] ?? 0]);
  const [first, last] = [pairs[0], pairs[pairs.length - 1]];
  if (first === undefined || last === undefined) return [];
  const area: Element = {
    type: 'polygon',
    x: 0,
    y: 0,
    shape: { points: [[first[0], baseline], ...pairs, [last[0], baseline]] },
    style: { fill, opacity: 0.18 },
    silent: true,
  };
  const line: Element = {
    type: 'polyline',
    x: 0,
    y: 0,
    shape: { points: pairs },
    style: { stroke: fill, lineWidth: 1.5, fill: 'none' },
    silent: true,
  };
  if (limitY === null) return [area, line];
  const y = Math.round(limitY) + 0.5;
  const dashes = path('copyscope-lines', [0, y, width, y], { stroke: colours.textDim, lineWidth: 1, lineDash: [3, 3] });
  return [area, line, dashes];
}
