/** Opens what a person chose in a dialog, dropped on the icon or named on the command line. */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CopyscopeError } from '../core/errors.ts';
import { requireExperiment } from '../core/experiment/parse.ts';
import { looksLikeTrace } from '../core/import/sniff.ts';
import { maxMessageBytes } from '../core/service/codec.ts';
import type { HostService } from '../core/service/service.ts';

export const fileFilters = [
  { name: 'Copyscope runs and experiments, PyTorch traces', extensions: ['arrow', 'json', 'gz'] },
  { name: 'All files', extensions: ['*'] },
];

type Library = Pick<HostService, 'importRun' | 'saveExperiment'>;

/** Adds a run, a trace of PyTorch's profiler or an experiment to the library, which validates it. Throws a CopyscopeError that names the file. */
export async function openFile(path: string, library: Library): Promise<void> {
  const file = await readBounded(path);
  const isExperiment = /\.json$/i.test(path) && !looksLikeTrace(file);
  if (isExperiment) await library.saveExperiment(null, requireExperiment(file.toString('utf8')));
  else await library.importRun(basename(path).replace(/\.arrow$/i, ''), new Uint8Array(file));
}

async function readBounded(path: string): Promise<Buffer> {
  const entry = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, 'It is not there, or may not be read.', cause);
  });
  if (!entry.isFile()) throw unreadable(path, 'It is not a file.');
  if (entry.size > maxMessageBytes) throw unreadable(path, `It has more than ${maxMessageBytes} bytes.`);
  return readFile(path);
}

function unreadable(path: string, why: string, cause?: unknown): CopyscopeError {
  const message = `${basename(path)} can't be opened. ${why}`;
  return new CopyscopeError({ code: 'file.unreadable', message, remedy: 'Choose another file.' }, { cause });
}
