import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

interface Props {
  readonly icon: ReactNode;
  readonly title: string;
  readonly alert?: boolean;
  readonly children?: ReactNode;
}

/** What stands where nothing can be shown: what it is, why, and what to do. */
export function EmptyState({ icon, title, alert = false, children }: Props) {
  return (
    <div className={classes['empty']} role={alert ? 'alert' : undefined}>
      <span className={classes['icon']} aria-hidden>
        {icon}
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
