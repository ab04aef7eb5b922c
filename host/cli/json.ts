/** JSON in pieces: a summary of millions of operations is longer than the longest string. */

/** Entries of a list written at once. */
const entriesAtOnce = 256;

/**
 * Yields the text of JSON.stringify(value, null, 2) in pieces. Lists that are members, and other iterables, are written
 * some entries at a time; everything else at once.
 */
export function* jsonPieces(value: object): Generator<string> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) {
    yield '{}';
    return;
  }
  for (const [index, [name, member]] of members.entries()) {
    yield index === 0 ? '{\n' : ',\n';
    if (isIterable(member)) yield* listMember(name, member);
    else yield memberText(name, member);
  }
  yield '\n}';
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

/** Returns the text of a member in an object that is written alone, without the braces and their lines. */
const memberText = (name: string, member: unknown): string => JSON.stringify({ [name]: member }, null, 2).slice(2, -2);

function* listMember(name: string, entries: Iterable<unknown>): Generator<string> {
  /** Text before the first entry and after the last one, as memberText() writes a list. */
  const [head, foot] = [`  ${JSON.stringify(name)}: [\n`, '\n  ]'];
  let batch: unknown[] = [];
  let isFirst = true;
  const written = (): string => {
    const text = memberText(name, batch);
    const between = `${isFirst ? head : ',\n'}${text.slice(head.length, -foot.length)}`;
    [batch, isFirst] = [[], false];
    return between;
  };
  for (const entry of entries) if (batch.push(entry) === entriesAtOnce) yield written();
  if (batch.length > 0) yield written();
  yield isFirst ? memberText(name, []) : foot;
}
