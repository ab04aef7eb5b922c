/** Changes JSON documents like an attacker: first as values, then as text. */
import type { Random } from '../unit/support/random.ts';

type Json = unknown;
type Owner = Record<string, Json> | Json[];

const isOwner = (value: Json): value is Owner =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array);

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'length',
  'then',
  '',
  '0',
];

const texts = (random: Random): string =>
  random.pick([
    '',
    ' ',
    '\0',
    '\ud800',
    '\u202e',
    '../../etc/passwd',
    '/',
    'a/b',
    'C:\\x',
    '-1',
    '1e400',
    'NaN',
    'x'.repeat(random.below(random.pick([10, 100, 5000]))),
    '🙂'.repeat(random.below(300)),
    ...names,
  ]);

const numbers = [0, -0, -1, 0.5, 1e-320, 1e15, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, 1e300, -1e300, 1e21];

function deep(random: Random): Json {
  let value: Json = 1;
  const isList = random.chance(0.5);
  for (let depth = 1 + random.below(random.pick([3, 100, 1000])); depth > 0; depth -= 1)
    value = isList ? [value] : { a: value };
  return value;
}

function oddValue(random: Random): Json {
  return random.pick([
    () => random.pick(numbers),
    () => texts(random),
    () => random.pick([null, true, false, [], {}, [[]], [null], { length: { valueOf: 0 } }]),
    () => Array(random.below(random.pick([3, 30, 2000]))).fill(random.pick([0, '', null, {}])),
    () => JSON.parse('{"__proto__": {"polluted": true}, "a": 1}'),
    () => deep(random),
  ])();
}

/** Returns a place in a document, inner and outer ones with the same probability. */
function place(document: Json, random: Random): { owner: Owner; key: string } | null {
  let found: { owner: Owner; key: string } | null = null;
  for (let value = document; isOwner(value); ) {
    const keys = Object.keys(value);
    if (keys.length === 0) break;
    const key = random.pick(keys);
    found = { owner: value, key };
    if (random.chance(0.2)) break;
    value = (value as Record<string, Json>)[key];
  }
  return found;
}

const put = (owner: Owner, key: string, value: Json): void => {
  Object.defineProperty(owner, key, { value, enumerable: true, configurable: true, writable: true });
};

function wound(document: Json, random: Random): void {
  const found = place(document, random);
  if (found === null) return;
  const { owner, key } = found;
  const value = (owner as Record<string, Json>)[key];
  const wounds: (() => void)[] = [
    () => put(owner, key, oddValue(random)),
    () => put(owner, key, typeof value === 'number' ? -value * 1.5 : JSON.stringify(value)),
    () => put(owner, key, [value]),
    () => {
      if (Array.isArray(owner)) owner.splice(Number(key), 1);
      else delete owner[key];
    },
    () => put(owner, Array.isArray(owner) ? key : random.pick(names), value),
    () => {
      if (Array.isArray(owner))
        for (let count = 1 + random.below(40); count > 0; count -= 1) owner.push(structuredClone(value));
      else put(owner, `${key}x`, value);
    },
    () => {
      const other = place(document, random);
      if (other !== null) put(owner, key, structuredClone((other.owner as Record<string, Json>)[other.key]));
    },
  ];
  random.pick(wounds)();
}

/** Returns the document with one to four values changed, removed, moved or repeated. */
export function mutatedValue(whole: Json, random: Random): Json {
  const document = structuredClone(whole);
  for (let count = 1 + random.below(4); count > 0; count -= 1) wound(document, random);
  return random.chance(0.01) ? oddValue(random) : document;
}

/** Replaces values by others of the same kind: readers accept them, so that later code is tested. */
function alter(document: Json, random: Random): void {
  let found = place(document, random);
  for (let round = 0; found !== null && round < 3 && random.chance(0.5); round += 1) found = place(document, random);
  if (found === null) return;
  const { owner, key } = found;
  const value = (owner as Record<string, Json>)[key];
  if (typeof value === 'number') {
    put(
      owner,
      key,
      random.pick([0, 1, value + 1, value - 1, value * 2, Math.floor(value / 2), value * 1000, 1_000_000]),
    );
  } else if (typeof value === 'boolean') put(owner, key, !value);
  else if (typeof value === 'string') {
    const others = textsOf(document, key);
    put(owner, key, random.pick(others));
  } else if (Array.isArray(value) && value.length > 0) {
    const at = random.below(value.length);
    random.pick([
      () => value.splice(at, 1),
      () => value.splice(random.below(value.length + 1), 0, structuredClone(value[at])),
      () => value.reverse(),
      () => value.push(...structuredClone(value).slice(0, 50)),
    ])();
  } else if (!Array.isArray(owner) && random.chance(0.3)) delete owner[key];
}

/** Returns all texts under a key, anywhere in the document, or under a related key: a buffer's id under src. */
function textsOf(document: Json, key: string): readonly string[] {
  const found: string[] = [];
  const visit = (value: Json, of: string): void => {
    if (typeof value === 'string' && (of === key || of === 'id')) found.push(value);
    else if (isOwner(value))
      for (const [name, inner] of Object.entries(value)) visit(inner, Array.isArray(value) ? of : name);
  };
  visit(document, '');
  return found.length === 0 ? [''] : found;
}

/** Returns the document with one to eight values replaced by others of the same kind. */
export function alteredValue(whole: Json, random: Random): Json {
  const document = structuredClone(whole);
  for (let count = 1 + random.below(8); count > 0; count -= 1) alter(document, random);
  return document;
}

/** Returns either of them as text, which may contain what no value can. */
export function mutatedJson(whole: Json, random: Random): string {
  if (random.chance(0.3)) return JSON.stringify(alteredValue(whole, random));
  return mutatedLetters(JSON.stringify(mutatedValue(whole, random)) ?? 'undefined', random);
}

const snippets = [
  '"__proto__":{"a":1},',
  '"a":1,"a":2,',
  'NaN',
  '-Infinity',
  '1e999',
  '0x10',
  '{',
  '}',
  '[',
  ']',
  '\\u0000',
  '\\',
  ',',
  '/*',
  '"',
];

/** Returns the text, sometimes with letters removed, inserted or doubled. */
function mutatedLetters(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const to = Math.min(text.length, at + random.below(200));
  switch (random.below(24)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + random.pick(snippets) + text.slice(at);
    case 2:
      return text.replace('{', `{${random.pick(snippets)}`);
    case 3:
      return text.slice(0, at) + text.slice(to);
    case 4:
      return text.slice(0, to) + text.slice(at);
    default:
      return text;
  }
}
