/** Marks that ECharts lacks. */

interface Api {
  value(dimension: number): number;
  coord(data: readonly number[]): number[];
}

const cap = 4;

/** Draws lines with caps from low to high. Data: [place on the other axis, low, high, shift in pixels]. */
export const whiskers = (
  data: readonly (readonly number[])[],
  colour: string,
  ground: string,
  direction: 'vertical' | 'horizontal',
): object => ({
  type: 'custom',
  data: data.map((value) => [...value]),
  silent: true,
  tooltip: { show: false },
  z: 5,
  encode: direction === 'vertical' ? { x: 0, y: [1, 2] } : { y: 0, x: [1, 2] },
  renderItem: (_params: unknown, api: Api) => {
    const [at, low, high, shift] = [api.value(0), api.value(1), api.value(2), api.value(3) || 0];
    const vertical = direction === 'vertical';
    const [x1 = 0, y1 = 0] = api.coord(vertical ? [at, low] : [low, at]);
    const [x2 = 0, y2 = 0] = api.coord(vertical ? [at, high] : [high, at]);
    const path = vertical
      ? `M${x1 - cap},${y1} H${x1 + cap} M${x1},${y1} V${y2} M${x2 - cap},${y2} H${x2 + cap}`
      : `M${x1},${y1 + shift - cap} v${2 * cap} M${x1},${y1 + shift} H${x2} M${x2},${y2 + shift - cap} v${2 * cap}`;
    const stroke = (ink: string, lineWidth: number) => ({
      type: 'path',
      shape: { pathData: path },
      style: { stroke: ink, lineWidth, fill: 'none' },
    });
    // A border in the background colour makes it visible on a bar of any colour.
    return { type: 'group', children: [stroke(ground, 4), stroke(colour, 1.5)] };
  },
});
