/** Parses a lesson's file to a lesson, or to problems with line numbers. Never throws, whatever the file contains. */
import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { type ErrorInfo, errorOfAll } from '../../errors.ts';
import { parseExperiment } from '../../experiment/parse.ts';
import { checkShape } from '../../shape/checkShape.ts';
import { type Lesson, type LessonStep, lessonFrontSchema } from './lesson.ts';
import { textProblems } from './markdown.ts';
import { referenceProblems } from './references.ts';

interface Section {
  readonly title: string;
  /** Line of the heading in the file, counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** Splits a lesson's text at its headings of level two. Headings inside fenced code count as text. */
function sectionsOf(
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

/** Limit on the size of a lesson, because it is read as a whole. */
export const maxLessonCharacters = 2 * 1024 * 1024;

export type ParsedLesson =
  | { readonly ok: true; readonly lesson: Lesson }
  | { readonly ok: false; readonly problems: readonly ErrorInfo[] };

const problem = (lineNumber: number, message: string, remedy: string): ErrorInfo => ({
  code: 'lesson.invalid',
  field: `line ${lineNumber}`,
  message,
  remedy,
});

const refused = (...problems: ErrorInfo[]): ParsedLesson => ({ ok: false, problems });

/** Parses a lesson. `id` is its file name without extension. */
export function parseLesson(id: string, text: string): ParsedLesson {
  if (text.length > maxLessonCharacters) {
    return refused(
      problem(
        1,
        `the file has ${text.length} characters; at most ${maxLessonCharacters} are read.`,
        'Make it shorter.',
      ),
    );
  }
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = lines.indexOf('---', 1);
  if (lines[0] !== '---' || end < 0) {
    return refused(
      problem(
        1,
        'the front part is missing.',
        'Begin the file with a line "---", the front part, and another line "---".',
      ),
    );
  }
  const front = parseFront(lines.slice(1, end).join('\n'));
  if (!front.ok) return refused(...front.problems);
  const { sections, before } = sectionsOf(lines, end + 1);
  const problems = [
    ...strayText(before),
    ...matchProblems(front.value.steps, sections, front.lineOf),
    ...documentProblems(front.value.experiments, front.lineOf),
    ...referenceProblems(front.value).map(({ path, message, remedy }) => problem(front.lineOf(path), message, remedy)),
    ...sections.flatMap((section) =>
      textProblems(section.text).map(({ offset, message, remedy }) =>
        problem(section.line + 1 + offset, message, remedy),
      ),
    ),
  ];
  if (problems.length > 0) return refused(...problems.slice(0, 100));
  return { ok: true, lesson: { ...front.value, id, steps: withTexts(front.value.steps, sections) } };
}

/** Returns the lesson, or throws a CopyscopeError `lesson.invalid` that lists every problem. */
export function requireLesson(id: string, text: string): Lesson {
  const parsed = parseLesson(id, text);
  if (parsed.ok) return parsed.lesson;
  throw errorOfAll(parsed.problems);
}

type Front = z.infer<typeof lessonFrontSchema>;
type LineOf = (path: readonly PropertyKey[]) => number;

function parseFront(
  yaml: string,
): { ok: true; value: Front; lineOf: LineOf } | { ok: false; problems: readonly ErrorInfo[] } {
  const counter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: counter, logLevel: 'error' });
  const [error] = document.errors;
  // The front part begins on the file's second line.
  if (error !== undefined) {
    const at = counter.linePos(error.pos[0]).line + 1;
    return {
      ok: false,
      problems: [
        problem(
          at,
          `the front part is not valid YAML: ${firstLine(error.message)}`,
          'Check indents, quotes and colons.',
        ),
      ],
    };
  }
  const lineOf: LineOf = (path) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      const range = (node as { range?: [number, number, number] } | null | undefined)?.range;
      if (range !== undefined) return counter.linePos(range[0]).line + 1;
    }
    return 2;
  };
  let json: unknown;
  try {
    // YAML aliases could expand a small file into a huge one.
    json = document.toJS({ maxAliasCount: 0 });
  } catch (thrown) {
    return {
      ok: false,
      problems: [
        problem(
          2,
          `the front part can't be read: ${(thrown as Error).message}.`,
          'Write values out instead of using aliases.',
        ),
      ],
    };
  }
  const shape = checkShape(lessonFrontSchema, json);
  if (shape.ok) return { ok: true, value: shape.value, lineOf };
  const problems = shape.problems
    .slice(0, 100)
    .map(({ path, field, message, remedy }) => problem(lineOf(path), `${field}: ${message}`, remedy));
  return { ok: false, problems };
}

const firstLine = (text: string): string => text.split('\n')[0] ?? text;

const strayText = (before: { readonly line: number; readonly text: string }): ErrorInfo[] =>
  before.text.trim() === ''
    ? []
    : [
        problem(
          before.line,
          'there is text before the first step.',
          'Put a heading "## …" above it, and a step of that title into the front part.',
        ),
      ];

/** Checks that the sections of the text match the steps of the front part, in order and by title. */
function matchProblems(steps: Front['steps'], sections: readonly Section[], lineOf: LineOf): ErrorInfo[] {
  const problems: ErrorInfo[] = [];
  steps.forEach(({ title }, index) => {
    const section = sections[index];
    if (section === undefined) {
      problems.push(
        problem(
          lineOf(['steps', index]),
          `step ${index + 1}, "${title}", has no text.`,
          `Add a heading "## ${title}" with its text.`,
        ),
      );
    } else if (section.title !== title) {
      problems.push(
        problem(
          section.line,
          `the heading "${section.title}" stands where step ${index + 1}, "${title}", should.`,
          'Give both the same title, and both the same order.',
        ),
      );
    }
  });
  for (const { title, line } of sections.slice(steps.length)) {
    problems.push(
      problem(line, `the front part has no step for "${title}".`, 'Add it to "steps", or delete the heading.'),
    );
  }
  return problems;
}

function documentProblems(experiments: Front['experiments'], lineOf: LineOf): ErrorInfo[] {
  return Object.entries(experiments).flatMap(([name, { document }]) => {
    const parsed = document === undefined ? null : parseExperiment(document);
    if (parsed === null || parsed.ok) return [];
    return parsed.problems.map((one) =>
      problem(
        lineOf(['experiments', name]),
        `experiment "${name}", ${one.field ?? 'document'}: ${one.message}`,
        one.remedy ?? 'Correct it.',
      ),
    );
  });
}

function withTexts(steps: Front['steps'], sections: readonly Section[]): LessonStep[] {
  let shown: LessonStep['shown'] = null;
  return steps.map((step, index) => {
    if (step.experiment !== undefined) shown = { name: step.experiment, step: index };
    return { ...step, text: sections[index]?.text ?? '', shown };
  });
}
