import type { ReactNode } from 'react';
import classes from './Library.module.css';

interface Props {
  readonly title: string;
  readonly count: number;
  /** What stands there where there is nothing. */
  readonly empty: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, count, empty, action, children }: Props) {
  return (
    <section className={classes['section']} aria-label={title}>
      <div className={classes['heading']}>
        <h2>{title}</h2>
        <span className={classes['count']} aria-hidden>
          {count === 0 ? '' : count}
        </span>
        {action}
      </div>
      {count === 0 ? <p className={classes['empty']}>{empty}</p> : children}
    </section>
  );
}
