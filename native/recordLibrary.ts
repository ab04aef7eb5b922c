/** The library that `copyscope record` has CUDA load into another program. It is built beside the addon. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CopyscopeError } from '../core/errors.ts';
import { addonCandidates } from './addon.ts';

const fileName = 'libcopyscope_record.so';

/** Its path: COPYSCOPE_RECORD_LIBRARY, or beside the addon. Throws a CopyscopeError `engine.unavailable` where it isn't there. */
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
