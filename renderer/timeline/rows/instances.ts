/** From a name to all that has it: marked in the lanes, one of them in sight. */
import type { RowIndex } from '../../../core/trace/trace.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { assign, state } from '../../store/store.ts';
import { exactly } from './search.ts';

export function showInstances(run: LoadedRun, name: string, row: RowIndex): void {
  const times = (state().revealed?.times ?? 0) + 1;
  assign({ timelineAs: 'lanes', search: exactly(name), revealed: { run: run.id, row, times } });
}
