/** `copyscope explain FILE --captured`: how the programs of an Nsight Systems export were started. */
import { CopyscopeError } from '../../../core/errors.ts';
import type { CapturedProgram } from '../../../core/import/nsight/captured.ts';
import { looksLikeDatabase } from '../../../core/import/sniff.ts';
import { readCaptured } from '../../library/imports/nsightFile.ts';
import { head } from '../inputFile.ts';
import type { Context } from '../io.ts';

/** Rejects with `file.*`, with `trace-file.*`, and with `usage.invalid` if the file is no such export. */
export async function printCaptured({ terminal }: Context, file: string, json: boolean): Promise<void> {
  const programs = await readCaptured(await requireExport(file));
  if (json) await terminal.json({ programs });
  else
    terminal.out(
      programs.length === 0
        ? 'The export does not say.'
        : programs.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...programLines(one)]),
    );
}

async function requireExport(file: string): Promise<string> {
  const first = await head(file);
  if (first === null || looksLikeDatabase(first)) return file;
  throw new CopyscopeError({
    code: 'usage.invalid',
    field: '--captured',
    message: `${file} is no export of Nsight Systems: no other file that Copyscope reads holds commands or environments.`,
    remedy: 'Leave --captured out.',
  });
}

const programLines = ({ command, folder, environment }: CapturedProgram): string[] => [
  `Command: ${command.join(' ')}`,
  ...(folder === null ? [] : [`Folder: ${folder}`]),
  ...environment.map((variable) => `  ${variable}`),
];
