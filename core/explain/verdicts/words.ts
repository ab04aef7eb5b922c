/** Words a verdict in plain sentences, with the figures of its run. */

import type { RuleId } from '../../rules/rules.ts';
import { type Activity, activity } from '../../trace/iteration.ts';
import type { CopyDirection } from '../../trace/trace.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../units.ts';
import { holdsHost, isHeldBy } from '../figures/hostTime.ts';
import { nothingWithin } from '../figures/laneSpans.ts';
import { callBound } from './callBound.ts';
import { allocationSynchronises, issuedTooLate, launchBlocking, launchQueueFull, pageable } from './hostWords.ts';
import { linkSharer } from './mapped.ts';
import type { Occurrence } from './occurrence.ts';
import { durationOf, type Scene } from './scene.ts';
import type { Cause } from './verdict.ts';
import {
  capital,
  inParts,
  nonBlocking,
  otherWork,
  readLater,
  type Teller,
  VerdictTexts,
  type Words,
  withThe,
} from './verdictTexts.ts';

export function explain(scene: Scene, shown: Occurrence, occurrences: readonly Occurrence[]): Words {
  const words = withCopies(scene, shown, tellers[shown.finding.cause](new VerdictTexts(scene, shown)));
  const alike = occurrences.filter((one) => one.finding.cause === shown.finding.cause).length;
  if (occurrences.length === 1) return words;
  const repeats = `The ${shown.copy.kind} ran ${occurrences.length} times, ${alike} of them like this; the figures are of one of them.`;
  return { ...words, explanation: `${words.explanation} ${repeats}` };
}

/** Adds what other copies have to do with it, if its device ran no kernel. */
function withCopies(scene: Scene, { copy, partner, pair }: Occurrence, words: Words): Words {
  if (partner?.kernel.kind === 'copy') {
    const both =
      scene.copyEngines === 1 ? '' : ' They go in opposite directions, so two copy engines can run them at once.';
    return { ...words, explanation: `${words.explanation}${both}` };
  }
  const call = scene.callOf(copy);
  if (partner !== null || pair !== null || call === null) return words;
  const { timeNs, longest } =
    scene.engineOf(copy)?.within({ startNs: call.endNs, endNs: copy.startNs }) ?? nothingWithin;
  if (longest === null || timeNs < durationOf(copy) / 2) return words;
  const other = activity(scene.iteration.trace, longest.row);
  if (other.lane === copy.lane) return words;
  const label = scene.facts.label(other.op) ?? other.name;
  const full = ` The ${engineName(copy.direction, scene)} was busy for ${formatDuration(timeNs)} before, with "${label}" of another stream: it is full, and more streams gain nothing.`;
  return { ...words, explanation: `${words.explanation}${full}` };
}

const engineName = (direction: CopyDirection | null, { copyEngines }: Scene): string => {
  if (copyEngines === 1) return 'only copy engine';
  return direction === null ? 'copy engine' : `${direction.toUpperCase()} copy engine`;
};

/** Words of a cause that others find, and word. */
const untold =
  (title: string): Teller =>
  () => ({ title, explanation: '', remedy: null });

