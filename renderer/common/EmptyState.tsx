import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

interface Props {
  readonly icon: ReactNode;
  readonly title: string;
  readonly alert?: boolean;
  /** It is all that the page says. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}

/** What stands where nothing can be shown: what it is, why, and what to do. */
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
