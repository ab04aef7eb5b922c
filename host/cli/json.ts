/** JSON in pieces: a summary of millions of operations is longer than the longest string. */

/** About so many characters a piece. */
const pieceLength = 1 << 16;

/**
 * The text that JSON.stringify(value, null, 2) would give of an object, in pieces. Lists that are its members, and other
 * iterables, are written entry by entry; everything else in one go.
 */
export function* jsonPieces(value: object): Generator<string> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) {
    yield '{}';
    return;
  }
  let piece = '{';
  for (const [index, [name, member]] of members.entries()) {
    piece += `${index === 0 ? '' : ','}\n  ${JSON.stringify(name)}: `;
    if (!isIterable(member)) {
      piece += indented(member, 2);
      continue;
    }
    let entries = 0;
    for (const entry of member) {
      piece += `${entries === 0 ? '[' : ','}\n    ${indented(entry, 4)}`;
      entries += 1;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
    piece += entries === 0 ? '[]' : '\n  ]';
  }
  yield `${piece}\n}`;
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

/** Line breaks within strings are escaped, so that every one here is the layout's. */
const indented = (value: unknown, by: number): string =>
  (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${' '.repeat(by)}`);
