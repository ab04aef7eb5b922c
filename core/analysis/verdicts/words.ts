/** A verdict in plain words, with the figures of the run it is about. */
import type { CopyDirection } from '../../trace/trace.ts';
import { formatBytes, formatDuration, formatShare } from '../../units.ts';
import { holdsHost } from '../hostTime.ts';
import type { Activity } from '../iteration.ts';
import { touchedBuffers } from './facts.ts';
import type { Occurrence } from './occurrence.ts';
import { durationOf, type Scene } from './scene.ts';
import type { Cause } from './verdict.ts';

export interface Words {
  readonly title: string;
  readonly explanation: string;
  readonly remedy: string | null;
}

type Teller = (told: Told) => Words;

export function explain(scene: Scene, shown: Occurrence, occurrences: readonly Occurrence[]): Words {
  const words = tellers[shown.finding.cause](new Told(scene, shown));
  const alike = occurrences.filter((one) => one.finding.cause === shown.finding.cause).length;
  if (occurrences.length === 1) return words;
  const repeats = `This is so for ${alike} of ${occurrences.length} times that the copy ran; the times are those of one.`;
  return { ...words, explanation: `${words.explanation} ${repeats}` };
}

/** The names and figures that the sentences are made of. */
class Told {
  readonly scene: Scene;
  readonly shown: Occurrence;

  constructor(scene: Scene, shown: Occurrence) {
    this.scene = scene;
    this.shown = shown;
  }

  get copy(): Activity {
    return this.shown.copy;
  }

  get copyFirst(): boolean {
    return this.shown.pair?.first === this.copy;
  }

  /** As 'the kernel "multiply"'. */
  get kernelName(): string {
    const { partner } = this.shown;
    return partner === null ? 'the kernel' : `the kernel ${this.label(partner.kernel)}`;
  }

  label(one: Activity): string {
    return `"${this.scene.facts.label(one.op) ?? one.name}"`;
  }

  operation(op: number | undefined): string | null {
    const label = op === undefined ? undefined : this.scene.facts.label(op);
    return label === undefined ? null : `"${label}"`;
  }

  stream(one: Activity): string {
    return `"${this.scene.iteration.trace.lanes[one.lane]?.name ?? one.laneId}"`;
  }

  get sameStream(): boolean {
    return this.shown.pair?.first.lane === this.shown.pair?.second.lane;
  }

  /** The pageable buffer's name, or what it is. */
  get hostBuffer(): string {
    const touched = touchedBuffers(this.scene.facts.operation(this.copy.op));
    const id = this.copy.src === 'pageable' ? touched?.reads[0] : touched?.writes[0];
    return id === undefined ? 'the host memory' : `"${id}"`;
  }

  /** When the second was issued and started, against the end of the first. */
  get timing(): string {
    const { pair } = this.shown;
    if (pair === null) return '';
    const [first, second] = this.copyFirst ? ['copy', 'kernel'] : ['kernel', 'copy'];
    const lateBy = pair.second.startNs - pair.first.endNs;
    const start = lateBy >= 0 ? `${formatDuration(lateBy)} after it` : `${formatDuration(-lateBy)} before that`;
    if (pair.issuedNs === null) {
      return `The ${second} started ${lateBy >= 0 ? `${formatDuration(lateBy)} after` : `${formatDuration(-lateBy)} before`} the end of the ${first}.`;
    }
    const early = pair.first.endNs - pair.issuedNs;
    return early > 0
      ? `The ${second} was issued ${formatDuration(early)} before the ${first} ended, and started ${start}.`
      : `The ${second} was issued ${formatDuration(-early)} after the ${first} had ended, and started ${formatDuration(pair.second.startNs - pair.issuedNs)} later.`;
  }

  /** What would still be in the way. */
  get andAlso(): string {
    return this.shown.finding.also.map((cause) => ` ${alsoWords[cause] ?? ''}`).join('');
  }
}

const alsoWords: Partial<Record<Cause, string>> = {
  'same-stream': 'Both are in one stream besides, which alone would keep them apart.',
  'legacy-default-stream': 'The legacy default stream would keep them apart besides.',
  'event-dependency': 'An event wait would keep them apart besides.',
  'issued-too-late': 'The host issues the second too late besides.',
  'too-small': 'The first is over sooner than the second can be issued besides.',
};

const ownStream = 'Issue the copy in a non-blocking stream of its own';
const nonBlocking = 'Make the blocking stream non-blocking';
const inParts = 'Copy in parts, so that the kernel works on one part while the next is on its way';
const otherWork = 'The two share data: let the copy overlap other work, or copy in parts.';

