/** A text stays the same in every medium: one line, one literal, one cell, one word. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../core/export/tables/rowTable.ts';
import {
  cppComment,
  csvCell,
  githubMessage,
  githubProperty,
  oneLine,
  pythonComment,
  sarifText,
  shellWord,
  terminalLine,
  xmlText,
} from '../../../core/media.ts';
import { runs } from '../../support/effort.ts';
import { hostileText } from './hostile.ts';

const lineEnds = /[\n\v\f\r\u0085\u2028\u2029]/;
const commands = /[^\P{Cc}\t]|\p{Bidi_Control}|\p{Cs}/u;

describe('a text from a document', () => {
  const lines = { pythonComment, cppComment, sarifText, githubMessage, githubProperty, csvCell, terminalLine, xmlText };

  it.each(Object.entries(lines))('is one line without a command after %s', (_name, written) => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(written(text)).not.toMatch(lineEnds);
        expect(written(text)).not.toMatch(commands);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('stays as it is if it is harmless', () => {
    for (const text of ['copy 1: H2D 20 MiB', 'µs — “größer”', '拷贝 👩‍💻', 'tab\there', 'שלום']) {
      expect(oneLine(text)).toBe(text);
    }
    expect(oneLine('a\r\nb\u001b\u007f\u2028\u202ec')).toBe('a␍␊b␛␡␤\ufffdc');
  });

  it('never continues a comment of C++ on the next line', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(cppComment(text)).not.toMatch(/(\\|\?\?\/)\s*$/);
      }),
      { numRuns: runs(2000) },
    );
    expect(cppComment('a??/')).toBe('// a? ?/');
    expect(cppComment('a??\\')).toBe('// a? ?/');
  });

  it('is one cell of a table, which no spreadsheet takes for a formula', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const cell = csvCell(text);
        const inner = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '') : cell;
        expect(inner).not.toContain('"');
        if (!cell.startsWith('"')) expect(cell).not.toContain(',');
        expect(cell).not.toMatch(/^"?[=+\-@\t＝＋－＠]/);
      }),
      { numRuns: runs(2000) },
    );
    expect(csvCell('a\u001b[31m\0')).toBe('a␛[31m␀');
    expect(csvLine(['a","b\r\nc', '-1', -1])).toBe('"a"",""b␍␊c",\'-1,-1\r\n');
  });

  it('is text of XML, and no markup', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const written = xmlText(text);
        expect(written).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
        const decoded = written.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => signs[name] ?? '');
        expect(decoded).toBe(oneLine(text));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('ends no workflow command of GitHub and begins none', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(githubMessage(text)).not.toMatch(/%(?!25)/);
        expect(githubProperty(text)).not.toMatch(/[:,]|%(?!25|3A|2C)/);
        expect(terminalLine(text)).not.toMatch(/^\s*::|##\w*\[/);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('is no link in SARIF', () => {
    expect(sarifText('[click](http://x)')).toBe('[click] (http://x)');
  });

  it('is one word of a shell', (context) => {
    if (spawnSync('sh', ['-c', 'true']).status !== 0) return context.skip('sh is not installed');
    const words = fc.sample(hostileText, runs(300)).map((text) => text.replace(/\p{Cs}/gu, '\ufffd'));
    const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], {
      encoding: 'utf8',
    });
    expect(stdout.split('\0').slice(0, -1)).toEqual(words.map((word) => word.replaceAll('\0', '␀')));
  });
});

const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
