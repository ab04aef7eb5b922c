/** The command line prints texts of documents safely: none ends its line, changes a colour or commands the terminal. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Terminal, terminalOn } from '../../../host/cli/io.ts';
import { runs } from '../../support/effort.ts';
import { hostileText } from '../media/hostile.ts';

/** Returns the output of a terminal. */
async function printed(isColored: boolean, print: (terminal: Terminal) => unknown): Promise<string> {
  let all = '';
  const put = (text: string): void => {
    all += text;
  };
  await print(terminalOn({ out: put, err: put, columns: 80, animated: true, isColored }));
  return all;
}

describe('the terminal', () => {
  it('shows line ends, colours and commands of a text by their signs', async () => {
    const name = 'x\nNo hazards found.\u001b[32m\u001b[2J\u202e';
    expect(await printed(true, ({ out }) => out(name))).toBe('x␊No hazards found.␛[32m␛[2J\ufffd\n');
    expect(await printed(true, ({ out, colors }) => out([colors.red(name), '']))).toBe(
      '\u001b[31mx␊No hazards found.␛[32m␛[2J\ufffd\u001b[39m\n\n',
    );
  });

  it('draws over its status line', async () => {
    expect(await printed(false, ({ status }) => status('1/2\r\n'))).toBe('\r\u001b[K1/2␍␊');
  });

  it('prints as many lines as it is given, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileText), async (texts) => {
        const shown = await printed(true, ({ out, colors }) => out(texts.map((text) => colors.bold(text) + text)));
        expect(shown.split(/[\n\v\f\r\u0085\u2028\u2029]/)).toHaveLength(texts.length + 1);
        expect(shown.split('\u001b[1m').join('').split('\u001b[22m').join('')).not.toContain('\u001b');
      }),
      { numRuns: runs(500) },
    );
  });

  it('prints JSON that reads as the same object and commands nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(hostileText, fc.array(hostileText)), async (value) => {
        const text = await printed(false, ({ json }) => json(value));
        expect(JSON.parse(text)).toEqual(value);
        expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}|\u2028|\u2029/u);
      }),
      { numRuns: runs(500) },
    );
  });
});