const engineName = (direction: CopyDirection | null): string =>
  direction === null ? 'copy engine' : `${direction.toUpperCase()} copy engine`;

const tellers: Readonly<Record<Cause, Teller>> = {
  overlapped: (told) => {
    const { copy, overlapNs, partner } = told.shown;
    const kernel = partner === null ? 0 : durationOf(partner.kernel);
    const shares = `${formatShare(kernel > 0 ? (partner?.commonNs ?? 0) / kernel : 0)} of it ran during the copy`;
    const note = holdsHost(copy) ? ' The host memory is pageable; the kernel was already issued by then.' : '';
    return {
      title: 'Overlapped',
      explanation: `${capital(told.kernelName)} took ${formatDuration(kernel)}, and ${shares}. Kernels ran for ${formatDuration(overlapNs)} of the ${formatDuration(durationOf(copy))} that the copy took.${note}`,
      remedy: null,
    };
  },

  'pageable-source': (told) => pageable(told, 'source'),
  'pageable-destination': (told) => pageable(told, 'destination'),

  'same-stream': (told) => ({
    title: 'Same stream',
    explanation: `The copy and ${told.kernelName} are both in stream ${told.stream(told.copy)}, which runs its work in issue order. ${told.timing}${told.andAlso}`,
    remedy: told.shown.partner?.needsData === true ? `${otherWork} Either needs a second stream.` : `${ownStream}.`,
  }),

  'legacy-default-stream': (told) => {
    const between = told.operation(told.shown.finding.blocker?.op);
    const how =
      between === null
        ? 'one of them is the legacy default stream, the other a blocking stream'
        : `${between} in the legacy default stream was issued between them, and both streams are blocking streams`;
    const pair = told.shown.pair;
    const streams =
      pair === null
        ? ''
        : `The copy is in stream ${told.stream(told.copy)}, ${told.kernelName} in ${told.stream(pair.kernel)}: `;
    return {
      title: 'Legacy default stream',
      explanation: `${streams}${how}. ${told.timing}${told.andAlso}`,
      remedy: `${nonBlocking}, or use per-thread default streams.`,
    };
  },

  'event-dependency': (told) => {
    const wait = told.operation(told.shown.finding.blocker?.op) ?? 'an event wait';
    const { needsData } = told.shown.partner ?? { needsData: null };
    const [first, second] = told.copyFirst ? ['copy', told.kernelName] : [told.kernelName, 'copy'];
    const through = told.shown.finding.throughLegacy === true ? ', by way of the legacy default stream' : '';
    const why = needsData === true ? ' They share data, so the wait is needed.' : '';
    return {
      title: needsData === true ? 'Event wait, needed by the data' : 'Event wait',
      explanation: `${capital(wait)} makes ${withThe(second)} wait for ${withThe(first)}${through}.${why} ${told.timing}${told.andAlso}`,
      remedy:
        needsData === true
          ? `${inParts}.`
          : needsData === false
            ? 'Neither touches what the other writes: remove the wait.'
            : 'If the data allows it, remove the wait.',
    };
  },

  'engine-busy': (told) => {
    const other = told.shown.finding.blocker?.activity ?? null;
    const busy = other === null ? 'another copy' : told.label(other);
    return {
      title: 'Copy engine busy',
      explanation: `While ${told.kernelName} ran, the ${engineName(told.copy.direction)} was busy with ${busy}${other === null ? '' : ` (${formatBytes(other.bytes)}, ${formatDuration(durationOf(other))})`}. Copies of one direction run one after another, whatever their streams. ${told.timing}`,
      remedy: `Issue this copy before ${busy}, or give the device more work to do meanwhile.`,
    };
  },

  'queued-behind': (told) => {
    const other = told.shown.finding.blocker?.activity ?? null;
    const second = told.copyFirst ? told.kernelName : 'the copy';
    const ahead = other === null ? 'other work' : told.label(other);
    return {
      title: 'Queued behind other work',
      explanation: `${capital(second)} stood behind ${ahead} ${queueWords(told)}${other === null ? '' : `, and started ${formatDuration(Math.abs((told.shown.pair?.second.startNs ?? 0) - other.endNs))} after that had ended`}. ${told.timing}`,
      remedy: `Issue ${second} before ${ahead}, or in a stream that doesn't wait for it.`,
    };
  },

  'issued-too-late': (told) => {
    const { holder, blocker } = told.shown.finding;
    const second = told.copyFirst ? told.kernelName : 'the copy';
    const of = told.operation(blocker?.op);
    const calls = told.shown.finding.callsBetween;
    const held =
      holder === null
        ? calls === undefined
          ? 'What the host did meanwhile was not recorded.'
          : `The host made ${calls} calls in the meantime.`
        : `The host was in ${holder.name}${of === null ? '' : ` of ${of}`} for ${formatDuration(durationOf(holder))}.`;
    return {
      title: holder === null ? 'Issued too late' : `Issued too late: host in ${holder.name}`,
      explanation: `${held} ${told.timing}${told.andAlso}`,
      remedy: lateRemedy(told, second, holder),
    };
  },

  'too-small': (told) => {
    const { pair } = told.shown;
    const first = told.copyFirst ? 'the copy' : told.kernelName;
    const lasted = pair === null ? 0 : durationOf(pair.first);
    const call = pair?.secondCall ?? null;
    const cost = call === null ? '' : `; the call that issued the other took ${formatDuration(durationOf(call))}`;
    return {
      title: 'Too small to matter',
      explanation: `${capital(first)} lasted ${formatDuration(lasted)}${cost}. ${told.timing}${told.andAlso}`,
      remedy: `Join small ${told.copyFirst ? 'copies' : 'kernels'} into one, or launch them together in a graph.`,
    };
  },

  'nothing-to-overlap': (told) => ({
    title: 'No kernel in the run',
    explanation: `The copy took ${formatDuration(durationOf(told.copy))}, and no kernel ran on its device.`,
    remedy: null,
  }),

  'not-a-copy-engine-copy': (told) => {
    const host = told.copy.direction === 'h2h';
    return {
      title: host ? 'Copied by the host' : 'Not a copy-engine copy',
      explanation: host
        ? `A copy between two host buffers is done by the calling thread. ${told.timing}`
        : `This copy ran where kernels run, not on a copy engine, and ${told.kernelName} had the device. ${told.timing}`,
      remedy: host ? 'Copy on another host thread.' : null,
    };
  },

  unexplained: (told) => ({
    title: 'Not overlapped, reason unknown',
    explanation: `Nothing that was recorded kept the copy and ${told.kernelName} apart. ${told.timing}`,
    remedy: null,
  }),
};

