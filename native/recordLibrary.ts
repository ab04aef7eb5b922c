/** The library that `copyscope record` loads into another program through CUDA. It is built next to the addon. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CopyscopeError } from '../core/errors.ts';
import { addonCandidates } from './addon.ts';

const fileName = 'libcopyscope_record.so';

/** Returns COPYSCOPE_RECORD_LIBRARY, or the path next to the addon. Throws `engine.unavailable` if it is missing. */
export function recordLibrary(environment: NodeJS.ProcessEnv): string {
  const named = environment['COPYSCOPE_RECORD_LIBRARY'];
  const candidates =
    named !== undefined && named !== ''
      ? [named]
      : addonCandidates(environment, fileURLToPath(import.meta.url)).map((addon) => join(dirname(addon), fileName));
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path !== undefined) return path;
  throw new CopyscopeError({
    code: 'engine.unavailable',
    message: `there is no ${fileName}: programs are recorded on Linux, with what was built where the CUDA toolkit's headers are.`,
    remedy: 'Install the CUDA toolkit, and build it: npm run build:native',
  });
}
