/** Finds the device that a device-wide wait was for: a trace only shows that the host waited. */
export class BusyDevices {
  /** End of the last work issued so far on each device. */
  readonly #untilNs = new Map<string, number>();

  note(device: string, endNs: number): void {
    this.#untilNs.set(device, Math.max(this.#untilNs.get(device) ?? 0, endNs));
  }

  /** End of all work issued so far. */
  get allUntilNs(): number {
    return Math.max(0, ...this.#untilNs.values());
  }

  /** Returns the device that finished last before the wait returned, or else the first to finish. */
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
