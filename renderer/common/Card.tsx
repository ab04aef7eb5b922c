/** The cards of a page: an item with a name, or a group of fields under a legend. */
import type { ComponentProps } from 'react';
import classes from './Card.module.css';

export const Card = (props: ComponentProps<'section'>) => <section {...props} className={classes['card']} />;

interface FieldCardProps extends ComponentProps<'fieldset'> {
  readonly legend: string;
}

export const FieldCard = ({ legend, children, ...props }: FieldCardProps) => (
  <fieldset {...props} className={classes['card']}>
    <legend>{legend}</legend>
    {children}
  </fieldset>
);
