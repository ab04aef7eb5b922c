/** Finds the verdicts of one iteration: one for each copy operation, and for kernels that waited or read mapped memory again. */
import type { Experiment } from '../../experiment/experiment.ts';
import { groupBy } from '../../groupBy.ts';
import { rememberedBy } from '../../rememberedBy.ts';
import { atOnce, type InSteps } from '../../steps.ts';
import { frameText, ownFrame } from '../../trace/callStack.ts';
import { coveredLength } from '../../trace/intervals.ts';
import { type Activity, type Iteration, makespan } from '../../trace/iteration.ts';
import type { RowIndex } from '../../trace/trace.ts';
import { callBound } from './callBound.ts';
import { findCause } from './cause.ts';
import { costOf, pinnedNs, weighed } from './cost.ts';
import { crowdedKernels } from './crowded.ts';
import { programFacts } from './facts.ts';
import { blockedBy, type Finding, pageable } from './finding.ts';
import { heldCalls, mappedAgain } from './heldCalls.ts';
import { lateHostWork, waitAfterEach } from './hostWaits.ts';
import { pageWaits } from './managed.ts';
import { linkSharer } from './mapped.ts';
import type { Occurrence } from './occurrence.ts';
import { makePair, type Pair } from './pair.ts';
import { findPartner, kernelBehind, kernelsFor, otherDirection, type Partner } from './partner.ts';
import { buildScene, durationOf, type KnownDevice, type Scene } from './scene.ts';
import { type Cause, type Evidence, evidenceRows, type Verdict } from './verdict.ts';
import { explain } from './words.ts';

/**
 * Returns copies, the costliest first, then kernels that waited for multiprocessors. `experiment` is null if the trace
 * doesn't come from one.
 */
export const verdicts = (iteration: Iteration, experiment: Experiment | null, known: KnownDevice = {}): Verdict[] =>
  atOnce(verdictsInSteps(iteration, experiment, known));

/** Copies examined per step. */
const copiesPerStep = 500;

/** Computes verdicts in steps, which say what share of the operations is judged. */
export function* verdictsInSteps(
  iteration: Iteration,
  experiment: Experiment | null,
  known: KnownDevice = {},
): InSteps<Verdict[], number> {
  const scene = buildScene(iteration, programFacts(experiment), known);
  // Rows without an operation number get a verdict each.
  const operations = groupBy(scene.copies, (copy) => (copy.op >= 0 ? `op ${copy.op}` : `row ${copy.row}`));
  const found: Verdict[] = [];
  for (const rows of operations.values()) {
    found.push(
      verdict(
        scene,
        rows.map((copy) => examine(scene, copy)),
      ),
    );
    if (found.length % copiesPerStep === 0) yield found.length / operations.size;
  }
  const reading = [...mappedAgain(scene), ...pageWaits(scene)];
  found.push(...heldCalls(scene), ...reading);
  found.sort((a, b) => b.costNs - a.costNs);
  const crowded = crowdedKernels(scene).filter(({ copy }) => !reading.some(({ op }) => op === copy.op));
  const kernels = groupBy(crowded, ({ copy }) => copy.op);
  return [...found, ...[...kernels.values()].map((occurrences) => verdict(scene, occurrences))];
}

/**
 * Returns the verdict on the copy or crowded kernel in `row`, over all occurrences of its operation, without judging the
 * rest of the iteration; null if it has none.
 */
export function verdictOf(
  iteration: Iteration,
  experiment: Experiment | null,
  row: RowIndex,
  known: KnownDevice = {},
): Verdict | null {
  const scene = buildScene(iteration, programFacts(experiment), known);
  const op = iteration.trace.columns.op[row] ?? -1;
  const isIt = (one: Activity): boolean => (op >= 0 ? one.op === op : one.row === row);
  const reading = [...mappedAgain(scene), ...pageWaits(scene)].find((one) => one.op === op);
  if (reading !== undefined) return reading;
  const copies = scene.copies.filter(isIt).map((copy) => examine(scene, copy));
  const found = copies.length > 0 ? copies : crowdedKernels(scene).filter(({ copy }) => isIt(copy));
  return found.length === 0 ? null : verdict(scene, found);
}

