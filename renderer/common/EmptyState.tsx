import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

interface Props {
  readonly icon: ReactNode;
  readonly title: string;
  readonly alert?: boolean;
  /** True if the page shows nothing else. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}

/** Placeholder for missing content: the reason, and what to do. */
export function EmptyState({ icon, title, alert = false, isPage = false, children }: Props) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={classes['empty']} role={alert ? 'alert' : undefined}>
      <span className={classes['icon']} aria-hidden>
        {icon}
      </span>
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}
