/** JSON in pieces: a summary of millions of operations is longer than the longest string. */

/** About so many characters a piece. */
const pieceLength = 1 << 16;

/**
 * The text that JSON.stringify(value, null, 2) would give of an object, in pieces. Lists that are its members are written
 * entry by entry; everything else in one go.
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
    if (!Array.isArray(member) || member.length === 0) {
      piece += indented(member, 2);
      continue;
    }
    piece += '[';
    for (const [place, entry] of member.entries()) {
      piece += `${place === 0 ? '' : ','}\n    ${indented(entry, 4)}`;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
    piece += '\n  ]';
  }
  yield `${piece}\n}`;
}

/** Line breaks within strings are escaped, so that every one here is the layout's. */
const indented = (value: unknown, by: number): string =>
  (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${' '.repeat(by)}`);
