/** A button that reads as a link, for what stands in text or in a table and opens something. */
import type { ReactNode } from 'react';
import classes from './LinkButton.module.css';

interface Props {
  /** For screen readers, where the words alone don't say what is opened. */
  readonly label?: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

export function LinkButton({ label, onClick, children }: Props) {
  return (
    <button type="button" className={classes['link']} aria-label={label} onClick={onClick}>
      {children}
    </button>
  );
}
