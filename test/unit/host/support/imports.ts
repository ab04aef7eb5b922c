import type { HostService, Imported, RunSummary } from '../../../../core/service/service.ts';

/** Sends a file like a window, in parts of `partBytes`. */
export async function importFile(
  service: HostService,
  name: string,
  file: Uint8Array,
  partBytes = 1 << 20,
): Promise<Imported> {
  const ticket = await service.beginImport({ name, modifiedAt: '2026-11-20T09:00:00.000Z' });
  for (let from = 0; from < file.length; from += partBytes) {
    await service.importPart(ticket, file.slice(from, from + partBytes));
  }
  return service.endImport(ticket);
}

/** Sends the file of a run, and returns the run's summary. */
export async function importedRun(service: HostService, name: string, file: Uint8Array): Promise<RunSummary> {
  const imported = await importFile(service, name, file);
  if (imported.kind !== 'run') throw new Error(`${name} was taken for a ${imported.kind}`);
  return imported.run;
}
