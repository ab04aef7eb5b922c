/** Hazards in plain words. */
import type { RuleId } from '../../rules/rules.ts';
import { formatBytes } from '../../units.ts';
import type { HazardKind } from './hazard.ts';

export interface Told {
  /** For example 'the copy "H2D 4.00 MiB" in stream "side"'. */
  readonly first: string;
  readonly second: string;
  /** `first` without the stream. */
  readonly firstLabel: string;
  readonly secondLabel: string;
  readonly buffer: string;
  /** For example 'bytes 0 to 4096' or 'all 4.00 MiB'; null if the hazard is about allocating or freeing the buffer. */
  readonly region: string | null;
  readonly sameThread: boolean;
  readonly meetsItself: boolean;
}

export interface HazardWords {
  readonly title: string;
  readonly explanation: string;
  readonly missing: string;
  readonly remedy: string;
}

export const hazardRules: Readonly<Record<HazardKind, RuleId>> = {
  'read-before-arrival': 'destination-before-arrival',
  'source-changed-in-flight': 'source-in-flight',
  'destination-changed-in-flight': 'destination-before-arrival',
  'unordered-streams': 'streams-may-overlap',
  'unordered-threads': 'threads-run-apart',
  'used-before-allocated': 'stream-ordered-allocation',
  'used-after-free': 'stream-ordered-allocation',
  'freed-in-use': 'stream-ordered-allocation',
  'reused-in-use': 'record-stream',
  'reused-unordered': 'record-stream',
  'timing-unsynchronised': 'time-the-stream',
  'endless-wait': 'threads-run-apart',
};

const until = (told: Told): string =>
  told.sameThread
    ? `Nothing makes the host wait for ${told.firstLabel} before ${told.secondLabel}.`
    : `Nothing makes one host thread wait for the other between ${told.firstLabel} and ${told.secondLabel}.`;

/** Kinds of hazard between two operations. See endlessWaits.ts for the other kind. */
export type MeetingKind = Exclude<HazardKind, 'endless-wait'>;

const tellers: Readonly<Record<MeetingKind, (told: Told) => HazardWords>> = {
  'read-before-arrival': (told) => ({
    title: 'Read before the data has arrived',
    explanation: `${capital(told.second)} may read "${told.buffer}" (${told.region}) before ${told.first} has written it, and find the old bytes or some of both.`,
    missing: until(told),
    remedy: `Synchronise the stream, or an event behind ${told.firstLabel}, before reading.`,
  }),
  'source-changed-in-flight': (told) => ({
    title: 'Source changed in flight',
    explanation: `${capital(told.second)} changes "${told.buffer}" (${told.region}), which ${told.first} may not have read yet. Then it carries the new bytes, or some of both.`,
    missing: until(told),
    remedy: 'Synchronise before changing it, or write into a second buffer in turn.',
  }),
  'destination-changed-in-flight': (told) => ({
    title: 'Destination changed in flight',
    explanation: `${capital(told.first)} and ${told.second} both write "${told.buffer}" (${told.region}). Either of the two may remain.`,
    missing: until(told),
    remedy: 'Synchronise between the two, or use another buffer.',
  }),
  'unordered-streams': (told) => ({
    title: 'Streams without order on one buffer',
    explanation: `${capital(told.first)} and ${told.second} touch the same bytes of "${told.buffer}" (${told.region}), and one of them writes. They may run in either order or at once.`,
    missing: told.meetsItself
      ? `Nothing orders ${told.first} after its own previous round.`
      : `No event, stream or synchronise makes ${told.secondLabel} wait for ${told.firstLabel}.`,
    remedy: told.meetsItself
      ? 'Let each round wait for the one before, with an event or in one stream.'
      : `Record an event behind one of them, and let the stream of the other wait for it.`,
  }),
  'unordered-threads': (told) => ({
    title: 'Host threads without order on one buffer',
    explanation:
      told.region === null
        ? `${capital(told.first)} and ${told.second} allocate or free "${told.buffer}". Either host thread may come first: both may get the memory, or one may free the other's.`
        : `${capital(told.first)} and ${told.second} touch the same bytes of "${told.buffer}" (${told.region}), and one of them writes. Either host thread may come first.`,
    missing: 'Nothing makes one host thread wait for the other between the two calls.',
    remedy: 'Let one thread signal and the other wait for the signal between the two.',
  }),
  'used-before-allocated': (told) => ({
    title: 'Used before it is allocated',
    explanation: told.meetsItself
      ? `${capital(told.first)} uses "${told.buffer}", which nothing has allocated.`
      : `${capital(told.second)} uses "${told.buffer}", and ${told.first} may not have happened by then.`,
    missing: told.meetsItself
      ? `No allocation of "${told.buffer}" comes before it.`
      : `Nothing makes the use wait for the allocation.`,
    remedy: 'Allocate in the stream that uses it, or let that stream wait for an event behind the allocation.',
  }),
  'used-after-free': (told) => ({
    title: 'Used after it was freed',
    explanation: `${capital(told.second)} uses "${told.buffer}" after ${told.first}. By then the memory may belong to something else.`,
    missing: `No allocation of "${told.buffer}" comes between the two.`,
    remedy: 'Free it after its last use.',
  }),
  'freed-in-use': (told) => ({
    title: 'Freed while in use',
    explanation: `${capital(told.second)} may take effect while ${told.first} still uses "${told.buffer}".`,
    missing: 'Nothing makes the free wait for that use.',
    remedy: 'Free it in the stream that used it last, or let the stream of the free wait for an event behind the use.',
  }),
  'reused-in-use': (told) => ({
    title: 'Reused while another stream needs it',
    explanation: `${capital(told.second)} gives "${told.buffer}" back to the caching allocator, which may hand it out again at once. ${capital(told.first)} may still be using it.`,
    missing: 'The allocator does not know of that stream, and nothing makes its own stream wait for it.',
    remedy: 'Call record_stream with that stream before freeing, or let the stream of the allocation wait for it.',
  }),
  'reused-unordered': (told) => ({
    title: 'Reused memory without order',
    explanation: `${capital(told.second)} uses "${told.buffer}". The caching allocator gives it memory that was freed while ${told.first} may still use it.`,
    missing: `Only the stream of the allocation comes after that work. Nothing makes ${told.secondLabel} wait for it.`,
    remedy: `Let its stream wait for the stream of the allocation before ${told.secondLabel}, or allocate in the stream that uses it.`,
  }),
  'timing-unsynchronised': (told) => ({
    title: 'Timing without a synchronise',
    explanation: told.meetsItself
      ? `${capital(told.second)} asks for the time of an event that nothing has surely recorded.`
      : `${capital(told.second)} asks for a time that ${told.first} may not have taken yet: cudaEventElapsedTime then fails with cudaErrorNotReady.`,
    missing: told.meetsItself ? 'No record comes surely before it.' : 'Nothing makes the host wait for the event.',
    remedy: 'Synchronise the event first.',
  }),
};

export const hazardWords = (kind: MeetingKind, told: Told): HazardWords => tellers[kind](told);

export const describeRegion = (from: number, to: number, size: number): string =>
  from === 0 && to === size ? `all ${formatBytes(size)}` : `bytes ${from} to ${to}`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
