/** The parts of ECharts that the charts need. They load with the first chart, not with the window. */
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  LegendScrollComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
} from 'echarts/components';
import { type EChartsType, init, use } from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';
import type { Drawn } from '../common/files.ts';
import type { Look } from './look.ts';
import { chartOption } from './option.ts';
import type { ChartSpec } from './spec.ts';

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  ScatterChart,
  AriaComponent,
  GridComponent,
  LegendScrollComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
  CanvasRenderer,
  SVGRenderer,
]);

export type Drawing = EChartsType;

export const draw = (element: HTMLElement, renderer: 'svg' | 'canvas'): Drawing => init(element, null, { renderer });

/** Draws the chart as a picture with its title and provenance. */
export function drawn(spec: ChartSpec, look: Look, width: number): Drawn {
  const size = { width, height: Math.round(Math.min(Math.max(width * 0.6, 420), 1400)) };
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    chart.setOption(chartOption(spec, look, { ...size, withTitle: true }));
    return { text: chart.renderToSVGString(), ...size };
  } finally {
    chart.dispose();
  }
}
