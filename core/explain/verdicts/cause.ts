/**
 * Finds out why a copy and a kernel did not run together. `first` ran first and `second` second; the question is what
 * kept `second` from starting while `first` ran. A cause is named only if the trace supports it:
 *
 * 1. The host issued `second` when `first` was over or nearly so (late.ts). The cause is what blocked the thread until
 * then: the copy's own call (pageable memory), a synchronise, host work, or only the cost of the calls.
 * 2. It was issued in time, and streams order the two (ordered.ts): same stream, legacy default stream, event.
 * 3. It was issued in time and in no order, but waited for something else (waited.ts): its copy engine, work ahead of
 * it, staging, the link.
 * 4. None of these: the first was shorter than the calls (too small), the second ran as soon as it was issued (issued
 * late after all), or the trace doesn't say.
 *
 * The host is checked before the device: work that isn't issued yet can't overlap in any stream. But if the host was
 * merely slow and issued the second before the first was over, an order of the two comes first. `also` lists everything
 * else that would still prevent the overlap.
 */
import { bare, type Finding, type Found } from './finding.ts';
import { issuedLate, promptly, synchronised } from './late.ts';
import { orderCauses } from './ordered.ts';
import type { Pair } from './pair.ts';
import type { Scene } from './scene.ts';
import { waited } from './waited.ts';

export function findCause(scene: Scene, pair: Pair): Finding {
  const ordered = orderCauses(scene, pair);
  const late = issuedLate(scene, pair);
  const hostFirst = late !== null && (isPageable(late) || (pair.issuedNs ?? 0) >= pair.first.endNs);
  const known = hostFirst ? late : (ordered[0] ?? late);
  const found = known ?? waited(scene, pair) ?? promptly(scene, pair) ?? unexplained;
  const also = [
    ...ordered.map(({ cause }) => cause),
    ...(late === null ? [] : [late.cause]),
    ...synchronised(scene, pair),
  ];
  return { ...found, also: unique(also).filter((cause) => cause !== found.cause) };
}

const unexplained = bare('unexplained', null);
const isPageable = ({ cause }: Found): boolean => cause === 'pageable-source' || cause === 'pageable-destination';
const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)];
