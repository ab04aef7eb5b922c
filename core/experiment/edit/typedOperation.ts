/**
 * Parses an operation as a person types it: 'copy 64 MB pinned in side', 'kernel 200 us writes target', 'record done in
 * side'. Missing declarations are added, so that no form has to be opened.
 */
import { checkShape } from '../../shape/checkShape.ts';
import type { Experiment } from '../experiment.ts';
import type { NewOperation, OperationName } from '../operations.ts';
import {
  type BufferDeclaration,
  bufferBytes,
  copiedMemories,
  idSchema,
  isCopied,
  reservedStreams,
} from '../resources.ts';
import { freshId, newBuffer } from './declarations.ts';
import type { Edited } from './edit.ts';
import { addMade, type Maker } from './newOperation.ts';
import type { Place } from './paths.ts';
import { parseBytes, parseDuration } from './quantities.ts';
import type { Target } from './rows.ts';

type HostMemory = (typeof copiedMemories)[number];
type Direction = 'h2d' | 'd2h';

/** Arguments that may follow an operation's name. */
interface Given {
  readonly direction?: Direction;
  readonly bytes?: number;
  readonly memory?: HostMemory;
  readonly durationNs?: number;
  readonly stream?: string;
  readonly event?: string;
  readonly buffer?: string;
  readonly src?: string;
  readonly dst?: string;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}

export interface TypedOperation extends Given {
  readonly name: OperationName;
}

interface Form {
  /** The words that begin it, each of which is enough; the longest first: 'record event' is no event called 'event'. */
  readonly begins: readonly string[];
  readonly name: OperationName;
  /** Arguments that these words imply. */
  readonly given?: Given;
  readonly takes: readonly (keyof Given)[];
  /** The form, for people. */
  readonly text: string;
}

const copyTakes = ['direction', 'bytes', 'memory', 'src', 'dst', 'stream'] as const;
const copyText = 'SIZE [pinned | pageable] [from BUFFER] [to BUFFER] [in STREAM]';

export const typedForms: readonly Form[] = [
  {
    begins: ['copy'],
    name: 'copy',
    given: { direction: 'h2d' },
    takes: copyTakes,
    text: `copy [h2d | d2h] ${copyText}`,
  },
  { begins: ['h2d'], name: 'copy', given: { direction: 'h2d' }, takes: copyTakes, text: `h2d ${copyText}` },
  { begins: ['d2h'], name: 'copy', given: { direction: 'd2h' }, takes: copyTakes, text: `d2h ${copyText}` },
  {
    begins: ['kernel'],
    name: 'kernel',
    takes: ['durationNs', 'reads', 'writes', 'stream'],
    text: 'kernel DURATION [reads BUFFER] [writes BUFFER] [in STREAM]',
  },
  {
    begins: ['memset'],
    name: 'memset',
    takes: ['bytes', 'buffer', 'stream'],
    text: 'memset [SIZE] BUFFER [in STREAM]',
  },
  {
    begins: ['record event', 'record', 'event'],
    name: 'recordEvent',
    takes: ['event', 'stream'],
    text: 'record EVENT [in STREAM]',
  },
  {
    begins: ['wait for event', 'wait for', 'wait'],
    name: 'waitEvent',
    takes: ['event', 'stream'],
    text: 'wait EVENT [in STREAM]',
  },
  { begins: ['work'], name: 'work', takes: ['durationNs'], text: 'work DURATION' },
];

/** Words that say what the next word is. */
const keywords: Readonly<Record<string, 'stream' | 'src' | 'dst' | 'reads' | 'writes'>> = {
  in: 'stream',
  on: 'stream',
  from: 'src',
  to: 'dst',
  reads: 'reads',
  writes: 'writes',
};

/** The text as words, in which '64 MB' is one, and the form that they begin. */
function begun(text: string): { readonly form: Form; readonly rest: readonly string[] } | null {
  const words = text
    .trim()
    .replace(/(\d)\s+(?=[kmgtu\u00b5]?i?[bs]\b|[mun]s\b)/gi, '$1')
    .split(/\s+/);
  for (const form of typedForms) {
    for (const begin of form.begins.map((one) => one.split(' '))) {
      if (begin.every((word, at) => words[at]?.toLowerCase() === word)) {
        return { form, rest: words.slice(begin.length) };
      }
    }
  }
  return null;
}

/** Returns null if the text isn't an operation with arguments. A name alone is found in the list. */
export function parseTyped(text: string): TypedOperation | null {
  const found = begun(text);
  if (found === null || found.rest.length === 0) return null;
  const given = argumentsOf(found.rest, found.form);
  return typeof given === 'string' ? null : { name: found.form.name, ...given };
}

/** Returns what is wrong with a text that begins a form, with that form; null if it is right or begins none. */
export function typedProblem(text: string): string | null {
  const found = begun(text);
  if (found === null || found.rest.length === 0) return null;
  const given = argumentsOf(found.rest, found.form);
  return typeof given === 'string' ? `${given} Type: ${found.form.text}` : null;
}

/** Returns the arguments, or what is wrong with them. */
function argumentsOf(words: readonly string[], { takes, given: meant }: Form): Given | string {
  let given: Given = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const argument = keywords[word.toLowerCase()];
    if (argument !== undefined && takes.includes(argument)) {
      at += 1;
      const id = words[at] ?? '';
      if (!isId(id)) return `“${word}” needs the name of a ${argument === 'stream' ? 'stream' : 'buffer'}.`;
      const ids = argument === 'reads' || argument === 'writes' ? [...(given[argument] ?? []), id] : id;
      given = { ...given, [argument]: ids };
      continue;
    }
    const one = argumentOf(word, takes);
    if (one === null) return `“${word}” is not understood.`;
    given = { ...given, ...one };
  }
  return { ...meant, ...given };
}

