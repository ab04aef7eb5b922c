/** All kinds of inputs, by name. */
import type { Kind } from './kind.ts';
import { callKinds } from './kinds/calls.ts';
import { dataFolderKinds } from './kinds/dataFolder.ts';
import { documentKinds } from './kinds/documents.ts';
import { jobKinds } from './kinds/jobs.ts';
import { largeKinds } from './kinds/large.ts';
import { libraryKinds } from './kinds/library.ts';
import { programKinds } from './kinds/programs.ts';
import { runKinds } from './kinds/runs.ts';
import { slurmKinds } from './kinds/slurm.ts';
import { traceKinds } from './kinds/traces.ts';

export const allKinds = (): Readonly<Record<string, Kind>> => ({
  ...documentKinds,
  ...programKinds,
  ...largeKinds,
  ...runKinds,
  ...traceKinds(),
  ...libraryKinds(),
  ...slurmKinds,
  ...dataFolderKinds,
  ...jobKinds,
  ...callKinds(),
});
