import type { ReactNode } from 'react';
import { wishFocus } from '../../score/editor.ts';
import classes from './Form.module.css';

/** Fields of the selection. Escape returns to the score. */
export function Form({ children }: { readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key comes from a field inside.
    <div
      className={classes['form']}
      data-fields
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        wishFocus();
      }}
    >
      {children}
    </div>
  );
}
