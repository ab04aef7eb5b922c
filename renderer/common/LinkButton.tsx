/** A button that looks like a link, for text and tables. */
import type { ReactNode } from 'react';
import classes from './LinkButton.module.css';

interface Props {
  /** Name for screen readers, if the text doesn't say what the button opens. */
  readonly label?: string;
  /** Effect of the button, if its text only names something. */
  readonly title?: string;
  /** Takes the colour around it, for an icon and a word in a row of others. */
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
