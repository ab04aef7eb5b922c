/** The mark on a block that takes part in a hazard; a click shows the hazard in the inspector. */
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import type { Hazard } from '../../core/explain/hazards/hazard.ts';
import { select } from '../store/store.ts';
import classes from './Score.module.css';

export const hazardWords = (hazards: readonly Hazard[]): string =>
  `${hazards.length === 1 ? 'Hazard' : `${hazards.length} hazards`}: ${[...new Set(hazards.map(({ title }) => title))].join(', ')}`;

interface Props {
  /** Id of the operation. */
  readonly id: string;
  readonly hazards: readonly Hazard[];
  /** True if Tab reaches the mark, which is so for the block at the cursor. */
  readonly reachable: boolean;
}

export function HazardMark({ id, hazards, reachable }: Props) {
  const words = hazardWords(hazards);
  return (
    <button
      type="button"
      className={classes['hazard']}
      aria-label={words}
      title={`${words}. Click to see it.`}
      tabIndex={reachable ? 0 : -1}
      onClick={() => show(id)}
    >
      <IconAlertTriangleFilled size={13} aria-hidden />
    </button>
  );
}

/** Selects the operation, and scrolls to its hazards when they are drawn. */
function show(id: string): void {
  select({ kind: 'op', id });
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.getElementById('hazards')?.scrollIntoView({ block: 'nearest' })),
  );
}
