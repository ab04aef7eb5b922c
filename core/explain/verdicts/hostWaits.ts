/**
 * Finds copies whose call waited for earlier work of the device, while host work that comes after the call was late: the
 * synchronise of a blocking copy, or memory that is pageable. It doesn't matter whether a kernel could have overlapped.
 */

import { groupBy } from '../../groupBy.ts';
import { lowerBound } from '../../lowerBound.ts';
import { rememberedBy } from '../../rememberedBy.ts';
import { coveredLength } from '../../trace/intervals.ts';
import { type Activity, activity, rowsOfKind } from '../../trace/iteration.ts';
import { holdsHost, isBlockingMemcpy } from '../figures/hostTime.ts';
import { allTouched, touchedBuffers } from './facts.ts';
import { blockedBy, type Found, pageable } from './finding.ts';
import { kernelsFor } from './partner.ts';
import type { Scene } from './scene.ts';

/** Waits shorter than this cost as much as the calls around them. */
const leastNs = 10_000;

interface LateHostWork {
  readonly finding: Found;
  /** Host work that could have run during the wait. */
  readonly ns: number;
}

/** Returns null if the copy's call didn't wait for earlier work, or no host work came after it. */
export function lateHostWork(scene: Scene, copy: Activity): LateHostWork | null {
  const call = scene.callOf(copy);
  if (call === null || scene.facts.operation(copy.op)?.op === 'item') return null;
  const after = hostRows(scene, call.lane);
  const place = lowerBound(0, after.length, (at) => (after[at]?.startNs ?? 0) < call.endNs);
  const next = after[place];
  // Tensor.to() synchronises under the copy's own operation.
  const own = next !== undefined && next.kind === 'host-sync' && next.op === copy.op && copy.op >= 0 ? next : null;
  const isPageable = holdsHost(copy) && copy.direction !== 'h2h';
  const isHeld = isPageable || isBlockingMemcpy(call.name);
  const wider = own === null && !isHeld && next !== undefined && isWider(scene, copy, next) ? next : null;
  if (own === null && !isHeld && wider === null) return null;
  const waitedNs = coveredLength(
    kernelsFor(scene, copy).busy,
    wider === null ? call.startNs : Math.max(copy.endNs, wider.startNs),
    wider === null ? Math.min(copy.startNs, (own ?? call).endNs) : wider.endNs,
  );
  let workNs = 0;
  for (let at = place + (own === null && wider === null ? 0 : 1); at < after.length && workNs < waitedNs; at += 1) {
    const row = after[at] as Activity;
    if (row.kind === 'host-sync') break;
    workNs += row.endNs - row.startNs;
  }
  const ns = Math.min(waitedNs, workNs);
  if (ns < leastNs) return null;
  if (isPageable && own === null) return { finding: pageable(copy, call), ns };
  const rule = wider !== null ? 'synchronize-holds-host' : own === null ? 'blocking-memcpy' : 'blocking-to';
  const holder = wider ?? own ?? call;
  return { finding: { cause: 'waits-for-earlier-work', rule, holder, obstacle: blockedBy(copy) }, ns };
}

/** Returns whether the wait ends later than this download, and nothing that the host could read arrives in between. */
function isWider(scene: Scene, copy: Activity, wait: Activity): boolean {
  if (wait.kind !== 'host-sync' || copy.direction !== 'd2h' || copy.endNs >= wait.endNs) return false;
  const ends = endsOfRead(scene);
  const later = ends[lowerBound(0, ends.length, (place) => (ends[place] ?? 0) <= copy.endNs)];
  if (later !== undefined && later <= wait.endNs) return false;
  return scene.mapped(copy.device).within({ startNs: copy.startNs, endNs: wait.endNs }).count === 0;
}

/** Returns the ends of downloads, in order. Something reads what they bring, or the trace doesn't say. */
const endsOfRead = rememberedBy(({ copies, facts }: Scene): readonly number[] => {
  const { reads } = allTouched(facts);
  const isRead = ({ op }: Activity): boolean =>
    touchedBuffers(facts.operation(op))?.writes.some((id) => reads.has(id)) ?? true;
  return copies.flatMap((one) => (one.direction === 'd2h' && isRead(one) ? [one.endNs] : [])).sort((a, b) => a - b);
});

/** Fewer copies than this may be waited for one by one. */
const fewestWaited = 4;

/** Returns the wait that directly follows the copy's call, if most copies of its thread into its stream are followed by one. */
export function waitAfterEach(scene: Scene, copy: Activity): Activity | null {
  return issuesWaitedFor(scene).has(issueOf(scene, copy)) ? waitFor(scene, copy) : null;
}

/** Returns the key of a copy's host thread and stream. A loop may be written out, so that each copy is its own operation. */
const issueOf = (scene: Scene, copy: Activity): string => `${scene.callOf(copy)?.lane} ${copy.lane}`;

const issuesWaitedFor = rememberedBy((scene: Scene): ReadonlySet<string> => {
  const groups = groupBy(
    scene.copies.filter(({ op }) => op >= 0),
    (copy) => issueOf(scene, copy),
  );
  const isWaited = (copies: readonly Activity[]): boolean =>
    copies.length >= fewestWaited && copies.filter((one) => waitFor(scene, one) !== null).length >= copies.length / 2;
  return new Set([...groups].flatMap(([key, copies]) => (isWaited(copies) ? [key] : [])));
});

/** Returns the synchronise that comes next in the thread, behind an event record at most. The copy may be over before. */
function waitFor(scene: Scene, copy: Activity): Activity | null {
  const call = scene.callOf(copy);
  if (call === null) return null;
  const rows = hostRows(scene, call.lane);
  const next = rows[lowerBound(0, rows.length, (place) => (rows[place]?.startNs ?? 0) < call.endNs)];
  const isWait = next?.kind === 'host-sync' && copy.endNs <= next.endNs;
  if (next === undefined || !isWait) return null;
  const { count } = scene.thread(call.lane).within({ startNs: call.endNs, endNs: next.startNs });
  return count > 1 + 2 * scene.ownRows ? null : next;
}

const rowsByLane = rememberedBy(({ iteration }: Scene) =>
  groupBy(
    rowsOfKind(iteration, 'host-work', 'host-read', 'host-write', 'host-sync').map((row) =>
      activity(iteration.trace, row),
    ),
    ({ lane }) => lane,
  ),
);

/** Returns work and waits of a host thread in order. */
const hostRows = (scene: Scene, lane: number): readonly Activity[] => rowsByLane(scene).get(lane) ?? [];
