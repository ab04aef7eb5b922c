/** Causes that the document shows, whatever the timing: races, data that is copied again, and host memory between devices. */

import { describeOperation } from '../../experiment/describe.ts';
import { operationCount } from '../../experiment/edit/paths.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { OperationOf } from '../../experiment/operations.ts';
import { groupBy } from '../../groupBy.ts';
import { formatDuration } from '../../units.ts';
import { mostNoted, withRaces } from '../hazards/races.ts';
import type { Cause, Verdict } from '../verdicts/verdict.ts';
import { idleWork } from './ahead.ts';
import { repeatedCopies } from './copyOnce.ts';
import { filledAlone } from './doubleBuffer.ts';
import { stagesOf } from './doubleStaging.ts';
import { earlyWaits, holdingFunctions } from './handover.ts';
import { copiesAhead } from './issue.ts';
import { preparedLate } from './prepare.ts';
import { isPlace, listOf, namesOf, outermostLoop, type Place, places } from './situation.ts';
import { eventsAround, outOfLegacyStream, sharedName, sharedStreams, waitsByStream } from './streams.ts';
import { copiedTwice, peerCopies, readUncached, relays } from './whole.ts';

/** Causes that stay: each round of a loop of small copies may stand for other blocks. */
const kept: ReadonlySet<Cause> = new Set(['race', 'many-small-copies']);

/** Causes that an order of streams brings about. */
const byStreams: ReadonlySet<Cause> = new Set(['same-stream', 'queued-behind', 'event-dependency']);
/** Causes that one stream of several host threads brings about too. */
const bySharing: ReadonlySet<Cause> = new Set([...byStreams, 'issued-too-late', 'waits-for-earlier-work', 'too-small']);
/** Causes that each of these replaces. A cause that is not here replaces all. */
const broughtAbout: ReadonlyMap<Cause, ReadonlySet<Cause>> = new Map([
  ['legacy-default-stream', byStreams],
  ['same-stream', bySharing],
]);

type Told = Pick<Verdict, 'cause' | 'title' | 'explanation' | 'remedy'> & Partial<Verdict>;

/** Returns what holds copies up between threads, streams and host functions, by the id of the copy. */
function heldUp(experiment: Experiment): ReadonlyMap<string, Told> {
  const told = new Map<string, Told>();
  const blocking = experiment.streams.filter(({ flags }) => flags === 'blocking').map(({ id }) => id);
  const isLegacy = outOfLegacyStream(experiment) !== null;
  for (const { operation } of places(experiment).filter(isPlace('copy'))) {
    if (!isLegacy || !blocking.includes(operation.stream)) continue;
    told.set(operation.id, {
      cause: 'legacy-default-stream',
      rule: 'legacy-default-stream',
      title: 'Legacy default stream holds the others up',
      explanation: `Work in the legacy default stream waits for all blocking streams, and their later work waits for it, so streams ${namesOf(blocking)} take turns.`,
      remedy: 'Issue that work asynchronously in the stream that uses its data.',
    });
  }
  for (const { stream, threads } of sharedStreams(experiment)) {
    const name = sharedName(stream, experiment);
    const perThread = stream === 'default' ? ', or compile with --default-stream per-thread' : '';
    for (const { operation } of places(experiment).filter(isPlace('copy'))) {
      if (operation.stream !== stream) continue;
      told.set(operation.id, {
        cause: 'same-stream',
        rule: 'stream-order',
        title: 'Host threads share one stream',
        explanation: `Threads ${namesOf(threads)} all work in ${name}, which runs everything in order of issue: each waits for the work of the others too.`,
        remedy: `Give each thread a stream of its own${perThread}.`,
      });
    }
  }
  for (const { next, wait, work } of earlyWaits(experiment)) {
    if (next === undefined) continue;
    told.set(next.operation.id, {
      cause: 'issued-too-late',
      rule: 'issue-before-run',
      title: 'Host threads take turns',
      explanation: `The host waits for signal "${wait.operation.signal}", which says that memory is free, before it does ${namesOf(work.map(({ operation }) => describeOperation(operation, experiment)))}. Then no thread works while another one does.`,
      remedy:
        'Wait for the signal only before the copy that needs the memory, or give each round a second set of buffers.',
    });
  }
  for (const { held, copy } of holdingFunctions(experiment)) {
    if (copy === null) continue;
    const { operation } = held;
    told.set(copy.operation.id, {
      cause: 'queued-behind',
      rule: 'host-function-in-turn',
      title: 'Host function holds the stream',
      explanation: `Host function "${describeOperation(operation, experiment)}" comes behind the copy in stream "${operation.stream}", and takes ${formatDuration(operation.durationNs)}. Later work of the stream waits for it, and the device is idle.`,
      remedy:
        'Put the function in a stream of its own behind an event, or let a host thread wait for the event and do its work.',
    });
  }
  const uncached = new Set(readUncached(experiment).map(([, { id }]) => id));
  for (const { operation } of places(experiment).filter(isPlace('copy'))) {
    if (!uncached.has(operation.dst)) continue;
    told.set(operation.id, {
      cause: 'issued-too-late',
      rule: 'issue-before-run',
      title: 'Host reads write-combined memory',
      explanation: `"${operation.dst}" is write-combined, so the processor reads it past its caches, many times slower than other memory. How many times is published for another machine, not measured on this one.`,
      remedy: 'Take ordinary page-locked memory for what the host reads.',
    });
  }
  for (const id of copiedTwice(experiment)) {
    told.set(id, {
      cause: 'pageable-destination',
      rule: 'pageable-destination-holds-host',
      title: 'Copied to pageable memory, and then again on the host',
      explanation:
        'The driver stages the copy, since its destination is pageable. The host then copies the data again into page-locked memory, which comes too late to help.',
      remedy: 'Copy straight into page-locked memory that is kept.',
    });
  }
  return told;
}

