/** Cuts a lesson's text at its headings of level two; headings inside fenced code are text. */
export interface Section {
  readonly title: string;
  /** Line of the heading in the file, from 1. */
  readonly line: number;
  readonly text: string;
}

export function sectionsOf(
  lines: readonly string[],
  from: number,
): { readonly sections: readonly Section[]; readonly before: { readonly line: number; readonly text: string } } {
  const starts: number[] = [];
  let fence: string | null = null;
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || line.trim() === fence)) fence = fence === null ? mark : null;
    else if (fence === null && /^## +\S/.test(line)) starts.push(index);
  }
  const textOf = (begin: number, end: number): string => lines.slice(begin, end).join('\n');
  const sections = starts.map((start, index) => ({
    title: (lines[start] ?? '').replace(/^## +/, '').replace(/\s+#*\s*$/, ''),
    line: start + 1,
    text: textOf(start + 1, starts[index + 1] ?? lines.length),
  }));
  return { sections, before: { line: from + 1, text: textOf(from, starts[0] ?? lines.length) } };
}
