/** A lesson's Markdown as React elements. It never becomes HTML text, so it can't run or load anything. */
import type { Token, Tokens } from 'marked';
import { type ReactNode, useMemo } from 'react';
import { linkTarget, markdownTokens } from '../../core/apps/lessons/markdown.ts';
import { isTermId } from '../../core/explain/glossary/glossary.ts';
import type { RuleId } from '../../core/rules/rules.ts';
import { recordedPrefix } from '../../core/service/service.ts';
import { unbroken } from '../../core/units.ts';
import { pageHash } from '../store/page.ts';
import { openPage } from '../store/pages.ts';
import type { Page } from '../store/types.ts';
import { RuleLink, TermLink } from '../terms/TermLink.tsx';
import classes from './Lesson.module.css';

export function Markdown({
  text,
  plain = false,
}: {
  readonly text: string;
  /** Shows links as plain text. */
  readonly plain?: boolean;
}) {
  const tokens = useMemo(() => markdownTokens(text), [text]);
  return <>{blocks(tokens, plain)}</>;
}

/** One line of text, without a paragraph around it. */
export function InlineMarkdown({ text, plain = false }: { readonly text: string; readonly plain?: boolean }) {
  const tokens = useMemo(
    () => markdownTokens(text).flatMap((token) => (token.type === 'paragraph' ? (token.tokens ?? []) : [token])),
    [text],
  );
  return <>{blocks(tokens, plain)}</>;
}

const blocks = (tokens: readonly Token[] = [], plain: boolean): ReactNode[] =>
  tokens.map((token, index) => {
    const [before, after] = [marksBefore(tokens[index - 1]), marksAfter(tokens[index + 1])];
    // biome-ignore lint/suspicious/noArrayIndexKey: a text's tokens never move.
    const piece = (one: Token): ReactNode => <Piece key={index} token={one} plain={plain} />;
    if (isWord(token)) {
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text's tokens never move.
        <span key={index} className={classes['whole']}>
          {before}
          {piece(token)}
          {after}
        </span>
      );
    }
    const text = isText(token) ? token.text : null;
    if (text === null) return piece(token);
    const start = isWord(tokens[index - 1]) ? marksAfter(token).length : 0;
    const end = isWord(tokens[index + 1]) ? marksBefore(token).length : 0;
    return unbroken(text.slice(start, text.length - end));
  });

/** Returns true for a glossary or rule link. It is drawn as a button, and browsers may break lines around buttons. */
const isWord = (token: Token | undefined): boolean =>
  token?.type === 'link' && /^(glossary|rule):/.test((token as Tokens.Link).href);

const isText = (token: Token | undefined): token is Tokens.Text =>
  token?.type === 'text' && (token as Tokens.Text).tokens === undefined;

/** Brackets that open before such a word, and punctuation after it. They must stay in the word's line. */
const marksBefore = (token: Token | undefined): string => (isText(token) ? (/[([]+$/.exec(token.text)?.[0] ?? '') : '');
const marksAfter = (token: Token | undefined): string =>
  isText(token) ? (/^[)\].,:;!?]+/.exec(token.text)?.[0] ?? '') : '';

function Piece({ token, plain }: { readonly token: Token; readonly plain: boolean }): ReactNode {
  const inside = (): ReactNode[] => blocks('tokens' in token ? token.tokens : [], plain);
  switch (token.type) {
    case 'paragraph':
      return <p>{inside()}</p>;
    case 'heading':
      return <h4>{inside()}</h4>;
    case 'blockquote':
      return <blockquote>{inside()}</blockquote>;
    case 'list': {
      const items = (token as Tokens.List).items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text's tokens never move.
        <li key={index}>{blocks(item.tokens, plain)}</li>
      ));
      return (token as Tokens.List).ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'code':
      return (
        <pre>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'table':
      return <Table table={token as Tokens.Table} plain={plain} />;
    case 'strong':
      return <strong>{inside()}</strong>;
    case 'em':
      return <em>{inside()}</em>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'space':
    case 'def':
      return null;
    case 'link':
      return <Link href={(token as Tokens.Link).href} text={inside()} plain={plain} />;
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? inside() : (token as Tokens.Text).text;
    default:
      return 'text' in token && typeof token.text === 'string' ? token.text : null;
  }
}

function Table({ table, plain }: { readonly table: Tokens.Table; readonly plain: boolean }) {
  return (
    <table>
      <thead>
        <tr>
          {table.header.map((cell, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a table's columns never move.
            <th key={index} scope="col">
              {blocks(cell.tokens, plain)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, number) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a table's rows never move.
          <tr key={number}>
            {row.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a table's columns never move.
              <td key={index}>{blocks(cell.tokens, plain)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Link({ href, text, plain }: { readonly href: string; readonly text: ReactNode; readonly plain: boolean }) {
  const target = linkTarget(href);
  if (target === null || plain) return <>{text}</>;
  if (target.kind === 'page') {
    return (
      <a href={target.href} target="_blank" rel="noreferrer">
        {text}
      </a>
    );
  }
  if (target.kind === 'lesson' || target.kind === 'run') {
    const page: Page =
      target.kind === 'lesson'
        ? { kind: 'lesson', id: target.id, step: 0 }
        : { kind: 'run', id: `${recordedPrefix}${target.id}` };
    return (
      <a
        href={pageHash(page)}
        onClick={(event) => {
          event.preventDefault();
          openPage(page);
        }}
      >
        {text}
      </a>
    );
  }
  if (target.kind === 'rule') return <RuleLink rule={target.id as RuleId}>{text}</RuleLink>;
  return isTermId(target.id) ? <TermLink term={target.id}>{text}</TermLink> : text;
}
