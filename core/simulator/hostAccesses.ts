/** What a host thread reads, writes and copies of host memory, and how long that takes for where the bytes are. */
import type { Arrivals } from './arrivals.ts';
import type { HostCaches } from './hostCaches.ts';
import type { DeviceProfile } from './profile.ts';
import type { Residency } from './residency.ts';
import type { Step } from './step.ts';

interface Places {
  readonly profile: DeviceProfile;
  readonly caches: HostCaches;
  readonly residency: Residency;
  readonly arrivals: Arrivals;
}

export class HostAccesses {
  readonly #thread: number;
  readonly #places: Places;

  constructor(thread: number, places: Places) {
    this.#thread = thread;
    this.#places = places;
  }

  reads({ bytes, hostBuffer, hostOffset }: Step, untilNs: number): void {
    const { caches, residency } = this.#places;
    caches.moved(this.#thread, bytes);
    residency.touch(hostBuffer, hostOffset, untilNs);
  }

  readNs({ callNs, bytes, hostBuffer }: Step): number {
    const { arrivals, profile } = this.#places;
    const wrong = profile.host.readWrongBytesPerSecond;
    return wrong !== undefined && arrivals.isArriving(hostBuffer) ? Math.max(callNs, (bytes / wrong) * 1e9) : callNs;
  }

  wrote({ hostBuffer, hostOffset, bytes }: Step, untilNs: number): void {
    if (hostBuffer < 0) return;
    this.#places.caches.wrote(this.#thread, hostBuffer, hostOffset, bytes);
    this.#places.residency.touch(hostBuffer, hostOffset, untilNs);
  }

  /** What a host thread does by itself: longer where that is to copy a tensor that has left the caches. */
  workNs({ callNs, memoryNs, bytes, index }: Step, nowNs: number): number {
    if (index < 0 || memoryNs <= callNs) return callNs;
    return callNs + this.#places.residency.goneOfTensor(index, bytes, nowNs) * (memoryNs - callNs);
  }

  /** How many times as long the host's part of a staged copy takes for where its memory lies. */
  slower(step: Step, nowNs: number): number {
    const { hostBuffer, hostOffset, bytes, memoryNs, callNs, index } = step;
    const { caches, profile, residency } = this.#places;
    if (step.route === 'stage-in') {
      caches.moved(this.#thread, bytes);
      const more = memoryNs / callNs - 1;
      if (hostBuffer < 0) return index < 0 ? 1 : 1 + residency.goneOfTensor(index, bytes, nowNs) * more;
      const slower = 1 + residency.goneOf(hostBuffer, hostOffset, nowNs) * more;
      residency.touch(hostBuffer, hostOffset, nowNs + slower * callNs);
      return slower;
    }
    const { freshFactor = 1 } = profile.host;
    const fresh = hostBuffer < 0 ? 0 : caches.freshBytes(hostBuffer, hostOffset, bytes, this.#thread);
    this.wrote(step, nowNs + callNs);
    return 1 + (freshFactor - 1) * (fresh / bytes);
  }

  /** A copy on the host is no faster than the memory of its target, where that has left the caches. */
  copy(step: Step, nowNs: number): Step {
    const gone = step.hostBuffer < 0 ? 0 : this.#places.residency.goneOf(step.hostBuffer, step.hostOffset, nowNs);
    const deviceNs = step.deviceNs + gone * (step.memoryNs - step.deviceNs);
    this.wrote(step, nowNs + deviceNs);
    return gone === 0 ? step : { ...step, deviceNs };
  }
}
