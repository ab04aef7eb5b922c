/** Results that copies bring to the host, until the program waits for them and may read them. */
import { deviceOf } from '../devices.ts';
import { type CopyItem, type Item, isPageable, type SyncItem } from '../script.ts';
import { isScalar } from './memory.ts';

/** Returns whether a wait is needed: a copy's call to pageable memory returns only when the copy is done. */
const needsWait = (copy: CopyItem): boolean => copy.direction === 'd2h' && !isPageable(copy) && !isScalar(copy);

export class UnreadResults {
  readonly #unread = new Set<CopyItem>();
  /** Copies that are done when a stream or event is. */
  readonly #doneWith = new Map<string, Set<CopyItem>>();

  /** Takes the program's items in order. Returns whether a wait makes a new result available. */
  bringsResult(item: Item): boolean {
    if (item.kind === 'copy' && needsWait(item)) {
      this.#unread.add(item);
      this.#of(item.stream).add(item);
    } else if (item.kind === 'record') this.#join(item.stream, item.event);
    else if (item.kind === 'wait') this.#join(item.event, item.stream);
    else if (item.kind === 'sync') return this.#read(item);
    return false;
  }

  #read(sync: SyncItem): boolean {
    const results = [...this.#awaited(sync)].filter((one) => this.#unread.delete(one));
    return sync.copy < 0 && results.length > 0;
  }

  #awaited({ stream, device, event }: SyncItem): Iterable<CopyItem> {
    if (stream !== null) return this.#of(event ?? stream);
    return [...this.#unread].filter((copy) => device === undefined || deviceOf(copy.stream) === device);
  }

  #join(from: string, to: string): void {
    const unread = [...this.#of(from)].filter((copy) => this.#unread.has(copy));
    this.#doneWith.set(to, new Set([...this.#of(to), ...unread]));
  }

  #of(name: string): Set<CopyItem> {
    const known = this.#doneWith.get(name) ?? new Set<CopyItem>();
    this.#doneWith.set(name, known);
    return known;
  }
}
