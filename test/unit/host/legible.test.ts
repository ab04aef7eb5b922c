/** A terminal does nothing but show what a file's names hold. */
import fc from 'fast-check';
import picocolors from 'picocolors';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { processTerminal } from '../../../host/cli/io.ts';
import { clearLine, legible } from '../../../host/cli/legible.ts';

afterEach(() => vi.restoreAllMocks());

describe('what is written to a terminal', () => {
  it('shows commands that a name holds, by their signs', () => {
    expect(legible('GPU\u001b[2J')).toBe('GPU␛[2J');
    expect(legible('\u001b]0;title\u0007\r\u009b31m\u202etxt.exe')).toBe('␛]0;title␇␍\ufffd31m\ufffdtxt.exe');
    expect(legible('copy\u001b[8mhidden')).toBe('copy␛[8mhidden');
    expect(legible(`a${clearLine}b`)).toBe('a␍␛[Kb');
  });

  it('keeps its own colours, its lines, and the line that it draws over', () => {
    const { bold, red, dim } = picocolors.createColors(true);
    const text = `${clearLine}${bold('title')}\t${red(dim('µs'))}\r\n一二\n`;
    expect(legible(text)).toBe(text);
  });

  it('holds no command but those, whatever the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('\u001b[2', '\u001b[1m', '\u001b[2J', '\r'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = legible(pieces.join(''));
        const shown = text.startsWith(clearLine) ? text.slice(clearLine.length) : text;
        const rest = shown.split('\u001b[1m').join('').split('\r\n').join('');
        expect([...rest].filter((one) => one < ' ' && !'\t\n'.includes(one))).toEqual([]);
      }),
    );
  });

  it('goes through both streams of the process', () => {
    const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const terminal = processTerminal();
    terminal.out('a\u0007');
    terminal.err('b\u001b[2J');
    expect([out.mock.calls[0]?.[0], err.mock.calls[0]?.[0]]).toEqual(['a␇', 'b␛[2J']);
  });
});
