import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { requireLesson } from '../../../core/apps/lessons/parse.ts';
import { describeSource, rule, ruleIds } from '../../../core/rules/rules.ts';
import { sourceLink } from '../../../core/rules/sourceLinks.ts';

vi.mock('electron', () => import('../../electron/support/electron.ts'));
const { isAllowedLink } = await import('../../../electron/security.ts');

const folder = new URL('../../../assets/lessons/', import.meta.url);

/** Sources on the web without a known address. */
const unlinked = /^(PyTorch forums: How does model|ISO C\+\+|measured on an )/;

it('every source that a rule or a lesson names leads to a page that the desktop app opens', () => {
  const lessons = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const sources = [
    ...ruleIds.flatMap((id) => rule(id).sources.map(describeSource)),
    ...lessons.flatMap((name) => {
      return requireLesson(name.slice(0, -3), readFileSync(new URL(name, folder), 'utf8')).source;
    }),
  ];
  for (const source of sources.filter((one) => !unlinked.test(one))) {
    const link = sourceLink(source);
    expect(link, source).not.toBeNull();
    expect(isAllowedLink(link ?? ''), link ?? '').toBe(true);
  }
  expect(sourceLink('measured on an NVIDIA H200: 55 GB/s')).toBeNull();
});
