/** What a program prints, on its way over a line that may be slow or away: never more of it waits than a person reads. */
import type { Link } from './link.ts';

const most = 64 * 1024;
const leftOut = '[…]\n';

export class Printed {
  readonly #link: Pick<Link, 'delivered'>;
  readonly #tell: (text: string) => void;
  #text = '';
  #isWaiting = false;

  constructor(link: Pick<Link, 'delivered'>, tell: (text: string) => void) {
    this.#link = link;
    this.#tell = tell;
  }

  add(text: string): void {
    const all = this.#text + text;
    this.#text = all.length <= most ? all : leftOut + all.slice(-most);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#link.delivered().then(() => {
      this.#isWaiting = false;
      this.flush();
    });
  }

  /** Sends what is there, whatever the other side has heard of the rest. */
  flush(): void {
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#tell(text);
  }
}
