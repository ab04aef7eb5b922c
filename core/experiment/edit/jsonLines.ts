/** Finds the line of a field in a document's text, for errors. */

/** Returns the line (from 1) of a field path such as `threads[0].operations[2].stream`, or of its nearest parent. */
export function lineOfField(text: string, field: string): number {
  const steps = [...field.matchAll(/[^.[\]]+/g)].map(([step]) => step);
  let at = skipSpace(text, 0);
  for (const step of steps) {
    const found = text[at] === '{' ? memberAt(text, at, step) : itemAt(text, at, Number(step));
    if (found === null) break;
    at = found;
  }
  return lineAt(text, at);
}

/** Returns the line (from 1) of a mistake that JSON.parse reports, if its message contains one. */
export function lineOfSyntaxError(text: string, message: string): number | null {
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return lineAt(text, Number(position));
  return /end of (JSON|input)/i.test(message) ? lineAt(text, text.length) : null;
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? 'x')) at += 1;
  return at;
}

/** Returns the position of a member's value in the object that begins at `at`. */
function memberAt(text: string, at: number, name: string): number | null {
  let here = skipSpace(text, at + 1);
  while (text[here] === '"') {
    const end = endOfString(text, here);
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (text.slice(here + 1, end - 1) === name) return value;
    here = afterComma(text, endOfValue(text, value));
  }
  return null;
}

/** Returns the position of an item in the array that begins at `at`. */
function itemAt(text: string, at: number, index: number): number | null {
  if (text[at] !== '[' || !Number.isInteger(index)) return null;
  let here = skipSpace(text, at + 1);
  for (let count = 0; here < text.length && text[here] !== ']'; count += 1) {
    if (count === index) return here;
    here = afterComma(text, endOfValue(text, here));
  }
  return null;
}

function afterComma(text: string, at: number): number {
  const here = skipSpace(text, at);
  return text[here] === ',' ? skipSpace(text, here + 1) : here;
}

function endOfString(text: string, at: number): number {
  let here = at + 1;
  while (here < text.length && text[here] !== '"') here += text[here] === '\\' ? 2 : 1;
  return here + 1;
}

function endOfValue(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at);
  if (text[at] !== '{' && text[at] !== '[') {
    let here = at;
    while (here < text.length && !',]} \t\r\n'.includes(text[here] ?? '')) here += 1;
    return Math.max(here, at + 1);
  }
  let depth = 0;
  for (let here = at; here < text.length; ) {
    const character = text[here];
    if (character === '"') here = endOfString(text, here);
    else {
      if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') depth -= 1;
      here += 1;
      if (depth === 0) return here;
    }
  }
  return text.length;
}
