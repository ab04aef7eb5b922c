/** The number of hazards in the open experiment, in the status line. */
import { IconAlertTriangle, IconShieldCheck } from '@tabler/icons-react';
import type { Hazard } from '../../core/explain/hazards/hazard.ts';
import { LinkButton } from '../common/buttons.tsx';
import { useHazards } from '../predict/hazards/useHazards.ts';
import { select, state } from '../store/store.ts';
import classes from './StatusLine.module.css';

/** Selects the first operation of the next hazard, whose card the inspector then shows first. */
function goToNext(hazards: readonly Hazard[]): void {
  const { selection } = state();
  const at = hazards.findIndex(({ first }) => selection?.kind === 'op' && first.id === selection.id);
  const next = hazards.slice(at + 1).find(({ first }) => first.id !== hazards[at]?.first.id) ?? hazards[0];
  if (next !== undefined) select({ kind: 'op', id: next.first.id });
}

export function HazardCount() {
  const report = useHazards();
  if (report === null) return null;
  const { length } = report.hazards;
  return (
    <span className={classes['item']} title="Races and other hazards of the experiment, found without running it">
      <span className={classes['name']}>Hazards</span>{' '}
      {length === 0 ? (
        <span>
          <IconShieldCheck size={14} aria-hidden /> none
        </span>
      ) : (
        <span data-tone="bad">
          <LinkButton
            plain
            title="To the next one"
            label={`Hazards: ${length}, to the next one`}
            onClick={() => goToNext(report.hazards)}
          >
            <IconAlertTriangle size={14} aria-hidden /> {length}
          </LinkButton>
        </span>
      )}
    </span>
  );
}
