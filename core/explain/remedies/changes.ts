/**
 * Finds changes to the experiment that remove a verdict's cause. There are none if no simple change helps, for example
 * for memory that only the engine knows, or data that is needed as a whole.
 */
import { applyChange, type Change, joinChanges } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { Effort } from '../hazards/repair.ts';
import { launchAhead } from './ahead.ts';
import { copyOnce } from './copyOnce.ts';
import { doubleBuffer } from './doubleBuffer.ts';
import { doubleStaging } from './doubleStaging.ts';
import { capturedOnce, ownBranch, ownGraph, ownLaunches } from './graphs.ts';
import { functionsApart, waitElsewhere, waitLater } from './handover.ts';
import { inParts } from './inParts.ts';
import { asynchronous, issuedBetween, moveBefore, otherThread, withoutLaunchBlocking } from './issue.ts';
import { joinedCopies, pipelined, unstagedRows } from './joinCopies.ts';
import { prefetched, withoutReadMostly } from './managed.ts';
import { inDeviceMemory, withFewerThreads } from './mapped.ts';
import { cacheMemory, keepMemory } from './memory.ts';
import { prepareAhead } from './prepare.ts';
import { find, type Situation, second } from './situation.ts';
import { intoOthersStream, nonBlocking, ownStream, sharedStreams, streamOfEachThread, urgentFirst } from './streams.ts';
import { readLater } from './values.ts';
import { launchElsewhere, launchFirst, narrowerEvents, withoutWaits } from './waits.ts';
import { copiesApart, pinned, withoutBlocking, withoutRelay, withoutStaging } from './whole.ts';

/** Ways to divide the multiprocessors: share of the blocking kernel, then of the waiting one. */
const divisions = [
  [0.75, 0.25],
  [0.5, 0.5],
  [0.25, 0.75],
] as const;

const waitingKernel = (situation: Situation) =>
  find(situation, situation.verdict.subject === 'kernel' ? situation.verdict.op : situation.verdict.with, 'kernel');

/** Limits the multiprocessors of both kernels so that they can run at once. */
function shareOut(situation: Situation): Change[] {
  const { experiment, verdict } = situation;
  const waiting = waitingKernel(situation);
  const filling = find(situation, verdict.subject === 'kernel' ? verdict.with : verdict.blockedBy, 'kernel');
  if (waiting === null || filling === null || waiting.info.op === filling.info.op) return [];
  return divisions.map((division) => {
    const edit = new ChangeBuilder(experiment);
    for (const [index, { info, operation }] of [filling, waiting].entries()) {
      const share = division[index] ?? 1;
      if (operation.smShare <= share) continue;
      const words = `Let "${info.label}" fill ${share * 100} % of the multiprocessors.`;
      edit.step(words).replace([...info.path, 'smShare'], share);
    }
    return edit.change;
  });
}

/** Returns changes in order of preference; empty if there are none. */
export function changesFor(situation: Situation): Change[] {
  const { experiment, verdict } = situation;
  return [...present(verdict.subject === 'copy' ? copyOnce(experiment, verdict.op) : null), ...ofCause(situation)];
}