const tellers: Readonly<Record<Cause, Teller>> = {
  race: untold('Race'),
  'copied-again': untold('Unchanged data copied again'),
  'through-host': untold('Through host memory from device to device'),
  'managed-pages': untold('Waits for pages'),
  'allocated-again': untold('Memory allocated again and again'),
  'captured-again': untold('Graph captured again and again'),
  'frontend-calls': untold("PyTorch's own time"),

  overlapped: (texts) => {
    const { copy, overlapNs, partner } = texts.shown;
    const kernel = partner === null ? 0 : durationOf(partner.kernel);
    const shares = `${formatShare(kernel > 0 ? (partner?.commonNs ?? 0) / kernel : 0)} of it ran during the copy`;
    const note = holdsHost(copy) ? ' The host memory is pageable, but the host had issued the kernel by then.' : '';
    const sharer = texts.shown.finding.obstacle?.activity ?? null;
    const moved = formatRate(copy.bytes / (durationOf(copy) / 1e9));
    const beside = sharer === null ? '' : ` ${capital(usesLink(texts, sharer))}. The copy moved at ${moved} then.`;
    return {
      title: sharer === null ? 'Overlapped' : 'Overlapped, sharing the link',
      explanation: `${capital(texts.kernelName)} took ${formatDuration(kernel)}, and ${shares}. Kernels ran for ${formatDuration(overlapNs)} of the ${formatDuration(durationOf(copy))} that the copy took.${beside}${note}`,
      remedy: null,
    };
  },

  'pageable-source': (texts) => pageable(texts, 'source'),
  'pageable-destination': (texts) => pageable(texts, 'destination'),

  'same-stream': (texts) => ({
    title: 'Same stream',
    explanation: `The copy and ${texts.kernelName} are both in stream ${texts.stream(texts.copy)}, which runs its work in issue order. ${texts.timing}${texts.andAlso}`,
    remedy: texts.readsOneValue
      ? readLater
      : texts.shown.partner?.needsData === true
        ? `${otherWork} Either needs a second stream${texts.scene.facts.capture(texts.copy.op) === undefined ? '' : ', as a branch of the graph'}.`
        : `${texts.ownStream}.`,
  }),

  'legacy-default-stream': (texts) => {
    const between = texts.operation(texts.shown.finding.obstacle?.op);
    const how =
      between === null
        ? 'one of them is the legacy default stream, the other a blocking stream'
        : `${between} in the legacy default stream was issued between them, and both streams are blocking streams`;
    const pair = texts.shown.pair;
    const streams =
      pair === null
        ? ''
        : `The copy is in stream ${texts.stream(texts.copy)}, ${texts.kernelName} in ${texts.stream(pair.kernel)}: `;
    return {
      title: 'Legacy default stream',
      explanation: `${streams}${how}. ${texts.timing}${texts.andAlso}`,
      remedy: `${nonBlocking}, or use per-thread default streams.`,
    };
  },

  'event-dependency': (texts) => {
    const wait = texts.operation(texts.shown.finding.obstacle?.op) ?? 'an event wait';
    const { needsData } = texts.shown.partner ?? { needsData: null };
    const [first, second] = texts.copyFirst ? ['copy', texts.kernelName] : [texts.kernelName, 'copy'];
    const through = texts.shown.finding.through === undefined ? '' : `, ${byWayOf(texts.shown.finding.through)}`;
    if (texts.shown.finding.unnamedEvent === true) return unnamedWait(texts, second, first);
    const needing = texts.operation(texts.shown.finding.neededBy ?? undefined);
    const isNeeded = needsData === true || needing !== null;
    const why =
      needsData === true
        ? ' They share data, so the wait is needed.'
        : needing === null
          ? ''
          : ` ${capital(needing)}, behind the wait as well, shares data with ${withThe(first)}, so the wait is needed there${needsData === false ? `, not before ${withThe(second)}` : ''}.`;
    return {
      title: isNeeded ? 'Event wait, needed by the data' : 'Event wait',
      explanation: `${capital(wait)} makes ${withThe(second)} wait for ${withThe(first)}${through}.${why} ${texts.timing}${texts.andAlso}`,
      remedy: isNeeded
        ? `${inParts}.`
        : needsData === false
          ? 'Neither touches what the other writes: remove the wait.'
          : 'If the data allows it, remove the wait.',
    };
  },

  'graph-launches': (texts) => {
    const { obstacle, through } = texts.shown.finding;
    const launch = texts.launch(obstacle?.op);
    const who =
      launch === null ? 'The host launched a graph whose last launch' : `${launch} launched a graph whose last launch`;
    const where =
      through === undefined ? '' : ` The copy and the kernel are tied to these launches ${byWayOf(through)}.`;
    return {
      title: 'Launches of one graph',
      explanation: `${who} was still running. An executable graph runs once at a time: each launch waits for the one before it, in whatever stream.${where} ${texts.timing}${texts.andAlso}`,
      remedy:
        'Capture and instantiate the work a second time, with buffers of its own for what it writes, and launch the two in turn.',
    };
  },

  'peer-copy-alone': (texts) => {
    const { obstacle, through } = texts.shown.finding;
    const between = texts.operation(obstacle?.op) ?? texts.label(texts.copy);
    const where = through === undefined ? '' : ` The copy and the kernel are tied to it ${byWayOf(through)}.`;
    return {
      title: 'cudaMemcpy between two devices',
      explanation: `${between} is a cudaMemcpy between two devices, in the legacy default stream. It begins when both devices have finished all earlier work, and all later work waits for it, also in non-blocking streams.${where} ${texts.timing}${texts.andAlso}`,
      remedy: 'Make that copy asynchronous (cudaMemcpyPeerAsync), in a non-blocking stream.',
    };
  },

  'engine-busy': (texts) => {
    const other = texts.shown.finding.obstacle?.activity ?? null;
    const busy = other === null ? 'another copy' : texts.label(other);
    // One operation that ran many times, or has many tensors.
    const isOwn = other !== null && other.op >= 0 && other.op === texts.copy.op;
    const size = other === null ? '' : ` (${formatBytes(other.bytes)}, ${formatDuration(durationOf(other))})`;
    const sharer = other === null ? null : linkSharer(texts.scene, other);
    const beside = sharer === null ? '' : ` That copy shared the link: ${usesLink(texts, sharer)}.`;
    return {
      title: 'Copy engine busy',
      explanation: `While ${texts.kernelName} ran, the ${engineName(texts.copy.direction, texts.scene)} was busy with ${isOwn ? `earlier copies of ${busy}` : `${busy}${size}`}. It runs ${texts.scene.copyEngines === 1 ? 'the copies of both directions' : 'copies of one direction'} one after another, in whatever streams they are.${beside} ${texts.timing}`,
      remedy: isOwn
        ? 'Issue the kernel earlier, or give the device more work for that time.'
        : `Issue this copy before ${busy}, or give the device more work for that time.`,
    };
  },

  'copy-queues': (texts) => {
    const other = texts.shown.finding.obstacle?.activity ?? null;
    const ahead = other === null ? 'another copy' : `${texts.label(other)} of stream ${texts.stream(other)}`;
    const whole = other === null ? 'that copy' : texts.label(other);
    return {
      title: 'Behind another stream in a copy queue',
      explanation: `The copy shares a queue of the ${engineName(texts.copy.direction, texts.scene)} with ${ahead}. The host issued that one first, and it was not ready. A queue runs its copies in issue order, so this copy waited while the engine was idle. ${texts.timing}`,
      remedy: `Put this copy into a stream that uses another queue, or issue it before ${whole}. With at most four streams that copy in one direction, each has a queue of its own.`,
    };
  },

  'mapped-memory': (texts) => {
    const other = texts.shown.finding.obstacle?.activity ?? texts.shown.partner?.kernel ?? texts.copy;
    const fewer =
      ' Or let it fill a quarter of the multiprocessors (smShare): on an H200 such a kernel read as fast, and copies kept half of their speed.';
    return {
      title: 'Link taken by mapped memory',
      explanation: `${capital(usesLink(texts, other))}. The link serves the requests of its threads first, so this copy waited while its engine was idle. ${texts.timing}`,
      remedy: `Let the kernel work in device memory, and a copy engine copy ${texts.mapped(other)}.${texts.scene.facts.mapped(other.op)?.written === null ? fewer : ''}`,
    };
  },

  'queued-behind': (texts) => {
    const other = texts.shown.finding.obstacle?.activity ?? null;
    const [first, second] = texts.copyFirst ? ['the copy', texts.kernelName] : [texts.kernelName, 'the copy'];
    const ahead = other === null ? 'other work' : texts.label(other);
    const needsIt = texts.scene.facts.shareData(texts.shown.pair?.second.op ?? -1, other?.op ?? -1) === true;
    const isBothWays = other?.kind === 'copy' && !texts.copyFirst && other.direction !== texts.copy.direction;
    const both = isBothWays ? ' Their stream copies in both directions, so the link carries one at a time.' : '';
    return {
      title: isBothWays ? 'Queued behind the other direction' : 'Queued behind other work',
      explanation: `${capital(second)} waited behind ${ahead} ${queueWords(texts)}${other === null ? '' : `, and started ${formatDuration(Math.abs((texts.shown.pair?.second.startNs ?? 0) - other.endNs))} after that ended`}.${both} ${texts.timing}`,
      remedy: needsIt
        ? `${capital(second)} and ${ahead} share data: let ${first} overlap other work.`
        : `Issue ${second} before ${ahead}, or in a stream that doesn't wait for it.`,
    };
  },

  'issued-too-late': issuedTooLate,
  'launch-blocking': launchBlocking,
  'launch-queue-full': launchQueueFull,
  'allocation-synchronises': allocationSynchronises,

  'too-small': (texts) => {
    const { pair } = texts.shown;
    const first = texts.copyFirst ? 'the copy' : texts.kernelName;
    const lasted = pair === null ? 0 : durationOf(pair.first);
    const call = pair?.secondCall ?? null;
    const hidden = hides(texts);
    const cost =
      call === null ? '' : `; the call that issued ${texts.secondName} took ${formatDuration(durationOf(call))}`;
    return {
      title: hidden === '' ? 'Too small to matter' : 'Kernel too small to hide the copy',
      explanation: `${capital(first)} lasted ${formatDuration(lasted)}${cost}. ${texts.timing}${hidden}${texts.andAlso}`,
      remedy:
        texts.copyFirst && texts.readsOneValue
          ? readLater
          : `Join small ${texts.copyFirst ? 'copies' : 'kernels'} into one, or launch them together in a graph.`,
    };
  },

  'waits-for-earlier-work': (texts) => {
    const { holder, rule } = texts.shown.finding;
    const isWider = rule === 'synchronize-holds-host';
    const held = `${capital(holder?.name ?? 'the call')}${isWider ? ' after this copy' : ' of this blocking copy'} blocked the host for ${formatDuration(holder === null ? 0 : durationOf(holder))}`;
    const rest = isWider
      ? `and the copy was over ${formatDuration(Math.max(0, (holder?.endNs ?? 0) - texts.copy.endNs))} before that ended: the rest is kernels whose results the host doesn't fetch`
      : `and the copy took ${formatDuration(durationOf(texts.copy))} of that: the rest is work that was issued to the stream before`;
    const waitLater =
      texts.copy.direction === 'h2d'
        ? 'Copy without blocking, or create the value on the device.'
        : 'Copy into pinned memory without blocking, do the host work, and wait for the copy before reading it.';
    return {
      title: isWider ? 'Host waits for more than the copy' : 'Host waits for earlier work',
      explanation: `${held}, ${rest}. Host work after the call was late by as much.`,
      remedy: isWider
        ? 'Wait for the copy alone: synchronise its stream, or an event after it.'
        : texts.readsOneValue
          ? readLater
          : waitLater,
    };
  },

  'many-small-copies': (texts) => {
    const bound = callBound(texts.scene, texts.copy);
    const calls = formatDuration(bound?.callsNs ?? 0);
    return {
      title: 'Many small copies, bound by their calls',
      explanation: `The host issued ${bound?.count ?? 1} copies one by one. Their calls took ${calls}, and the link needs ${formatDuration(bound?.linkNs ?? 0)} for all their bytes.`,
      remedy: 'Join them: gather the blocks in one page-locked buffer and copy once, or let one kernel copy them all.',
    };
  },

  'wait-after-each-copy': (texts) => {
    const { holder } = texts.shown.finding;
    const waited = holder === null ? '' : ` ${holder.name} blocked the host for ${formatDuration(durationOf(holder))}.`;
    return {
      title: 'A wait after each copy',
      explanation: `The host waits for each copy before it issues the next, so the ${engineName(texts.copy.direction, texts.scene)} is idle between them.${waited}`,
      remedy: texts.usesMemoryAgain
        ? 'Use two buffers in turn, and wait for a copy only before its buffer is used again.'
        : 'Issue all copies, and wait once after the last.',
    };
  },

  'multiprocessors-full': (texts) => {
    const other = texts.shown.finding.obstacle?.activity ?? null;
    const filler = other === null ? 'Other work' : texts.label(other);
    const own = texts.copy.kind === 'kernel' ? texts.label(texts.copy) : texts.kernelName;
    // The other kernel's blocks end one by one, and blocks of this one take their places.
    const inTail = texts.copy.kind === 'kernel' && other !== null && texts.copy.startNs < other.endNs;
    const until = inTail ? 'its first blocks ended' : 'it ended';
    const explanation = `${capital(filler)} left ${own} no multiprocessors until ${until}. ${texts.timing}`;
    if (texts.shown.finding.rule === 'stream-priority') {
      return {
        title: 'Multiprocessors full of work of a more urgent stream',
        explanation,
        remedy: `If the host waits for ${own}, make its stream more urgent than that of ${filler}.`,
      };
    }
    return {
      title: 'Multiprocessors full',
      explanation,
      remedy: `Let ${filler} fill fewer multiprocessors (smShare): on half of them a kernel limited by memory still reached three quarters of its throughput on an H200. Or make the stream of ${own} more urgent.`,
    };
  },

  'nothing-to-overlap': (texts) => {
    const call = texts.scene.callOf(texts.copy);
    const held =
      call === null || !isHeldBy(texts.copy, call)
        ? ''
        : ` ${call.name} blocked the host for ${formatDuration(durationOf(call))}.`;
    return {
      title: texts.scene.kernels.size === 0 ? 'No kernel in the run' : 'No kernel on its device',
      explanation: `The copy took ${formatDuration(durationOf(texts.copy))}, and no kernel ran on its device.${held}`,
      remedy: null,
    };
  },

  'not-a-copy-engine-copy': (texts) => {
    const host = texts.copy.direction === 'h2h';
    const had = texts.copyFirst ? `${texts.kernelName} had to wait for it` : `${texts.kernelName} had the device`;
    if (texts.scene.copyEngines === 0 && !host) {
      return {
        title: 'No copy engine',
        explanation: `The device has no copy engine (asyncEngineCount 0), so copies and kernels take turns, and ${had}. ${texts.timing}`,
        remedy: null,
      };
    }
    return {
      title: host ? 'Copied by the host' : 'Not a copy-engine copy',
      explanation: host
        ? `The calling thread itself copies between two host buffers. ${texts.timing}`
        : `This copy ran where kernels run, not on a copy engine, and ${had}. ${texts.timing}`,
      remedy: host ? 'Copy on another host thread.' : null,
    };
  },

  unexplained: (texts) => ({
    title: 'Not overlapped, reason unknown',
    explanation: `The run doesn't show why the copy and ${texts.kernelName} didn't overlap. ${texts.timing}`,
    remedy: null,
  }),
};