/** Causes that say that no kernel was near. */
const withoutKernel: ReadonlySet<Cause> = new Set(['issued-too-late', 'too-small', 'nothing-to-overlap']);

/** Returns copies of loops that bring data to the device and back in one stream, each with the id of the other one. */
function roundTrips(experiment: Experiment): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const all = places(experiment).filter(isPlace('copy'));
  const copies = all.filter(({ path }) => outermostLoop(experiment, path) !== null);
  const keyOf = (copy: (typeof copies)[number], buffer: string): string =>
    JSON.stringify([listOf(copy), copy.operation.stream, buffer]);
  const bySource = groupBy(copies, (copy) => keyOf(copy, copy.operation.src));
  for (const up of copies) {
    const back = bySource.get(keyOf(up, up.operation.dst))?.[0];
    if (back !== undefined) found.set(up.operation.id, back.operation.id).set(back.operation.id, up.operation.id);
  }
  return found;
}

/** Returns the verdicts with these causes instead of those that timing suggests. */
export function byDocument(verdicts: readonly Verdict[], experiment: Experiment | null): readonly Verdict[] {
  if (experiment === null || operationCount(experiment) > mostNoted) return verdicts;
  let words: (verdict: Verdict) => Told | null;
  try {
    const repeated = new Map(repeatedCopies(experiment).flatMap((all) => all.map((one) => [one.op, all] as const)));
    const relayed = relays(experiment);
    const isPeered = experiment.environment.peerAccess;
    const unpeered = new Set(isPeered ? [] : peerCopies(experiment).map(({ operation }) => operation.id));
    const staged = new Map(stagesOf(experiment).flatMap(({ buffer, copies }) => copies.map(({ id }) => [id, buffer])));
    const alone = filledAlone(experiment);
    const all = places(experiment);
    const isOthersWait = (wait: Place, { operation, path }: Place): wait is Place<OperationOf<'waitEvent'>> =>
      isPlace('waitEvent')(wait) &&
      operation.op === 'copy' &&
      operation.stream === wait.operation.stream &&
      !eventsAround(experiment, { operation, path }).some((one) => one.join() === wait.path.join());
    const idle = new Map([...preparedLate(experiment), ...idleWork(experiment)]);
    const held = heldUp(experiment);
    const behind = new Map(
      copiesAhead(experiment).flatMap(({ run, behind: late }) =>
        late.map(({ operation }) => [operation.id, run] as const),
      ),
    );
    const trips = roundTrips(experiment);
    const ops = new Map(verdicts.map((one) => [one.id, one]));
    const lastingNs = new Map(verdicts.map(({ id, copyNs, occurrences }) => [id, copyNs / occurrences]));
    words = ({ op, id, cause, costNs, copyNs, label, blockedBy, hostCall, occurrences, needsData, evidence }) => {
      const again = cause === 'overlapped' ? undefined : repeated.get(op);
      if (again !== undefined) {
        const times = again.length > 1 ? again.length : occurrences;
        return {
          cause: 'copied-again',
          title: 'Unchanged data copied again',
          explanation: `"${again[0].operation.src}" is copied ${times} times to the same place, and nothing changes the data in between.`,
          remedy:
            'Copy it once, before its first use. If each round brings other data, let the source move (srcStepBytes) or write into it, so that the document says so.',
        };
      }
      const up = cause === 'overlapped' ? undefined : held.get(id ?? '');
      if (up !== undefined && broughtAbout.get(up.cause)?.has(cause) !== false) return up;
      const stage = id === null ? undefined : staged.get(id);
      if (stage !== undefined && (cause === 'issued-too-late' || needsData === true)) {
        return {
          cause: 'wait-after-each-copy',
          title: 'One staging buffer, and a wait for each copy',
          explanation: `The host waits for each copy from "${stage}" before it fills it again, so it fills and copies in turns.`,
          remedy: 'Use two buffers in turn, and wait for a copy only before its buffer is filled again.',
        };
      }
      const slot = alone.get(id ?? '');
      const isExposed = costNs > copyNs / 2;
      if (slot !== undefined && (byStreams.has(cause) || (cause === 'overlapped' && isExposed))) {
        return {
          cause: 'event-dependency',
          rule: 'event-order',
          needsData: true,
          title: 'One buffer: copies and kernels take turns',
          explanation: `"${slot}" takes what every "${label}" brings, so each waits until kernels have read what was there before, and the next kernels wait for it.`,
          remedy: 'Fill two buffers in turn: one is filled while the other is used.',
        };
      }
      const [copy, wait] = [all[op], all[blockedBy ?? -1]];
      if (cause === 'event-dependency' && copy !== undefined && wait !== undefined && isOthersWait(wait, copy)) {
        const { event, stream } = wait.operation;
        return {
          cause: 'queued-behind',
          rule: 'stream-order',
          title: 'Behind the wait of another copy',
          explanation: `Stream "${stream}" waits for event "${event}" before another copy, and this one comes behind it.`,
          remedy: 'Give the copies of each direction a stream of their own, each with its waits.',
        };
      }
      const ahead = behind.get(id ?? '');
      const [called, ran] = ['copy-call', 'copy'].map((role) => evidence.find((one) => one.role === role));
      const waitedNs = called === undefined || ran === undefined ? 0 : ran.startNs - called.endNs;
      const aheadNs = (ahead ?? []).reduce((sum, { operation }) => sum + (lastingNs.get(operation.id) ?? 0), 0);
      // The rest of the wait was for work of its own stream.
      const queuedNs = Math.min(waitedNs, aheadNs);
      if (ahead !== undefined && queuedNs > costNs) {
        const stream = ahead[0]?.operation.stream ?? '';
        return {
          cause: 'engine-busy',
          rule: 'one-engine-per-direction',
          title: 'Queued in the engine behind copies that are needed later',
          explanation: `It was issued behind copies of stream "${stream}" in the same direction, and waited ${formatDuration(queuedNs)} for them: a copy engine runs copies in the order of issue.`,
          remedy: `Issue it first, and the copies of stream "${stream}" in parts behind the copies that the host waits for.`,
        };
      }
      const work = idle.get(id ?? '');
      if (
        work !== undefined &&
        work.ns > costNs &&
        (cause !== 'issued-too-late' || hostCall?.startsWith('cudaMemcpy') === true)
      ) {
        return {
          cause: 'issued-too-late',
          rule: 'issue-before-run',
          hostCall: work.name,
          title: `Issued too late: host in ${work.name}`,
          explanation: `The host waits for this copy, works for ${formatDuration(work.ns)} in all, and only then launches the next work. The device is idle until then.`,
          remedy: 'Launch the next device work before that, or do the host work in another host thread.',
        };
      }
      const back = ops.get(trips.get(id ?? '') ?? '');
      if (back !== undefined && withoutKernel.has(cause) && hostCall === null) {
        return {
          cause: 'same-stream',
          rule: 'stream-order',
          with: back.op,
          withLabel: back.label,
          needsData: true,
          title: 'Both directions in one stream',
          explanation: `It and "${back.label}" are in one stream and use the same device memory, so the link only works in one direction at a time.`,
          remedy: 'Give each direction a stream, with events, and fill two buffers in turn.',
        };
      }
      if (id === null || !(relayed.has(id) || unpeered.has(id))) return null;
      return {
        cause: 'through-host',
        title: 'Through host memory from device to device',
        explanation: relayed.has(id)
          ? 'The data crosses the link twice: down into host memory that nothing else uses, and up again.'
          : 'Peer access is off, so the driver takes the data through host memory.',
        remedy: 'Copy from device to device, with peer access if there are two.',
      };
    };
  } catch {
    // The experiment in a run file may be one that can't be lowered.
    return verdicts;
  }
  const judged = awaitedFirst(withRaces(verdicts, experiment), experiment).map((verdict) => {
    const isJudged = verdict.subject === 'copy' && !kept.has(verdict.cause) && verdict.costNs > 0;
    const told = isJudged ? words(verdict) : null;
    return { verdict: told === null ? verdict : { ...verdict, ...told, also: [verdict.cause, ...verdict.also] }, told };
  });
  // These are tested first.
  return judged.sort((a, b) => Number(a.told === null) - Number(b.told === null)).map(({ verdict }) => verdict);
}

/** Returns the verdicts with the kernels last, those first whose stream the host waits for most often. */
function awaitedFirst(verdicts: readonly Verdict[], experiment: Experiment): Verdict[] {
  const kernels = new Map(
    places(experiment)
      .filter(isPlace('kernel'))
      .map(({ operation: { id, stream } }) => [id, stream]),
  );
  const waits = waitsByStream(experiment);
  const urgency = ({ id, subject }: Verdict): number =>
    subject === 'kernel' ? (waits.get(kernels.get(id ?? '') ?? '') ?? 0) : Number.MAX_SAFE_INTEGER;
  return [...verdicts].sort((a, b) => urgency(b) - urgency(a));
}
