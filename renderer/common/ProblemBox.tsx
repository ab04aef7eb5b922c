import type { ReactNode } from 'react';
import type { ErrorInfo } from '../../core/errors.ts';
import { ErrorText } from './ErrorText.tsx';
import classes from './ProblemBox.module.css';

interface ProblemBoxProps {
  readonly error: ErrorInfo;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

/** What went wrong, where it was asked for. A screen reader says it at once. */
export const ProblemBox = ({ error, children }: ProblemBoxProps) => (
  <div className={classes['problem']} role="alert">
    <ErrorText error={error} />
    {children}
  </div>
);
