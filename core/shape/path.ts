/** Paths to the fields of a document. */

/** What a document has at a path; undefined where nothing is. */
export function valueAtPath(document: unknown, path: readonly PropertyKey[]): unknown {
  let value = document;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** Whether a path is another one, or leads on from it. */
export const startsWith = (path: readonly PropertyKey[], start: readonly PropertyKey[]): boolean =>
  start.every((step, index) => path[index] === step);

/** `['threads', 0, 'operations', 2]` as `threads[0].operations[2]`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text === '' ? '' : '.'}${String(key)}`),
    '',
  );
}
