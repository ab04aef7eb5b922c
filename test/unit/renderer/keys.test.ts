/** The help lists every key that is handled, and none that isn't. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keySections, ordinaryKeys } from '../../../renderer/shell/keys.ts';

const renderer = join(import.meta.dirname, '../../../renderer');
const read = (file: string): string => readFileSync(join(renderer, file), 'utf8');

const isKey = (text: string): boolean =>
  /^(.|Arrow(Left|Right|Up|Down)|Home|End|Page(Up|Down)|Enter|Escape|Delete|Backspace|Insert|ContextMenu|Tab|F\d+)$/i.test(
    text,
  );

const strings = (code: string): string[] => [...code.matchAll(/'([^'\n]+)'/g)].flatMap(([, text]) => text ?? []);

/** Names of keys that a file's code compares with, in lower case. */
function handledIn(code: string): Set<string> {
  const compared = [...code.matchAll(/(?:case |(?:key|key\.toLowerCase\(\)) [!=]== |\bkey: )'([^'\n]+)'/g)].flatMap(
    ([, key]) => key ?? [],
  );
  const listed = [
    ...code.matchAll(/\[([^[\]]*)\]\.includes\((?:event\.)?key\)/g),
    ...code.matchAll(/new Set\(\[([^[\]]*)\]\)/g),
  ].flatMap(([, list]) => strings(list ?? ''));
  // { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const looked = [...code.matchAll(/\{([^{}]*)\}(?: as const\))?\[(?:event\.)?key\b/g)].flatMap(([, fields]) =>
    [...(fields ?? '').matchAll(/(\w+):/g)].flatMap(([, name]) => name ?? []),
  );
  const steps = /\^\(Arrow\(Left\|Right\|Up\|Down\)/.test(code)
    ? ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']
    : [];
  return new Set([...compared, ...listed, ...looked, ...steps].filter(isKey).map((key) => key.toLowerCase()));
}

/** As 'mod+k', from useHotkeys() and the palette's shortcut. */
function hotkeysIn(code: string): Set<string> {
  const blocks = [...code.matchAll(/useHotkeys\(\s*\[([\s\S]*?)\n\s*\]/g)].map(([, block]) => block ?? '');
  const hotkeys = blocks.flatMap((block) => [...block.matchAll(/\['([^']+)',/g)].flatMap(([, key]) => key ?? []));
  const shortcuts = [...code.matchAll(/shortcut="([^"]+)"/g)].flatMap(([, key]) => key ?? []);
  return new Set([...hotkeys, ...shortcuts].map((key) => key.toLowerCase().replaceAll(' ', '')));
}

describe.each(keySections.filter(({ files }) => files.length > 0))('$title', ({ files, entries }) => {
  const codes = files.map(read);
  const handled = new Set(codes.flatMap((code) => [...handledIn(code), ...hotkeysIn(code)]));
  const listed = new Set(entries.flatMap((entry) => entry.codes));

  it('lists every key that its files handle', () => {
    expect([...handled].filter((key) => !listed.has(key))).toEqual([]);
  });

  it('lists no key that its files do not handle', () => {
    expect([...listed].filter((key) => !handled.has(key))).toEqual([]);
  });
});

it('knows every file that handles keys', () => {
  const known = new Set([...keySections.flatMap(({ files }) => files), ...ordinaryKeys]);
  const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file));
  const handling = files.filter((file) => {
    const code = read(file);
    const listens = /onKeyDown|'keydown'|event\.key\b|KeyboardEvent/.test(code);
    return (listens && handledIn(code).size > 0) || hotkeysIn(code).size > 0;
  });
  expect(handling.filter((file) => !known.has(file))).toEqual([]);
  for (const file of known) expect(files).toContain(file);
});