function pageable(told: Told, side: 'source' | 'destination'): Words {
  const { holder } = told.shown.finding;
  const buffer = told.hostBuffer;
  const work = side === 'source' ? 'the driver staged' : 'the driver brought back';
  const held =
    holder === null
      ? `${buffer} is pageable, so the call returns only when the data is ${side === 'source' ? 'staged' : 'there'}.`
      : `${holder.name} held the host for ${formatDuration(durationOf(holder))} while ${work} ${formatBytes(told.copy.bytes)} of pageable memory.`;
  const remedies = [
    `Pin ${buffer}${told.shown.finding.also.length > 0 ? '' : '; the streams are already independent'}.`,
  ];
  const { also } = told.shown.finding;
  if (also.includes('same-stream')) remedies.push(`${ownStream} as well.`);
  if (also.includes('legacy-default-stream')) remedies.push(`${nonBlocking} as well.`);
  if (also.includes('issued-too-late')) remedies.push("Don't synchronise before the kernel is issued.");
  if (told.shown.partner?.needsData === true) remedies.push(otherWork);
  return {
    title: `Pageable ${side}${told.sameStream ? '' : ', though in another stream'}`,
    explanation: `${capital(held)} ${told.timing}${told.andAlso}`,
    remedy: remedies.join(' '),
  };
}

function queueWords(told: Told): string {
  switch (told.shown.finding.rule) {
    case 'legacy-default-stream':
      return 'by way of the legacy default stream';
    case 'event-order':
      return 'by way of an event';
    default:
      return 'in its stream';
  }
}

function lateRemedy(told: Told, second: string, holder: Activity | null): string {
  const { pair } = told.shown;
  if (holder === null) return `Issue ${second} earlier.`;
  if (holder.kind === 'host-sync') return `Issue ${second} before synchronising.`;
  if (holder.kind !== 'host-call') return `Issue ${second} before the host's own work.`;
  if (holder.row === pair?.secondCall?.row) {
    return `See what held ${holder.name}: a full launch queue, or a processor busy with other threads.`;
  }
  return `Issue ${second} before that call${holder.row === pair?.firstCall?.row ? ', or on another host thread' : ''}.`;
}

/** At the start of a sentence; names of CUDA calls stay as they are. */
const capital = (text: string): string =>
  text.startsWith('cuda') ? text : text.charAt(0).toUpperCase() + text.slice(1);
const withThe = (text: string): string => (text.startsWith('the ') ? text : `the ${text}`);
