/**
 * Finds copies whose call waited for earlier work of the device, while host work that comes after the call was late: the
 * synchronise of a blocking copy, or memory that is pageable. It doesn't matter whether a kernel could have overlapped.
 */

import { groupBy } from '../../groupBy.ts';
import { lowerBound } from '../../lowerBound.ts';
import { coveredLength } from '../../trace/intervals.ts';
import { type Activity, activity, rowsOfKind } from '../../trace/iteration.ts';
import { holdsHost, isBlockingMemcpy } from '../figures/hostTime.ts';
import { allTouched, touchedBuffers } from './facts.ts';
import { blockedBy, type Found, pageable } from './finding.ts';
import { kernelsFor } from './partner.ts';
import { firstStartingFrom, type Scene } from './scene.ts';

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
  for (let at = firstStartingFrom(scene.copies, copy.startNs); ; at += 1) {
    const other = scene.copies[at];
    if (other === undefined || other.startNs >= wait.endNs) break;
    const isBetween = other.endNs > copy.endNs && other.endNs <= wait.endNs;
    if (other.direction === 'd2h' && isBetween && isRead(scene, other)) return false;
  }
  return scene.mapped(copy.device).within({ startNs: copy.startNs, endNs: wait.endNs }).count === 0;
}

/** Returns whether anything reads what the copy brings, or the trace doesn't say. */
function isRead({ facts }: Scene, { op }: Activity): boolean {
  const touched = touchedBuffers(facts.operation(op));
  return touched === null || touched.writes.some((id) => allTouched(facts).reads.has(id));
}

/** Fewer copies than this may be waited for one by one. */
const fewestWaited = 4;

/** Returns the wait that directly follows the copy's call, if most copies of its thread into its stream are followed by one. */
export function waitAfterEach(scene: Scene, copy: Activity): Activity | null {
  const waited = waitedIssues.get(scene) ?? issuesWaitedFor(scene);
  waitedIssues.set(scene, waited);
  return waited.has(issueOf(scene, copy)) ? waitFor(scene, copy) : null;
}

const waitedIssues = new WeakMap<Scene, ReadonlySet<string>>();

/** Returns the key of a copy's host thread and stream. A loop may be written out, so that each copy is its own operation. */
const issueOf = (scene: Scene, copy: Activity): string => `${scene.callOf(copy)?.lane} ${copy.lane}`;

function issuesWaitedFor(scene: Scene): ReadonlySet<string> {
  const groups = groupBy(
    scene.copies.filter(({ op }) => op >= 0),
    (copy) => issueOf(scene, copy),
  );
  const isWaited = (copies: readonly Activity[]): boolean =>
    copies.length >= fewestWaited && copies.filter((one) => waitFor(scene, one) !== null).length >= copies.length / 2;
  return new Set([...groups].flatMap(([key, copies]) => (isWaited(copies) ? [key] : [])));
}

/** Returns the synchronise that comes next in the thread, behind an event record at most. The copy may be over before. */
function waitFor(scene: Scene, copy: Activity): Activity | null {
  const call = scene.callOf(copy);
  if (call === null) return null;
  const rows = hostRows(scene, call.lane);
  const next = rows[lowerBound(0, rows.length, (place) => (rows[place]?.startNs ?? 0) < call.endNs)];
  const isWait = next?.kind === 'host-sync' && copy.endNs <= next.endNs;
  if (next === undefined || !isWait) return null;
  return scene.thread(call.lane).within({ startNs: call.endNs, endNs: next.startNs }).count > 1 ? null : next;
}

const known = new WeakMap<Scene, Map<number, readonly Activity[]>>();

/** Returns work and waits of a host thread in order. */
function hostRows(scene: Scene, lane: number): readonly Activity[] {
  const lanes = known.get(scene) ?? new Map<number, readonly Activity[]>();
  known.set(scene, lanes);
  const found = lanes.get(lane);
  if (found !== undefined) return found;
  const { iteration } = scene;
  const rows = rowsOfKind(iteration, 'host-work', 'host-read', 'host-write', 'host-sync')
    .filter((row) => iteration.trace.columns.lane[row] === lane)
    .map((row) => activity(iteration.trace, row));
  lanes.set(lane, rows);
  return rows;
}
