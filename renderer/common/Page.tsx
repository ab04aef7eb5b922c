import { Text } from '@mantine/core';
import type { ReactNode, Ref } from 'react';
import classes from './Page.module.css';

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
