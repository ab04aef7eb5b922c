/** All kinds of inputs, by name. */
import type { Kind } from './kind.ts';
import { callKinds } from './kinds/calls.ts';
import { libraryKinds } from './kinds/library.ts';
import { programKinds } from './kinds/programs.ts';
import { runKinds } from './kinds/runs.ts';
import { traceKinds } from './kinds/traces.ts';

export const allKinds = (): Readonly<Record<string, Kind>> => ({
  ...programKinds,
  ...runKinds,
  ...traceKinds(),
  ...libraryKinds(),
  ...callKinds(),
});
