/** A button that reads as a link, for what stands in text or in a table and opens something. */
import type { ReactNode } from 'react';
import classes from './LinkButton.module.css';

interface Props {
  /** For screen readers, where the words alone don't say what is opened. */
  readonly label?: string;
  /** What it does, where the words only name something. */
  readonly title?: string;
  /** In the colour around it, for an icon and a word in a row of others. */
  readonly plain?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

export function LinkButton({ label, title, plain = false, onClick, children }: Props) {
  const className = plain ? `${classes['link']} ${classes['plain']}` : classes['link'];
  return (
    <button type="button" className={className} title={title} aria-label={label} onClick={onClick}>
      {children}
    </button>
  );
}