/** How much of a longer copy the kernel before it could have hidden. */
function hides(texts: VerdictTexts): string {
  const kernel = texts.copyFirst ? null : (texts.shown.partner?.kernel ?? null);
  if (kernel === null || durationOf(kernel) >= durationOf(texts.copy)) return '';
  return ` Started at once, it would have hidden no more than that of the ${formatDuration(durationOf(texts.copy))} that the copy took.`;
}

const usesLink = (texts: VerdictTexts, kernel: Activity): string =>
  `the kernel ${texts.label(kernel)} works on mapped memory, ${texts.mapped(kernel)}, and moves it over the link itself`;

const queueWords = (texts: VerdictTexts): string => byWayOf(texts.shown.finding.rule);

function byWayOf(rule: RuleId | null): string {
  switch (rule) {
    case 'legacy-default-stream':
      return 'through the legacy default stream';
    case 'event-order':
      return 'through an event';
    case 'graph-launches-in-turn':
      return 'through launches of one graph';
    case 'peer-copy':
      return 'through a cudaMemcpy between two devices';
    default:
      return 'in its stream';
  }
}

function unnamedWait(texts: VerdictTexts, second: string, first: string): Words {
  const stream = texts.shown.pair === null ? '' : ` in stream ${texts.stream(texts.shown.pair.second)}`;
  return {
    title: 'Event wait',
    explanation: `The host issued a wait for an event${stream} between the two, and ${withThe(second)} began as soon as ${withThe(first)} ended. The trace does not say which event. ${texts.timing}${texts.andAlso}`,
    remedy: 'If the data allows it, remove the wait, or let it come later.',
  };
}
