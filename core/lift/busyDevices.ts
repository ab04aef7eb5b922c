/** Which device a wait for a whole device was for: a trace tells only that the host waited. */
export class BusyDevices {
  /** Of each device, when the last of the work that was issued so far ended. */
  readonly #untilNs = new Map<string, number>();

  note(device: string, endNs: number): void {
    this.#untilNs.set(device, Math.max(this.#untilNs.get(device) ?? 0, endNs));
  }

  /** When the last of them was through with what was issued so far. */
  get allUntilNs(): number {
    return Math.max(0, ...this.#untilNs.values());
  }

  /** That which was through last by the time that the wait returned, or else the first to be. */
  waitedFor(ns: number): string {
    let [found, foundNs] = ['', Number.NaN];
    for (const [device, untilNs] of this.#untilNs) {
      const isLater = untilNs > foundNs;
      const isBetter = untilNs <= ns ? isLater || foundNs > ns : untilNs < foundNs;
      if (Number.isNaN(foundNs) || isBetter) [found, foundNs] = [device, untilNs];
    }
    return found;
  }
}
