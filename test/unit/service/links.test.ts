/** Links may come from anybody: what they may name, and how the others are refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import { parseLink } from '../../../core/service/links.ts';

const link = (query: string): string => `copyscope://open?${query}`;
const refusal = (address: string, windows = false): string => {
  try {
    parseLink(address, windows);
    return 'taken';
  } catch (thrown) {
    return thrown instanceof CopyscopeError ? `${thrown.code}: ${thrown.message}` : String(thrown);
  }
};

describe('a link', () => {
  it('names an example, a lesson or a file', () => {
    const example = { kind: 'example', id: 'overlap/pinned-side-stream' };
    expect(parseLink(link('example=overlap/pinned-side-stream'), false)).toEqual(example);
    expect(parseLink('copyscope://open/?example=overlap%2Fpinned-side-stream', false)).toEqual(example);
    expect(parseLink('COPYSCOPE://OPEN?lesson=four-cases', true)).toEqual({ kind: 'lesson', id: 'four-cases' });
    expect(parseLink(link('file=/home/me/a%20run.arrow'), false)).toEqual({
      kind: 'file',
      path: '/home/me/a run.arrow',
    });
    expect(parseLink(link('file=C:%5CUsers%5Cme%5Ca.copyscope'), true)).toEqual({
      kind: 'file',
      path: 'C:\\Users\\me\\a.copyscope',
    });
  });

  it.each([
    ['https://open?example=a', 'link.scheme'],
    ['javascript:alert(1)', 'link.scheme'],
    ['file:///etc/passwd', 'link.scheme'],
    ['not a link', 'link.scheme'],
    ['copyscope://app/index.html', 'link.form'],
    ['copyscope://open/elsewhere?example=a', 'link.form'],
    ['copyscope://someone@open?example=a', 'link.form'],
    [link('run=a'), 'link.form'],
    [link(''), 'link.form'],
    [link('example=a&file=/a.arrow'), 'link.form'],
    [link('example=a&example=b'), 'link.form'],
    [link('example=../../etc/passwd'), 'link.id'],
    [link('lesson=own/%2e%2e/secret'), 'link.id'],
    [link('example='), 'link.id'],
    [link(`example=${'a'.repeat(241)}`), 'link.id'],
    [link(`file=/${'a'.repeat(5000)}.arrow`), 'link.long'],
    [link('file=a.arrow'), 'link.path'],
    [link('file=~/a.arrow'), 'link.path'],
    [link('file=/home/me/../other/a.arrow'), 'link.path'],
    [link('file=/home/me/%2e%2e/other/a.arrow'), 'link.path'],
    [link('file=/home/me/a.arrow%00.txt'), 'link.path'],
    [link('file=/home/me/a%0a.arrow'), 'link.path'],
    [link('file=/home/me/.ssh/id_rsa'), 'link.path'],
    [link('file=/home/me/a.sh'), 'link.path'],
    [link('file=//server/share/a.arrow'), 'link.network'],
    [link('file=%5C%5Cserver%5Cshare%5Ca.arrow'), 'link.network'],
    [link('file=https://example.com/a.arrow'), 'link.path'],
  ])('%s is refused in words', (address, code) => {
    expect(refusal(address)).toMatch(new RegExp(`^${code.replace('.', '\\.')}: The link .{10,}\\.$`));
  });

  it.each([
    ['/home/me/a.arrow', 'link.path'],
    ['\\\\server\\share\\a.arrow', 'link.network'],
    ['\\\\?\\C:\\a.arrow', 'link.network'],
    ['\\\\.\\pipe\\a.json', 'link.network'],
    ['C:a.arrow', 'link.path'],
    ['C:\\Users\\me\\..\\other\\a.arrow', 'link.path'],
    ['C:\\Users\\me\\notes.txt:a.arrow', 'link.path'],
    ['C:\\Users\\me\\*.arrow', 'link.path'],
  ])('%s is refused on Windows', (path, code) => {
    expect(refusal(link(`file=${encodeURIComponent(path)}`), true)).toContain(`${code}: `);
  });

  it('is refused with a code of its own, whatever it holds', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map((text) => link(`file=${text}`)),
    );
    fc.assert(
      fc.property(any, fc.boolean(), (address, windows) => {
        expect(refusal(address, windows)).toMatch(/^(taken$|link\.[a-z]+: )/);
      }),
    );
  });
});
