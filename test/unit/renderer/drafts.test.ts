/** Time until unsaved changes are kept: a second of work at most is lost, even in fast editing. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SentDraft } from '../../../core/service/service.ts';
import { keepDraft, sendDraftsTo } from '../../../renderer/store/drafts.ts';
import { experimentOf } from '../support/experiments.ts';

const mostLostMs = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  sendDraftsTo(null);
  vi.useRealTimers();
});

const sentTo = (): { names: string[] } => {
  const sent: { names: string[] } = { names: [] };
  sendDraftsTo(async (_key, draft: SentDraft | null) => {
    sent.names.push(draft === null ? 'none' : (JSON.parse(draft.experiment as string) as { name: string }).name);
  });
  return sent;
};

const keep = (name: string): void => keepDraft('experiment:one', experimentOf({ name }, []));

it('one edit reaches the host within a second', async () => {
  const sent = sentTo();
  keep('edited');
  await vi.advanceTimersByTimeAsync(mostLostMs);
  expect(sent.names).toEqual(['edited']);
});

it('so does each of a series that never pauses', async () => {
  const sent = sentTo();
  for (let edit = 0; edit < 40; edit += 1) {
    keep(String(edit));
    await vi.advanceTimersByTimeAsync(100);
    const latest = Number(sent.names.at(-1) ?? -1);
    expect(latest).toBeGreaterThanOrEqual(edit - mostLostMs / 100);
  }
  expect(Number(sent.names.at(-1))).toBeGreaterThan(30);
});
