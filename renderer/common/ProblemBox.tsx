import type { ReactNode } from 'react';
import type { ErrorInfo } from '../../core/errors.ts';
import { ErrorText } from './ErrorText.tsx';
import classes from './ProblemBox.module.css';

interface ProblemBoxProps {
  readonly error: ErrorInfo;
  /** Buttons that help with the problem. */
  readonly children?: ReactNode;
}

/** An error at the place of the failed action. A screen reader reads it at once. */
export const ProblemBox = ({ error, children }: ProblemBoxProps) => (
  <div className={classes['problem']} role="alert">
    <ErrorText error={error} />
    {children}
  </div>
);
