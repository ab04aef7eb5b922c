/// <reference types="vite/client" />
/** Selection at the end of an awaited run. */
import { beforeEach, expect, it } from 'vitest';
import type { HostService, RunSummary } from '../../../core/service/service.ts';
import { setService } from '../../../renderer/store/host.ts';
import { showEnded } from '../../../renderer/store/runs.ts';
import { assign, put, select, state } from '../../../renderer/store/store.ts';
import type { Selection } from '../../../renderer/store/types.ts';

beforeEach(() => {
  setService({ runFile: () => Promise.reject(new Error('the disk has gone')) } as unknown as HostService);
  put('runs', 'ended', { id: 'ended', name: 'Own', status: 'complete' } as RunSummary);
  assign({ page: { kind: 'experiment', id: 'own' }, pendingRuns: { 'experiment:own': 'ended' }, iteration: 2 });
});

async function selectedThen(selection: Selection): Promise<Selection | null> {
  select(selection);
  await showEnded('ended');
  expect(state().pickedRuns['experiment:own']).toBe('ended');
  return state().selection;
}

it('leaves what is selected of the document: someone may be typing in its fields', async () => {
  const op = { kind: 'op', id: 'copy3', others: ['copy4'] } as const;
  expect(await selectedThen(op)).toEqual(op);
  expect(state().iteration).toBeNull();
});

it('leaves nothing that was selected of the run before', async () => {
  expect(await selectedThen({ kind: 'row', run: 'before', row: 3 })).toBeNull();
});

it('leaves no stretch of the run before either', async () => {
  expect(await selectedThen({ kind: 'area', run: 'before', startNs: 0, endNs: 5 })).toBeNull();
});