function verdict(scene: Scene, occurrences: readonly Occurrence[]): Verdict {
  const shown = mostTelling(occurrences);
  const { copy, partner, finding } = shown;
  const overlapNs = sum(occurrences, (one) => one.overlapNs);
  const shorterNs = sum(occurrences, ({ copy: own, partner: other }) =>
    other === null ? 0 : Math.min(durationOf(own), durationOf(other.kernel)),
  );
  const copyNs = sum(occurrences, (one) => durationOf(one.copy));
  return {
    op: copy.op,
    id: scene.facts.info(copy.op)?.id ?? null,
    subject: copy.kind === 'kernel' ? 'kernel' : 'copy',
    row: copy.row,
    device: copy.device,
    label: scene.facts.label(copy.op) ?? copy.name,
    line: lineOf(scene, copy),
    cause: finding.cause,
    also: finding.also,
    rule: finding.rule,
    with: partner?.kernel.op ?? null,
    withLabel: partner === null ? null : (scene.facts.label(partner.kernel.op) ?? partner.kernel.name),
    blockedBy: blockingOperation(shown),
    hostCall: finding.holder?.name ?? null,
    needsData: partner?.needsData ?? null,
    copyNs,
    costNs: costOfAll(occurrences),
    sameGainAs: null,
    pinnedNs: pinned(scene, occurrences),
    overlapNs,
    share: ratio(
      sum(occurrences, (one) => one.partner?.commonNs ?? 0),
      shorterNs,
    ),
    shareOfCopy: ratio(overlapNs, copyNs),
    occurrences: occurrences.length,
    overlappedOccurrences: occurrences.filter((one) => one.finding.cause === 'overlapped').length,
    evidence: evidence(scene, shown),
    ...explain(scene, shown, occurrences),
  };
}

/** Returns the cost on the device where it is largest. Copies on several devices run at once, so costs aren't added. */
function costOfAll(occurrences: readonly Occurrence[]): number {
  const byDevice = groupBy(occurrences, ({ copy }) => copy.device);
  return Math.max(...[...byDevice.values()].map((own) => sum(own, (one) => one.costNs)));
}

/** Returns the line of the user's program that issued the copy. */
function lineOf(scene: Scene, copy: Activity): string | null {
  const call = scene.callOf(copy);
  const own = call === null ? undefined : ownFrame(scene.stacks.of(call.row));
  return own === undefined ? null : frameText(own);
}

function examine(scene: Scene, copy: Activity): Occurrence {
  const partner = findPartner(scene, copy);
  const overlapNs = coveredLength(kernelsFor(scene, copy).busy, copy.startNs, copy.endNs);
  const costNs = costOf(scene, copy);
  const pair = partner === null ? null : makePair(scene, copy, partner);
  if (partner?.overlapped === true) {
    // A kernel next to a small part of a pageable copy hides little of it.
    const finding = weighed(scene, copy, partner, overlapped(scene, copy));
    return { copy, partner, overlapNs, costNs, pair, finding: ofHost(scene, copy, finding, partner) };
  }
  const found = pair === null ? nothing : findCause(scene, pair);
  const judged = behindInstead(scene, copy, { partner, pair, found }) ?? { partner, pair, found };
  const finding = ofHost(scene, copy, weighed(scene, copy, judged.partner, judged.found), judged.partner);
  const apart = finding.cause === 'nothing-to-overlap' ? apartFrom(scene, copy) : null;
  if (apart !== null)
    return { copy, partner: apart.partner, overlapNs, costNs, pair: apart.pair, finding: apart.found };
  // Without the wait only what comes after it could be earlier.
  const mostNs = finding.cause === 'waits-for-earlier-work' ? endOf(scene) - copy.startNs : costNs;
  return { copy, partner: judged.partner, overlapNs, costNs: Math.min(costNs, mostNs), pair: judged.pair, finding };
}

const endOf = rememberedBy(({ iteration }: Scene) => makespan(iteration) ?? 0);

/**
 * Causes in the program that keep copies of both directions apart, although two copy engines could run them at once. Other
 * work in an engine at that moment isn't one of them.
 */
const keepsApart: ReadonlySet<Cause> = new Set(['same-stream', 'legacy-default-stream', 'event-dependency']);

/** Returns a judgement by a copy in the other direction; null if nothing keeps the two apart. */
function apartFrom(scene: Scene, copy: Activity): Judged | null {
  const partner = otherDirection(scene, copy);
  if (partner === null) return null;
  const pair = makePair(scene, copy, partner);
  const found = findCause(scene, pair);
  const isOneEngine = found.cause === 'engine-busy' && scene.copyEngines === 1;
  return isOneEngine || keepsApart.has(found.cause) ? { partner, pair, found } : null;
}

