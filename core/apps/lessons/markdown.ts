/**
 * Parses the Markdown of a lesson. Tokens become elements, never HTML. Rejects everything that could reach outside the
 * window: raw HTML, images, and links except to the glossary, rules, lessons, shipped recorded runs and https pages.
 */
import { lexer, type Token, type TokensList } from 'marked';
import { isTermId } from '../../explain/glossary/glossary.ts';
import { ruleIds } from '../../rules/rules.ts';

export interface TextProblem {
  /** Line relative to the section's heading. */
  readonly offset: number;
  readonly message: string;
  readonly remedy: string;
}

export const markdownTokens = (text: string): TokensList => lexer(text);

export type LinkTarget =
  | { readonly kind: 'glossary' | 'rule' | 'lesson' | 'run'; readonly id: string }
  | { readonly kind: 'page'; readonly href: string };

/** Returns the target of a link; null if the link isn't allowed. */
export function linkTarget(href: string): LinkTarget | null {
  const [, scheme = '', id = ''] = /^(glossary|rule|lesson|run):([a-z0-9][a-z0-9/-]*)$/.exec(href) ?? [];
  if (scheme === 'glossary') return isTermId(id) ? { kind: 'glossary', id } : null;
  if (scheme === 'rule') return (ruleIds as readonly string[]).includes(id) ? { kind: 'rule', id } : null;
  if (scheme === 'lesson' || scheme === 'run') return { kind: scheme, id };
  return /^https:\/\/[^\s]+$/.test(href) ? { kind: 'page', href } : null;
}

/** Returns the parts of the text that the window doesn't show. */
export function textProblems(text: string): TextProblem[] {
  const problems: TextProblem[] = [];
  let offset = 0;
  for (const token of markdownTokens(text)) {
    // An element has two tags but needs only one message.
    const found = new Map(tokenProblems(token).map((one) => [one.message, one]));
    for (const { message, remedy } of found.values()) problems.push({ offset, message, remedy });
    offset += token.raw.split('\n').length - 1;
  }
  return problems;
}

function tokenProblems(token: Token): Omit<TextProblem, 'offset'>[] {
  const inside = [
    ...('tokens' in token && Array.isArray(token.tokens) ? (token.tokens as Token[]) : []),
    ...(token.type === 'list' ? (token['items'] as Token[]) : []),
    ...(token.type === 'table' ? cells(token as unknown as TableToken) : []),
  ];
  return [...ownProblem(token), ...inside.flatMap(tokenProblems)];
}

interface TableToken {
  readonly header: readonly { readonly tokens: Token[] }[];
  readonly rows: readonly (readonly { readonly tokens: Token[] }[])[];
}

const cells = ({ header, rows }: TableToken): Token[] => [...header, ...rows.flat()].flatMap(({ tokens }) => tokens);

function ownProblem(token: Token): Omit<TextProblem, 'offset'>[] {
  if (token.type === 'html') {
    return [{ message: 'raw HTML is not shown.', remedy: 'Write it in Markdown, or put it into `code`.' }];
  }
  if (token.type === 'image') {
    return [{ message: 'a lesson shows no images from elsewhere.', remedy: 'Show an experiment or a figure instead.' }];
  }
  if (token.type === 'link' && linkTarget(String(token['href'])) === null) {
    return [
      {
        message: `the link to ${JSON.stringify(String(token['href']).slice(0, 80))} leads nowhere.`,
        remedy: 'Link to glossary:TERM, rule:RULE, lesson:LESSON, run:RUN or an https page.',
      },
    ];
  }
  return [];
}
