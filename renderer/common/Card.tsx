/** The cards of a page: something with a name of its own, or fields that belong together under a legend. */
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
