/**
 * Parses an operation as a person types it: 'copy 64 MB pinned in side', 'kernel 200 us', 'record done in side'.
 * Missing declarations are added, so that no form has to be opened.
 */
import { checkShape } from '../../shape/checkShape.ts';
import type { Experiment } from '../experiment.ts';
import type { NewOperation, OperationName } from '../operations.ts';
import { type BufferDeclaration, bufferBytes, bufferMemories, idSchema, reservedStreams } from '../resources.ts';
import { freshId, newBuffer } from './declarations.ts';
import type { Edited } from './edit.ts';
import { addMade, type Maker } from './newOperation.ts';
import type { Place } from './paths.ts';
import { parseBytes, parseDuration } from './quantities.ts';
import type { Target } from './rows.ts';

type HostMemory = Exclude<BufferDeclaration['memory'], 'device'>;

export interface TypedOperation {
  readonly name: OperationName;
  /** Direction of a copy. */
  readonly direction: 'h2d' | 'd2h';
  readonly bytes?: number;
  readonly memory?: HostMemory;
  readonly durationNs?: number;
  readonly stream?: string;
  readonly event?: string;
}

type Given = Omit<TypedOperation, 'name' | 'direction'>;

/** Arguments that may follow an operation's words. */
type Argument = keyof Given;

interface Words {
  readonly words: readonly string[];
  readonly name: OperationName;
  readonly direction?: 'd2h';
  readonly takes: readonly Argument[];
}

const copyTakes = ['bytes', 'memory', 'stream'] as const;

/** Longer ones come first: 'record event' isn't an event called 'event'. */
const known: readonly Words[] = [
  { words: ['record', 'event'], name: 'recordEvent', takes: ['event', 'stream'] },
  { words: ['wait', 'for', 'event'], name: 'waitEvent', takes: ['event', 'stream'] },
  { words: ['wait', 'for'], name: 'waitEvent', takes: ['event', 'stream'] },
  { words: ['record'], name: 'recordEvent', takes: ['event', 'stream'] },
  { words: ['event'], name: 'recordEvent', takes: ['event', 'stream'] },
  { words: ['wait'], name: 'waitEvent', takes: ['event', 'stream'] },
  { words: ['copy'], name: 'copy', takes: copyTakes },
  { words: ['h2d'], name: 'copy', takes: copyTakes },
  { words: ['d2h'], name: 'copy', direction: 'd2h', takes: copyTakes },
  { words: ['kernel'], name: 'kernel', takes: ['durationNs', 'stream'] },
  { words: ['work'], name: 'work', takes: ['durationNs'] },
];

/** Returns null if the text isn't an operation with arguments. A name alone is found in the list. */
export function parseTyped(text: string): TypedOperation | null {
  // '64 MB' is one word.
  const words = text
    .trim()
    .replace(/(\d)\s+(?=[kmgtu\u00b5]?i?[bs]\b|[mun]s\b)/gi, '$1')
    .split(/\s+/);
  const found = known.find(({ words: own }) => own.every((word, at) => words[at]?.toLowerCase() === word));
  if (found === undefined) return null;
  const given = argumentsOf(words.slice(found.words.length), found.takes);
  if (given === null || Object.keys(given).length === 0) return null;
  return { name: found.name, direction: found.direction ?? 'h2d', ...given };
}

/** Returns null if the operation doesn't take one of the words. */
function argumentsOf(words: readonly string[], takes: readonly Argument[]): Given | null {
  let given: Given = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (['in', 'on'].includes(word.toLowerCase())) {
      at += 1;
      const stream = words[at] ?? '';
      if (!takes.includes('stream') || !isId(stream)) return null;
      given = { ...given, stream };
      continue;
    }
    const one = argumentOf(word, takes);
    if (one === null) return null;
    given = { ...given, ...one };
  }
  return given;
}

const isId = (word: string): boolean => checkShape(idSchema, word).ok;

function argumentOf(word: string, takes: readonly Argument[]): Given | null {
  const bytes = takes.includes('bytes') ? parseBytes(word) : null;
  if (bytes !== null && bytes > 0) return { bytes };
  const durationNs = takes.includes('durationNs') ? parseDuration(word) : null;
  if (durationNs !== null) return { durationNs };
  const memory = bufferMemories.find((one) => one === word.toLowerCase());
  if (takes.includes('memory') && memory !== undefined && memory !== 'device') return { memory };
  return takes.includes('event') && isId(word) ? { event: word } : null;
}

/** Adds the operation at a place. Without a stream it goes into the row of `target`. */
export function addTyped(experiment: Experiment, typed: TypedOperation, at: Place, target: Target): Edited {
  const { name, stream, event } = typed;
  const row: Target = stream === undefined ? target : { row: 'stream', stream };
  return addMade(experiment, at, row, (draft, maker) => {
    if (stream !== undefined) declareStream(draft, stream);
    if (event !== undefined) declareEvent(draft, event);
    return name === 'copy' ? typedCopy(draft, maker, typed) : withArguments(maker.make(name), typed);
  });
}

function declareStream(draft: Experiment, id: string): void {
  if ((reservedStreams as readonly string[]).includes(id) || draft.streams.some((one) => one.id === id)) return;
  draft.streams.push({ id, flags: 'non-blocking', priority: 0 });
}

function declareEvent(draft: Experiment, id: string): void {
  if (!draft.events.some((one) => one.id === id)) draft.events.push({ id, timing: true });
}

function withArguments(made: NewOperation, { durationNs, event }: TypedOperation): NewOperation {
  if (made.op === 'kernel' && durationNs !== undefined) return { ...made, kernel: { kind: 'spin', durationNs } };
  if (made.op === 'work' && durationNs !== undefined) return { ...made, durationNs };
  if ((made.op !== 'recordEvent' && made.op !== 'waitEvent') || event === undefined) return made;
  return { ...made, event };
}

/** Makes a copy between a host buffer of this memory and size and a device buffer that has room for it. */
function typedCopy(draft: Experiment, maker: Maker, { bytes, memory, direction }: TypedOperation): NewOperation {
  const fits = (one: BufferDeclaration): boolean =>
    one.memory !== 'device' &&
    (memory === undefined || one.memory === memory) &&
    (bytes === undefined || bufferBytes(one) === bytes);
  const host = draft.buffers.find(fits)?.id ?? declareHost(draft, memory ?? 'pinned', bytes);
  const copy = maker.copyFrom(host);
  return direction === 'h2d' ? copy : { ...copy, src: copy.dst, dst: copy.src };
}

function declareHost(draft: Experiment, memory: HostMemory, bytes: number | undefined): string {
  const id = freshId(draft, 'buffers', 'source');
  draft.buffers.push(newBuffer(id, memory, bytes));
  return id;
}
