/** Lanes as elements of an SVG, painted like those of the window. */
import { xmlText } from '../../../core/media.ts';
import type { PaintName } from '../../common/palette.ts';
import type { Pen } from '../painting/overlays.ts';
import type { Ground } from '../painting/paint.ts';
import { cssOf, type Pixel } from '../painting/raster.ts';

/** Formats a number to a hundredth of a pixel. */
export const short = (value: number): string => String(Math.round(value * 100) / 100);

/** Distance from a text's middle to its baseline, which is what an SVG places. */
const baseline = 3.5;

/** Boxes of one colour are one path, since thousands of elements make viewers slow. */
export class SvgPen implements Ground, Pen {
  fillStyle: Pen['fillStyle'] = '';
  strokeStyle: Pen['strokeStyle'] = '';
  lineWidth = 1;
  globalAlpha = 1;
  font = '';
  textAlign: Pen['textAlign'] = 'left';
  textBaseline: Pen['textBaseline'] = 'middle';
  #dash = '';
  #path = '';
  #text = '';
  /** Boxes of the layer by fill. */
  readonly #boxes = new Map<string, string>();

  /** Returns all elements. */
  get text(): string {
    this.layer();
    return this.#text;
  }

  layer(): void {
    for (const [fill, path] of this.#boxes) this.#text += `<path d="${path}" fill="${fill}"/>`;
    this.#boxes.clear();
  }

  rectangle(x: number, y: number, width: number, height: number, colour: Pixel): void {
    this.#add(cssOf(colour), boxPath(x, y, width, height));
  }

  column(...box: Parameters<Ground['column']>): void {
    this.rectangle(...box);
  }

  tile(name: PaintName, x: number, y: number, width: number, height: number): void {
    this.#add(`url(#lanes-${name})`, boxPath(x, y, width, height));
  }

  #add(fill: string, box: string): void {
    this.#boxes.set(fill, (this.#boxes.get(fill) ?? '') + box);
  }

  beginPath(): void {
    this.#path = '';
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${short(x)} ${short(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `L${short(x)} ${short(y)}`;
  }

  closePath(): void {
    this.#path += 'z';
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path += boxPath(x, y, width, height);
  }

  /** Draws a whole circle, whatever the angles. */
  arc(x: number, y: number, radius: number): void {
    const half = `a${radius} ${radius} 0 0 1 `;
    this.#path += `M${short(x + radius)} ${short(y)}${half}${-2 * radius} 0${half}${2 * radius} 0z`;
  }

  fill(): void {
    this.#element(`fill="${this.fillStyle}"`);
  }

  stroke(): void {
    this.#element(`fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${this.#dash}`);
  }

  setLineDash(dash: number[]): void {
    this.#dash = dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#path = boxPath(x, y, width, height);
    this.fill();
  }

  fillText(text: string, x: number, y: number): void {
    this.layer();
    const look = `${this.font.startsWith('600') ? ' font-weight="600"' : ''}${this.textAlign === 'right' ? ' text-anchor="end"' : ''}`;
    this.#text += `<text x="${short(x)}" y="${short(y + baseline)}" fill="${this.fillStyle}"${look}>${xmlText(text)}</text>`;
  }

  #element(look: string): void {
    this.layer();
    const opacity = this.globalAlpha === 1 ? '' : ` opacity="${this.globalAlpha}"`;
    if (this.#path !== '') this.#text += `<path d="${this.#path}" ${look}${opacity}/>`;
  }
}

const boxPath = (x: number, y: number, width: number, height: number): string =>
  `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`;
