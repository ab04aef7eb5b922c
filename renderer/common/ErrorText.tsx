import type { ErrorInfo } from '../../core/errors.ts';
import classes from './ErrorText.module.css';

/** An error as text: field, message, the remedy on its own line, and the code for error reports. */
export function ErrorText({ error }: { readonly error: ErrorInfo }) {
  return (
    <div className={classes['error']}>
      <p>
        {error.field === undefined ? null : <code>{error.field}: </code>}
        {error.message}
      </p>
      {error.remedy === undefined || error.remedy === '' ? null : <p className={classes['remedy']}>{error.remedy}</p>}
      <p className={classes['code']}>{error.code}</p>
    </div>
  );
}
