/** Draws frames on our own canvas, boxes straight into pixels. ECharts took a microsecond per bar, and some ms per frame. */
import type { CanvasColours, PaintName, Scheme } from '../../common/palette.ts';
import { pixelRatioOf } from '../../common/zoomed.ts';
import type { Frame } from './frame.ts';
import { hatchTile } from './hatch.ts';
import { type Ground, paintGround, paintOver } from './paint.ts';
import { type Pixel, pixel, Raster, type Tile } from './raster.ts';

/** Each text is measured once, since labels recur in every frame. */
const mostMeasured = 5000;
const ellipsis = '…';

export class LanePainter implements Ground {
  readonly #canvas = document.createElement('canvas');
  readonly #context: CanvasRenderingContext2D;
  readonly #widths = new Map<string, number>();
  #image: ImageData | null = null;
  #raster = new Raster(0, 0);
  #ratio = 1;
  #scheme: Scheme = 'light';
  /** The pattern of the last tile in this frame. */
  #pattern: { readonly name: PaintName; readonly tile: Tile } | null = null;

  constructor(container: HTMLElement) {
    // Kept in main memory, since every frame writes to it.
    const context = this.#canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    if (context === null) throw new Error('this browser has no canvas');
    this.#context = context;
    this.#canvas.style.display = 'block';
    container.append(this.#canvas);
  }

  dispose(): void {
    this.#canvas.remove();
  }

  draw(frame: Frame, colours: CanvasColours): void {
    this.#resize(frame.width, frame.height);
    if (this.#image === null) return;
    this.#scheme = colours.scheme;
    this.#pattern = null;
    this.#raster.clear(pixel(colours.surface));
    paintGround(this, frame, colours);
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.#image, 0, 0);
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    paintOver(context, frame, colours, (text, space) => this.#fitted(text, space));
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

  /** Returns the text or its beginning; empty if not even a letter fits. */
  #fitted(text: string, space: number): string {
    const whole = this.#width(text);
    if (whole <= space) return text;
    // Estimated by the mean width of the letters, less one letter for wider ones.
    const letters = Math.floor((text.length * (space - this.#width(ellipsis))) / whole) - 1;
    return letters < 1 ? '' : `${text.slice(0, letters).trimEnd()}${ellipsis}`;
  }

  /** Measures in the context's font. */
  #width(text: string): number {
    const known = this.#widths.get(text);
    if (known !== undefined) return known;
    if (this.#widths.size >= mostMeasured) this.#widths.clear();
    const { width } = this.#context.measureText(text);
    this.#widths.set(text, width);
    return width;
  }

  /** Pixels have no layers: what comes later lies over what came before. */
  layer(): void {}

  /** Edges go to the nearest pixel of the screen. */
  rectangle(x: number, y: number, width: number, height: number, colour: Pixel): void {
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

  column(x: number, y: number, width: number, height: number, colour: Pixel): void {
    const ratio = this.#ratio;
    const [left, right] = [Math.round(x * ratio), Math.round((x + width) * ratio)];
    this.#raster.fillColumn(left, right - left, y * ratio, Math.round((y + height) * ratio), colour);
  }

  tile(name: PaintName, x: number, y: number, width: number, height: number): void {
    const ratio = this.#ratio;
    const [left, top] = [Math.round(x * ratio), Math.round(y * ratio)];
    const [right, bottom] = [Math.round((x + width) * ratio), Math.round((y + height) * ratio)];
    if (this.#pattern?.name !== name) this.#pattern = { name, tile: hatchTile(name, this.#scheme, ratio) };
    this.#raster.tile(left, top, right - left, bottom - top, this.#pattern.tile);
  }
}