/** Returns a cause on the host instead, if that costs more than the missing overlap, or there is nothing to overlap. */
function ofHost(scene: Scene, copy: Activity, finding: Finding, partner: Partner | null): Finding {
  const late = lateHostWork(scene, copy);
  if (late !== null && late.finding.cause !== finding.cause && late.ns > durationOf(copy)) {
    return { ...late.finding, also: finding.cause === 'overlapped' ? [] : [finding.cause, ...finding.also] };
  }
  // Whatever came first, the calling thread itself copies. Uploads or downloads may wait for that, also without kernels.
  const isApart = finding.cause === 'nothing-to-overlap' && scene.copies.some(({ direction }) => direction !== 'h2h');
  const isExposed = finding.cause === 'overlapped' && costOf(scene, copy) > durationOf(copy) / 2;
  if (copy.direction === 'h2h' && (isApart || isExposed || finding.cause === 'issued-too-late')) {
    return { ...pageable(copy, scene.callOf(copy)), also: [finding.cause, ...finding.also] };
  }
  // A kernel that needs the data could not have hidden the copy.
  const isAlone = finding.cause === 'issued-too-late' && partner?.needsData === true;
  const wait = isAlone || finding.cause === 'nothing-to-overlap' ? waitAfterEach(scene, copy) : null;
  if (wait !== null && callBound(scene, copy) === null) {
    return {
      ...plain,
      also: finding.also,
      cause: 'wait-after-each-copy',
      rule: 'synchronize-holds-host',
      holder: wait,
    };
  }
  // Reading a value waits for what computes it: another stream would wait as well.
  const isValue = scene.facts.operation(copy.op)?.op === 'item' && (partner?.kernel.endNs ?? Infinity) <= copy.startNs;
  if (finding.cause === 'same-stream' && isValue) {
    const holder = scene.callOf(copy);
    return { ...finding, cause: 'waits-for-earlier-work', rule: 'blocking-to', holder };
  }
  const isSmall = finding.cause === 'nothing-to-overlap' || finding.cause === 'too-small';
  const bound = callBound(scene, copy);
  const isInRow = bound?.inRow.has(copy.row) === true;
  // If the host is far ahead, the copy waits for others of its own operation.
  const isBehind = finding.obstacle?.op === copy.op && copy.op >= 0;
  if (!isInRow || !(isSmall || isBehind || finding.cause === 'issued-too-late')) return finding;
  return { ...plain, cause: 'many-small-copies', rule: 'launch-cost' };
}

interface Judged {
  readonly partner: Partner | null;
  readonly pair: Pair | null;
  readonly found: Finding;
}

/**
 * Returns a judgement by the next kernel if this one was too small to hide a longer copy and the next one had to wait
 * for the copy. Returns null if the first judgement stands.
 */
function behindInstead(scene: Scene, copy: Activity, { partner, pair, found }: Judged): Judged | null {
  const isKernelsSize = found.cause === 'too-small' && pair !== null && pair.first !== copy;
  if (!isKernelsSize || partner === null || durationOf(copy) <= durationOf(partner.kernel)) return null;
  const behind = kernelBehind(scene, copy);
  if (behind === null) return null;
  const next = makePair(scene, copy, behind);
  const instead = findCause(scene, next);
  return instead.cause === 'too-small' || instead.cause === 'unexplained'
    ? null
    : { partner: behind, pair: next, found: instead };
}

function pinned(scene: Scene, occurrences: readonly Occurrence[]): number | null {
  const times = occurrences.flatMap(({ copy }) => pinnedNs(scene, copy) ?? []);
  return times.length === 0 ? null : times.reduce((total, timeNs) => total + timeNs, 0);
}

const plain = { also: [], holder: null, obstacle: null } as const;
const nothing: Finding = { cause: 'nothing-to-overlap', rule: 'streams-may-overlap', ...plain };

function overlapped(scene: Scene, copy: Activity): Finding {
  const sharer = linkSharer(scene, copy);
  if (sharer === null) return { ...plain, cause: 'overlapped', rule: 'overlap-needs-pinned' };
  return { ...plain, cause: 'overlapped', rule: 'mapped-memory', obstacle: blockedBy(sharer) };
}

/** Returns the first occurrence with the cause that accounts for most of the copies' time. */
function mostTelling(occurrences: readonly Occurrence[]): Occurrence {
  const timeOf = new Map<Cause, number>();
  for (const { copy, finding } of occurrences) {
    timeOf.set(finding.cause, (timeOf.get(finding.cause) ?? 0) + durationOf(copy));
  }
  return occurrences.reduce((best, one) =>
    (timeOf.get(one.finding.cause) ?? 0) > (timeOf.get(best.finding.cause) ?? 0) ? one : best,
  );
}

function blockingOperation({ copy, partner, finding }: Occurrence): number | null {
  const op = finding.obstacle?.op ?? finding.holder?.op ?? -1;
  return op < 0 || op === copy.op || op === partner?.kernel.op ? null : op;
}

function evidence(scene: Scene, { copy, partner, finding }: Occurrence): Evidence[] {
  if (copy.kind === 'kernel')
    return evidenceRows([
      ['kernel', copy],
      ['kernel-call', scene.callOf(copy)],
      ['blocking-operation', finding.obstacle?.activity ?? null],
    ]);
  const kernel = partner?.kernel ?? null;
  const [copyCall, kernelCall] = [scene.callOf(copy), kernel === null ? null : scene.callOf(kernel)];
  return evidenceRows([
    ['copy', copy],
    ['copy-call', copyCall],
    ['kernel', kernel],
    ['kernel-call', kernelCall],
    ['holding-call', finding.holder],
    ['blocking-operation', finding.obstacle?.activity ?? null],
  ]);
}

const sum = (occurrences: readonly Occurrence[], of: (one: Occurrence) => number): number =>
  occurrences.reduce((total, one) => total + of(one), 0);

const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
