import classes from './RowsTable.module.css';

/** The colour of an activity in the lanes. */
export const Swatch = ({ colour }: { readonly colour: string }) => (
  <span className={classes['swatch']} style={{ background: colour }} aria-hidden />
);
