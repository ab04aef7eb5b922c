/** Returns `stem`, or the first of stem2, stem3… that isn't taken. */
export function freeName(stem: string, taken: ReadonlySet<string>): string {
  let name = stem;
  for (let number = 2; taken.has(name); number += 1) name = `${stem}${number}`;
  return name;
}
