/** Imports files and exports library items: several at a time, with progress, and cancelled at once. */
import { IconFileImport } from '@tabler/icons-react';
import { CopyscopeError, describeError, toErrorInfo } from '../../core/errors.ts';
import {
  bundlePath,
  type Imported,
  type LibraryItems,
  libraryItems,
  menuCommands,
} from '../../core/service/service.ts';
import { commands } from '../commands/command.ts';
import { chooseFiles, saveBlob } from '../common/files.ts';
import { fetchHostFile, hostFile } from '../common/session.ts';
import { attempt, host } from '../store/host.ts';
import { listExperiments, whenOpened } from '../store/hostEvents.ts';
import { countItems } from '../store/libraryActions.ts';
import { announce, notifyDone, notifyError } from '../store/notify.ts';
import { openPage } from '../store/pages.ts';
import { put } from '../store/store.ts';
import { openSweepFile } from '../sweep/setup.ts';
import { startTransfer } from './Transfers.tsx';

/** Bytes at the file's start that contain the format. */
const headBytes = 4096;

/** Returns true if the file was a sweep. Throws `file.too-large` or `sweep.invalid`. */
export async function openDocument(file: File): Promise<boolean> {
  const isSweep = /"format"\s*:\s*"copyscope\/sweep"/.test(await file.slice(0, headBytes).text());
  if (isSweep) await openSweepFile(file);
  return isSweep;
}

/** File endings offered by the dialog. The content decides the format. */
export const openedEndings = '.arrow,.json,.gz,.sqlite,.nsys-rep,.copyscope';

const partBytes = 4 * 1024 * 1024;

/** Opens the files one after another, and shows the last one, or the ranks of one job as one run. */
export async function openFiles(files: readonly File[]): Promise<void> {
  const opened: Imported[] = [];
  for (const file of files) {
    const imported = await openFile(file);
    if (imported !== null) opened.push(imported);
  }
  const ranks = await joined(opened);
  for (const imported of ranks === null ? opened : [ranks]) {
    await attempt('The file could not be shown', () => showImported(imported));
  }
}

/** Joins runs of the ranks of one job to one run, which replaces the new ones; null if the files are anything else. */
async function joined(opened: readonly Imported[]): Promise<Imported | null> {
  const runs = opened.flatMap((one) => (one.kind === 'run' ? [one] : []));
  if (runs.length < 2 || runs.length < opened.length) return null;
  const cancelled = new AbortController();
  const title = `Aligning the clocks of ${runs.length} ranks`;
  const transfer = startTransfer({ title, totalBytes: null, cancel: () => cancelled.abort() });
  try {
    const ranks = await host().joinRanks(runs.map(({ run }) => run.id));
    if (ranks === null) return null;
    await Promise.all((cancelled.signal.aborted ? [ranks] : runs).map(discard));
    return cancelled.signal.aborted ? null : ranks;
  } catch (thrown) {
    notifyError('The ranks could not be opened as one run', toErrorInfo(thrown));
    return null;
  } finally {
    transfer.end();
  }
}

/** Returns null if there is nothing to show. */
async function openFile(file: File): Promise<Imported | null> {
  const cancelled = new AbortController();
  const transfer = startTransfer({
    title: `Reading ${file.name}`,
    totalBytes: file.size,
    cancel: () => cancelled.abort(),
  });
  try {
    if (!(await openDocument(file))) return await send(file, cancelled.signal, transfer.progress);
  } catch (thrown) {
    if (cancelled.signal.aborted) announce(`${file.name} was not opened`);
    else notifyError(`${file.name} could not be opened`, toErrorInfo(thrown));
  } finally {
    transfer.end();
  }
  return null;
}

async function send(file: File, signal: AbortSignal, progress: (bytes: number) => void): Promise<Imported> {
  const modifiedAt = new Date(file.lastModified).toISOString();
  const ticket = await host().beginImport({ name: file.name.slice(-255), modifiedAt });
  try {
    for (let from = 0; from < file.size; from += partBytes) {
      signal.throwIfAborted();
      const part = await read(file.slice(from, from + partBytes));
      await host().importPart(ticket, part);
      progress(Math.min(from + partBytes, file.size));
    }
    signal.throwIfAborted();
  } catch (thrown) {
    void host()
      .cancelImport(ticket)
      .catch(() => {});
    throw thrown;
  }
  return kept(ticket, signal);
}