function ofCause(situation: Situation): Change[] {
  const { verdict } = situation;
  const before = (op: number | null): Change | null => moveBefore(situation, second(situation), op);
  const earlier = (): Change | null => before(verdict.blockedBy);
  switch (verdict.cause) {
    case 'pageable-source':
    case 'pageable-destination':
      return present(
        pinnedBy(situation),
        pipelined(situation),
        unstagedRows(situation),
        ...launchedEarlier(situation),
        readLater(situation.experiment),
      );
    case 'waits-for-earlier-work':
      if (find(situation, verdict.op, 'item') !== null) return present(readLater(situation.experiment));
      return present(
        withoutBlocking(situation.experiment),
        pinnedBy(situation),
        withoutWaits(situation.experiment, new Effort(effortOfWaits)),
      );
    case 'wait-after-each-copy':
      return present(
        withoutBlocking(situation.experiment),
        doubleStaging(situation.experiment),
        withoutWaits(situation.experiment, new Effort(effortOfWaits)),
        inParts(situation),
      );
    case 'many-small-copies':
      return present(joinedCopies(situation.experiment));
    case 'allocated-again':
      return find(situation, verdict.op, 'pin') !== null
        ? present(withoutStaging(situation.experiment))
        : present(keepMemory(situation.experiment));
    case 'captured-again':
      return present(capturedOnce(situation.experiment));
    case 'same-stream':
      return present(
        isShared(situation) ? streamOfEachThread(situation.experiment) : null,
        ownBranch(situation),
        ownLaunches(situation),
        ...(find(situation, verdict.with, 'copy') === null ? [] : directionsApart(situation)),
        ownStream(situation),
      );
    case 'legacy-default-stream':
      return present(...nonBlocking(situation.experiment), ownStream(situation));
    case 'event-dependency':
      return verdict.needsData === true
        ? present(
            inParts(situation),
            doubleBuffer(situation.experiment, find(situation, verdict.op, 'copy')?.operation.dst),
          )
        : present(narrowerEvents(situation.experiment));
    case 'through-host':
      return present(withoutRelay(situation.experiment, new Effort(effortOfWaits)));
    case 'graph-launches':
      return present(ownGraph(situation));
    case 'peer-copy-alone':
      return present(asynchronous(situation), earlier());
    case 'engine-busy':
      return present(issuedBetween(situation.experiment), moveBefore(situation, verdict.op, verdict.blockedBy));
    case 'copy-queues':
      return present(...intoOthersStream(situation), earlier());
    case 'overlapped':
      return verdict.rule === 'mapped-memory' ? present(inDeviceMemory(situation), withFewerThreads(situation)) : [];
    case 'mapped-memory':
      return present(inDeviceMemory(situation), withFewerThreads(situation), earlier());
    case 'managed-pages':
      return present(withoutReadMostly(situation), prefetched(situation));
    case 'queued-behind':
      return present(
        verdict.rule === 'host-function-in-turn' ? functionsApart(situation.experiment) : null,
        ownBranch(situation),
        find(situation, verdict.blockedBy, 'copy', 'waitEvent') &&
          copiesApart(situation.experiment, new Effort(effortOfWaits)),
        ownStream(situation),
        earlier(),
      );
    case 'issued-too-late':
      return present(
        waitLater(situation.experiment, new Effort(effortOfWaits)),
        waitElsewhere(situation.experiment, new Effort(effortOfWaits)),
        asynchronous(situation),
        // If `blockedBy` is null, the copy's own call blocked the host, as for a multi-tensor copy.
        before(verdict.blockedBy ?? verdict.op),
        pinnedBy(situation),
        pipelined(situation),
        unstagedRows(situation),
        launchFirst(situation.experiment),
        launchAhead(situation.experiment),
        prepareAhead(situation.experiment),
        joinedCopies(situation.experiment, verdict.id ?? ''),
        withoutWaits(situation.experiment, new Effort(effortOfWaits)),
      );
    case 'launch-blocking':
      return present(withoutLaunchBlocking(situation));
    case 'launch-queue-full':
      return present(launchElsewhere(situation.experiment), earlier(), ownStream(situation));
    case 'allocation-synchronises':
      return present(cacheMemory(situation), earlier());
    case 'multiprocessors-full':
      return present(
        urgentFirst(situation.experiment, waitingKernel(situation)?.operation.stream),
        ...shareOut(situation),
      );
    case 'too-small':
      return present(joinedCopies(situation.experiment, verdict.id ?? ''), pipelined(situation));
    case 'not-a-copy-engine-copy':
      if (verdict.rule !== 'host-to-host-copy') return present(pinnedBy(situation));
      return present(withoutStaging(situation.experiment), otherThread(situation));
    default:
      return [];
  }
}

const isShared = (situation: Situation): boolean =>
  sharedStreams(situation.experiment).some(
    ({ stream }) => stream === find(situation, situation.verdict.op, 'copy')?.operation.stream,
  );

/** Write-combined memory that the host reads is the cause only of what copies into it. */
const pinnedBy = (situation: Situation): Change | null =>
  pinned(situation.experiment, find(situation, situation.verdict.op, 'copy')?.operation.dst ?? '');

/** Gives each direction a stream, and what both use two buffers. */
function directionsApart({ experiment }: Situation): (Change | null)[] {
  const apart = copiesApart(experiment, new Effort(effortOfWaits));
  const inTurn = apart === null ? null : doubleBuffer(applyChange(experiment, apart));
  return [apart, apart !== null && inTurn !== null ? joinChanges(apart, inTurn) : null];
}

/** Moves all kernels that can pass waits, if there are several (each is added and removed), or else what ran second. */
function launchedEarlier(situation: Situation): (Change | null)[] {
  const one = moveBefore(situation, second(situation), situation.verdict.op);
  const all = launchFirst(situation.experiment);
  return all !== null && all.patches.length > 2 ? [all, one] : [one, all];
}

/** Limit of checked operations while waits are removed. */
const effortOfWaits = 5000;

const present = (...changes: readonly (Change | null)[]): Change[] =>
  changes.filter((change) => change !== null && change.patches.length > 0) as Change[];
