/** Estimates what parsing a JSON text takes, before it is parsed. */

/** Limit of keys and values in one text. That many take less than 300 MB when parsed. */
const maxValues = 4_000_000;
const maxDepth = 200;

const [quote, backslash, colon, comma, openObject, closeObject, openList, closeList] = Array.from(
  '"\\:,{}[]',
  (character) => character.charCodeAt(0),
);

/**
 * Returns what exceeds a limit, or null. Reads only the text, since parsing an object of millions of fields takes
 * seconds. If the text isn't JSON, the result may be either.
 */
export function jsonExcess(text: string, mostFields = maxValues): string | null {
  const fields = new Int32Array(maxDepth + 1);
  let [level, values] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === closeObject || code === closeList) level = Math.max(0, level - 1);
    else if (code === colon || code === comma || code === openObject || code === openList) {
      values += 1;
      if (values > maxValues) return `it has more than ${maxValues} values`;
      if (code === colon) {
        const count = (fields[level] ?? 0) + 1;
        if (count > mostFields) return `an object has more than ${mostFields} fields`;
        fields[level] = count;
      } else if (code !== comma) {
        level += 1;
        if (level > maxDepth) return `it nests deeper than ${maxDepth} levels`;
        fields[level] = 0;
      }
    }
  }
  return null;
}

/** Returns the position where the string that begins at `from` ends, or the end of the text if it doesn't end. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