/** Waits until the host has stored the import: seconds for a large trace. Cancelling rejects now and deletes later. */
function kept(ticket: string, signal: AbortSignal): Promise<Imported> {
  const keeping = host().endImport(ticket);
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason);
      void keeping.then(discard).catch(() => {});
    });
    keeping.then(resolve, reject);
  });
}

/** Deletes an imported run. A bundle stays, since its items may be in use already. */
async function discard(imported: Imported): Promise<void> {
  if (imported.kind === 'run' && imported.isNew) {
    await host().deleteItems(libraryItems({ runs: [imported.run.id] }));
  } else if (imported.kind === 'experiment' && imported.isNew) {
    await host().deleteItems(libraryItems({ experiments: [imported.id] }));
  }
}

/** Reads a part. The file may be moved, changed or unplugged during that. */
async function read(part: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await part.arrayBuffer());
  } catch (cause) {
    throw new CopyscopeError(
      { code: 'file.failed', message: 'The file can’t be read any more.', remedy: 'Open it again.' },
      { cause },
    );
  }
}

/** Puts an imported item into the store, and shows it. */
async function showImported(imported: Imported): Promise<void> {
  if (imported.kind === 'run') {
    put('runs', imported.run.id, imported.run);
    openPage({ kind: 'run', id: imported.run.id });
    return;
  }
  await listExperiments();
  if (imported.kind === 'experiment') openPage({ kind: 'experiment', id: imported.id });
  else {
    const { items, problem } = imported;
    notifyDone(
      `The bundle is in your library${problem === undefined ? '' : ', in part'}`,
      `Added: ${countItems(items)}.`,
    );
    if (problem !== undefined) notifyError('Not all of the bundle could be read', problem);
  }
}

/** Opens the file dialog. Browsers require that a click or key calls it. */
export const openCommand = commands('Library', {
  open: {
    ...menuCommands.open,
    icon: IconFileImport,
    run: () => chooseFiles(openedEndings, (files) => void openFiles(files)),
  },
}).open;

/** Returns a file name that every system accepts: 'copyscope-pinned-side-stream.copyscope'. */
function bundleName(what: string): string {
  const plain = what
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const short = plain.slice(0, 60).replace(/^-|-$/g, '');
  return `${short === '' ? 'library' : short}.copyscope`;
}

/** Downloads the items as one file, which is named after `what` they are. */
export async function exportBundle(items: LibraryItems, what: string): Promise<void> {
  const name = bundleName(what);
  const cancelled = new AbortController();
  const transfer = startTransfer({
    title: `Packing ${countItems(items)}`,
    totalBytes: null,
    cancel: () => cancelled.abort(),
  });
  await attempt('The bundle could not be made', async () => {
    try {
      const ticket = await host().packBundle(items);
      saveBlob(name, await fetchBundle(ticket, cancelled.signal, transfer.progress));
    } catch (thrown) {
      if (!cancelled.signal.aborted) throw thrown;
    }
  });
  transfer.end();
}

async function fetchBundle(ticket: string, signal: AbortSignal, progress: (bytes: number) => void): Promise<Blob> {
  const answer = await fetchHostFile(hostFile(bundlePath(ticket)), signal);
  if (!answer.ok || answer.body === null) {
    throw new CopyscopeError({ code: 'bundle.failed', message: (await answer.text()).trim() });
  }
  let bytes = 0;
  const counted = answer.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (part, controller) => {
        bytes += part.length;
        progress(bytes);
        controller.enqueue(part);
      },
    }),
  );
  try {
    return await new Response(counted, { headers: { 'Content-Type': 'application/gzip' } }).blob();
  } catch (cause) {
    throw new CopyscopeError(
      {
        code: 'bundle.failed',
        message: `The bundle broke off: ${describeError(toErrorInfo(cause))}`,
        remedy: 'Try again; look whether the disk is full.',
      },
      { cause },
    );
  }
}

/** Called once at the start of the window. */
export function startOpening(): void {
  whenOpened((imported) => void attempt('The file could not be shown', () => showImported(imported)));
}
