/// <reference types="vite/client" />
/** What a window keeps of runs that have gone, and of what it has told: nothing that grows with use. */
import { notificationsStore } from '@mantine/notifications';
import { beforeEach, expect, it } from 'vitest';
import type { HostService, RunSummary } from '../../../core/service/service.ts';
import { cancelPlan, usePlans } from '../../../renderer/plan/planStore.ts';
import { setService } from '../../../renderer/store/host.ts';
import { windowEvents } from '../../../renderer/store/hostEvents.ts';
import { mostNotices, notifyDone, notifyError } from '../../../renderer/store/notify.ts';
import { put } from '../../../renderer/store/store.ts';
import { ensureNotes } from '../../../renderer/timeline/notes/noteReads.ts';
import { hasHistory, notesOf } from '../../../renderer/timeline/notes/noteState.ts';

const run = 'imported/a';

beforeEach(() => put('runs', run, { id: run } as RunSummary));

it('keeps no notes of a run that goes while they are read', async () => {
  let answer: (() => void) | undefined;
  const readNotes = () =>
    new Promise((resolve) => {
      answer = () => resolve({ notes: [] });
    });
  setService({ readNotes } as unknown as HostService);
  const reading = ensureNotes(run);
  // Its first question goes out once what was saved is.
  await Promise.resolve();
  windowEvents.runChanged(run, null);
  answer?.();
  await reading;
  expect(hasHistory(run)).toBe(false);
});

it('keeps none where they could not be read, either', async () => {
  setService({ readNotes: () => Promise.reject(new Error('the disk has gone')) } as unknown as HostService);
  const reading = ensureNotes(run);
  windowEvents.runChanged(run, null);
  await reading;
  expect([hasHistory(run), notesOf(run).problem]).toEqual([false, null]);
});

it('keeps no plan of a run that has gone', () => {
  cancelPlan(run);
  expect(usePlans.getState()).toHaveProperty([run]);
  windowEvents.runChanged(run, null);
  expect(usePlans.getState()).toEqual({});
  // What was under way ends.
  cancelPlan(run);
  expect(usePlans.getState()).toEqual({});
});

it('lets no notice wait: the oldest goes for one that has no place, errors last', () => {
  const shown = () => notificationsStore.getState().notifications.map(({ title }) => title);
  notificationsStore.setState({ ...notificationsStore.getState(), limit: mostNotices });
  notifyError('An error', { code: 'file.not-found', message: 'It is gone.' });
  for (let number = 1; number <= 100; number += 1) notifyDone(`Done ${number}`, 'text');
  expect(shown()).toEqual(['An error', 'Done 98', 'Done 99', 'Done 100']);
  // The same error is told once.
  notifyError('An error', { code: 'file.not-found', message: 'It is gone.' });
  expect(shown()).toHaveLength(mostNotices);
  for (const title of ['b', 'c', 'd', 'e']) notifyError(title, { code: 'file.not-found', message: 'It is gone.' });
  expect(shown()).toEqual(['b', 'c', 'd', 'e']);
  expect(notificationsStore.getState().queue).toEqual([]);
});