const isId = (word: string): boolean => checkShape(idSchema, word).ok;

function argumentOf(word: string, takes: Form['takes']): Given | null {
  const lower = word.toLowerCase();
  const bytes = takes.includes('bytes') ? parseBytes(word) : null;
  if (bytes !== null && bytes > 0) return { bytes };
  const durationNs = takes.includes('durationNs') ? parseDuration(word) : null;
  if (durationNs !== null) return { durationNs };
  if (takes.includes('direction') && (lower === 'h2d' || lower === 'd2h')) return { direction: lower };
  const memory = copiedMemories.find((one) => one === lower);
  if (takes.includes('memory') && memory !== undefined) return { memory };
  if (takes.includes('buffer') && isId(word)) return { buffer: word };
  return takes.includes('event') && isId(word) ? { event: word } : null;
}

/** Returns the texts that the last word may become, with what the experiment declares. */
export function typedCompletions(text: string, { streams, buffers, events }: Experiment): readonly string[] {
  const [, before = '', last = ''] = /^(.*?)(\S*)$/s.exec(text) ?? [];
  const found = begun(before);
  if (found === null) return [];
  const { takes } = found.form;
  const asked = keywords[found.rest.at(-1)?.toLowerCase() ?? ''];
  const ids = (declared: readonly { readonly id: string }[]): string[] => declared.map(({ id }) => id);
  const typed = new Set(found.rest);
  /** Returns words of which one is enough; none if one is typed. */
  const oneOf = (name: keyof Given, all: readonly string[]): readonly string[] =>
    takes.includes(name) && !all.some((word) => typed.has(word)) ? all : [];
  const words =
    asked === 'stream'
      ? [...ids(streams), 'default']
      : asked !== undefined
        ? ids(buffers)
        : [
            ...oneOf('direction', ['h2d', 'd2h']),
            ...oneOf('memory', copiedMemories),
            ...oneOf('event', ids(events)),
            ...oneOf('buffer', ids(buffers)),
            ...Object.keys(keywords).filter((word) => word !== 'on' && takes.includes(keywords[word] ?? 'stream')),
          ];
  return words
    .filter((word) => word !== last && word.startsWith(last.toLowerCase()) && !typed.has(word))
    .map((word) => `${before}${word} `);
}

/** Adds the operation at a place. Without a stream it goes into the row of `target`. */
export function addTyped(experiment: Experiment, typed: TypedOperation, at: Place, target: Target): Edited {
  const { name, stream, event } = typed;
  const row: Target = stream === undefined ? target : { row: 'stream', stream };
  return addMade(experiment, at, row, (draft, maker) => {
    if (stream !== undefined) declareStream(draft, stream);
    if (event !== undefined) declareEvent(draft, event);
    for (const id of [typed.buffer, ...(typed.reads ?? []), ...(typed.writes ?? [])]) {
      if (id !== undefined) declareBuffer(draft, id, 'device', typed.bytes);
    }
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

function declareBuffer(draft: Experiment, id: string, memory: BufferDeclaration['memory'], bytes?: number): string {
  if (!draft.buffers.some((one) => one.id === id)) draft.buffers.push(newBuffer(id, memory, bytes));
  return id;
}

function withArguments(made: NewOperation, typed: TypedOperation): NewOperation {
  const { durationNs, event, buffer, bytes, reads = [], writes = [] } = typed;
  if (made.op === 'kernel') {
    const kernel = durationNs === undefined ? made.kernel : { kind: 'spin' as const, durationNs };
    return { ...made, kernel, reads: [...reads], writes: [...writes] };
  }
  if (made.op === 'work' && durationNs !== undefined) return { ...made, durationNs };
  if (made.op === 'memset') {
    return { ...made, ...(buffer === undefined ? {} : { buffer }), ...(bytes === undefined ? {} : { bytes }) };
  }
  if ((made.op !== 'recordEvent' && made.op !== 'waitEvent') || event === undefined) return made;
  return { ...made, event };
}

/** Makes a copy between a host buffer of this memory and size and a device buffer that has room for it. */
function typedCopy(draft: Experiment, maker: Maker, typed: TypedOperation): NewOperation {
  const { bytes, memory, direction = 'h2d', src, dst } = typed;
  const isDown = direction === 'd2h';
  const [hostName, deviceName] = isDown ? [dst, src] : [src, dst];
  const fits = (one: BufferDeclaration): boolean =>
    isCopied(one.memory) &&
    (memory === undefined || one.memory === memory) &&
    (bytes === undefined || bufferBytes(one) === bytes);
  const found = hostName === undefined ? draft.buffers.find(fits)?.id : undefined;
  const host =
    found ?? declareBuffer(draft, hostName ?? freshId(draft, 'buffers', 'source'), memory ?? 'pinned', bytes);
  if (deviceName !== undefined) declareBuffer(draft, deviceName, 'device', bytes);
  const stream = maker.stream;
  const copy =
    deviceName === undefined
      ? maker.copyFrom(host)
      : { op: 'copy' as const, src: host, srcOffset: 0, dst: deviceName, dstOffset: 0, stream, mode: 'async' as const };
  const isPart = bytes !== undefined && draft.buffers.some((one) => one.id === host && bufferBytes(one) > bytes);
  const part = isPart ? { bytes } : {};
  return isDown ? { ...copy, src: copy.dst, dst: copy.src, ...part } : { ...copy, ...part };
}
