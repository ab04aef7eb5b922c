const [quote, backslash, colon, openObject, closeObject, openList, closeList] = Array.from('"\\:{}[]', (character) =>
  character.charCodeAt(0),
);

/**
 * Whether an object of a JSON text has more than `most` fields, down to `deepest` levels. It looks at the text alone, since
 * an object of millions takes seconds to parse and again to list. Of what is no JSON it may say either.
 */
export function hasWiderObject(text: string, most: number, deepest: number): boolean {
  const fields = new Int32Array(deepest + 1);
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === colon && level <= deepest) {
      const count = (fields[level] ?? 0) + 1;
      if (count > most) return true;
      fields[level] = count;
    } else if (code === openObject || code === openList) {
      level += 1;
      if (level <= deepest) fields[level] = 0;
    } else if (code === closeObject || code === closeList) level -= 1;
  }
  return false;
}

/** Where the string that begins at `from` ends; the text's end where it doesn't. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
