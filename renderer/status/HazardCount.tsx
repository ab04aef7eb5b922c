/** How many hazards the open experiment has, in a word of the status line. */
import { IconAlertTriangle, IconShieldCheck } from '@tabler/icons-react';
import { useHazards } from '../inspector/useHazards.ts';
import classes from './StatusLine.module.css';

export function HazardCount() {
  const report = useHazards();
  if (report === null) return null;
  const { length } = report.hazards;
  return (
    <span className={classes['item']} title="What the experiment leaves to chance, found without running it">
      <span className={classes['name']}>Hazards</span>{' '}
      {length === 0 ? (
        <span>
          <IconShieldCheck size={14} aria-hidden /> none
        </span>
      ) : (
        <span data-tone="bad">
          <IconAlertTriangle size={14} aria-hidden /> {length}
        </span>
      )}
    </span>
  );
}
