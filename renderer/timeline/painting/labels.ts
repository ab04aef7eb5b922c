/** Shortens texts to the available space. Each text is measured once, since labels recur in every frame. */
const mostKept = 5000;
const ellipsis = '…';

export class Labels {
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
