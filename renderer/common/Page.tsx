import { Text } from '@mantine/core';
import type { ComponentProps, ReactNode, Ref } from 'react';
import type { ErrorInfo } from '../../core/errors.ts';
import classes from './Page.module.css';

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

/** The cards of a page: an item with a name, or a group of fields under a legend. */
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

interface Props {
  readonly icon: ReactNode;
  readonly title: string;
  readonly alert?: boolean;
  /** True if the page shows nothing else. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}

/** Placeholder for missing content: the reason, and what to do. */
export function EmptyState({ icon, title, alert = false, isPage = false, children }: Props) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={classes['empty']} role={alert ? 'alert' : undefined}>
      <span className={classes['icon']} aria-hidden>
        {icon}
      </span>
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

interface PageProps {
  readonly title: string;
  /** Purpose of the page, below the title. */
  readonly about: ReactNode;
  readonly ref?: Ref<HTMLElement>;
  readonly children: ReactNode;
}

/** A scrolling page of one column: a heading, its purpose, and cards below. */
export function Page({ title, about, ref, children }: PageProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={classes['page']} aria-label={title} tabIndex={0} ref={ref}>
      <div className={classes['column']}>
        <header>
          <h1>{title}</h1>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </header>
        {children}
      </div>
    </section>
  );
}
