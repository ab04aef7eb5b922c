/** Hazards in plain words. */
import type { RuleId } from '../../rules/rules.ts';
import { formatBytes } from '../../units.ts';
import type { HazardKind } from './hazard.ts';

export interface HazardNames {
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

const until = (names: HazardNames): string =>
  names.sameThread
    ? `Nothing makes the host wait for ${names.firstLabel} before ${names.secondLabel}.`
    : `Nothing makes one host thread wait for the other between ${names.firstLabel} and ${names.secondLabel}.`;

/** Kinds of hazard between two operations. See endlessWaits.ts for the other kind. */
export type MeetingKind = Exclude<HazardKind, 'endless-wait'>;

const tellers: Readonly<Record<MeetingKind, (names: HazardNames) => HazardWords>> = {
  'read-before-arrival': (names) => ({
    title: 'Read before the data has arrived',
    explanation: `${capital(names.second)} may read "${names.buffer}" (${names.region}) before ${names.first} has written it, and find the old bytes or some of both.`,
    missing: until(names),
    remedy: `Synchronise the stream, or an event behind ${names.firstLabel}, before reading.`,
  }),
  'source-changed-in-flight': (names) => ({
    title: 'Source changed in flight',
    explanation: `${capital(names.second)} changes "${names.buffer}" (${names.region}), which ${names.first} may not have read yet. Then it carries the new bytes, or some of both.`,
    missing: until(names),
    remedy: 'Synchronise before changing it, or write into a second buffer in turn.',
  }),
  'destination-changed-in-flight': (names) => ({
    title: 'Destination changed in flight',
    explanation: `${capital(names.first)} and ${names.second} both write "${names.buffer}" (${names.region}). Either of the two may remain.`,
    missing: until(names),
    remedy: 'Synchronise between the two, or use another buffer.',
  }),
  'unordered-streams': (names) => ({
    title: 'Streams without order on one buffer',
    explanation: `${capital(names.first)} and ${names.second} touch the same bytes of "${names.buffer}" (${names.region}), and one of them writes. They may run in either order or at once.`,
    missing: names.meetsItself
      ? `Nothing orders ${names.first} after its own previous round.`
      : 'No event, stream or synchronise orders the two.',
    remedy: names.meetsItself
      ? 'Let each round wait for the one before, with an event or in one stream.'
      : `Record an event behind one of them, and let the stream of the other wait for it.`,
  }),
  'unordered-threads': (names) => ({
    title: 'Host threads without order on one buffer',
    explanation:
      names.region === null
        ? `${capital(names.first)} and ${names.second} allocate or free "${names.buffer}". Either host thread may come first: both may get the memory, or one may free the other's.`
        : `${capital(names.first)} and ${names.second} touch the same bytes of "${names.buffer}" (${names.region}), and one of them writes. Either host thread may come first.`,
    missing: 'Nothing makes one host thread wait for the other between the two calls.',
    remedy: 'Let one thread signal and the other wait for the signal between the two.',
  }),
  'used-before-allocated': (names) => ({
    title: 'Used before it is allocated',
    explanation: names.meetsItself
      ? `${capital(names.first)} uses "${names.buffer}", which nothing has allocated.`
      : `${capital(names.second)} uses "${names.buffer}", and ${names.first} may come later.`,
    missing: names.meetsItself
      ? `No allocation of "${names.buffer}" comes before it.`
      : `Nothing makes the use wait for the allocation.`,
    remedy: 'Allocate in the stream that uses it, or let that stream wait for an event behind the allocation.',
  }),
  'used-after-free': (names) => ({
    title: 'Used after it was freed',
    explanation: `${capital(names.second)} uses "${names.buffer}" after ${names.first}. By then the memory may belong to something else.`,
    missing: `No allocation of "${names.buffer}" comes between the two.`,
    remedy: 'Free it after its last use.',
  }),
  'freed-in-use': (names) => ({
    title: 'Freed while in use',
    explanation: `${capital(names.second)} may take effect while ${names.first} still uses "${names.buffer}".`,
    missing: 'Nothing makes the free wait for that use.',
    remedy: 'Free it in the stream that used it last, or let the stream of the free wait for an event behind the use.',
  }),
  'reused-in-use': (names) => ({
    title: 'Reused while another stream needs it',
    explanation: `${capital(names.second)} gives "${names.buffer}" back to the caching allocator, which may hand it out again at once. ${capital(names.first)} may still be using it.`,
    missing: 'The allocator does not know of that stream, and nothing makes its own stream wait for it.',
    remedy: 'Call record_stream with that stream before freeing, or let the stream of the allocation wait for it.',
  }),
  'reused-unordered': (names) => ({
    title: 'Reused memory without order',
    explanation: `${capital(names.second)} uses "${names.buffer}". The caching allocator gives it memory that was freed while ${names.first} may still use it.`,
    missing: `Only the stream of the allocation comes after that work. Nothing makes ${names.secondLabel} wait for it.`,
    remedy: `Let its stream wait for the stream of the allocation before ${names.secondLabel}, or allocate in the stream that uses it.`,
  }),
  'timing-unsynchronised': (names) => ({
    title: 'Timing without a synchronise',
    explanation: names.meetsItself
      ? `${capital(names.second)} reads the time of an event that may not be recorded yet.`
      : `${capital(names.second)} reads a time that ${names.first} may not have taken yet: cudaEventElapsedTime then fails with cudaErrorNotReady.`,
    missing: names.meetsItself ? 'No record is sure to come before it.' : 'Nothing makes the host wait for the event.',
    remedy: 'Synchronise the event first.',
  }),
};

export const hazardWords = (kind: MeetingKind, names: HazardNames): HazardWords => tellers[kind](names);

export const describeRegion = (from: number, to: number, size: number): string =>
  from === 0 && to === size ? `all ${formatBytes(size)}` : `bytes ${from} to ${to}`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
