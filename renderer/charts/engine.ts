/** The parts of ECharts that the charts need. Loaded with the first chart, never with the window. */
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

const file = { width: 1200, height: 720 };

/** The chart as a picture of its own, with its title and where its numbers come from. */
export async function picture(spec: ChartSpec, look: Look, as: 'png' | 'svg'): Promise<Blob> {
  const element = document.createElement('div');
  const chart = init(element, null, { renderer: as === 'svg' ? 'svg' : 'canvas', ...file });
  try {
    chart.setOption(chartOption(spec, look, { ...file, withTitle: true }));
    if (as === 'svg') return new Blob([chart.renderToSVGString()], { type: 'image/svg+xml' });
    const canvas = chart.renderToCanvas({ pixelRatio: 2, backgroundColor: look.surface });
    return await new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob === null ? reject(new Error('The picture is too large.')) : resolve(blob)),
        'image/png',
      );
    });
  } finally {
    chart.dispose();
  }
}
