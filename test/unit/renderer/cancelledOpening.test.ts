/** A file whose opening is cancelled at its very end, when all of it has been sent. */
import { afterEach, expect, it, vi } from 'vitest';
import type { HostService, Imported } from '../../../core/service/service.ts';
import { openFiles } from '../../../renderer/files/files.ts';
import { useTransfers } from '../../../renderer/files/Transfers.tsx';
import { setService } from '../../../renderer/store/host.ts';

afterEach(() => setService(null));

it('is left at once, and what is kept of it goes', async () => {
  let keep: (imported: Imported) => void = () => {};
  const keeping = new Promise<Imported>((resolve) => {
    keep = resolve;
  });
  const deleteItems = vi.fn(async () => 'deleted');
  const endImport = vi.fn(() => keeping);
  setService({
    beginImport: async () => 'ticket',
    importPart: async () => {},
    cancelImport: async () => {},
    endImport,
    deleteItems,
  } as Partial<HostService> as HostService);

  const opening = openFiles([new File(['{"traceEvents": []}'], 'long.json')]);
  await vi.waitFor(() => expect(endImport).toHaveBeenCalled());
  for (const { cancel } of useTransfers.getState().transfers) cancel();
  // The host has not answered yet.
  await opening;
  expect(useTransfers.getState().transfers).toEqual([]);
  expect(deleteItems).not.toHaveBeenCalled();

  keep({ kind: 'run', run: { id: 'kept' }, isNew: true } as Imported);
  await vi.waitFor(() => expect(deleteItems).toHaveBeenCalledWith({ experiments: [], runs: ['kept'], sweeps: [] }));
});
