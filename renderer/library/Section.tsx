import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { recall, remember } from '../store/settings.ts';
import classes from './Library.module.css';

interface Props {
  readonly title: string;
  readonly count: number;
  /** Text of an empty section. */
  readonly empty: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** Returns whether a part of the library is folded, and a function that toggles it; kept between visits. */
export function useClosed(name: string): [closed: boolean, toggle: () => void] {
  const [closed, setClosed] = useState(() => recall(name) === 'yes');
  const toggle = (): void => {
    remember(name, closed ? 'no' : 'yes');
    setClosed(!closed);
  };
  return [closed, toggle];
}

/** A part of the library that can be folded; the state is kept. */
export function Section({ title, count, empty, action, children }: Props) {
  const [closed, toggle] = useClosed(`library-closed:${title}`);
  const Chevron = closed ? IconChevronRight : IconChevronDown;
  return (
    <section className={classes['section']} aria-label={title}>
      <div className={classes['heading']} data-line>
        <h2>
          <button type="button" className={classes['toggle']} aria-expanded={!closed} onClick={toggle}>
            {title}
            <Chevron size={13} aria-hidden />
          </button>
        </h2>
        <span className={classes['count']} aria-hidden>
          {count === 0 ? '' : count}
        </span>
        {action}
      </div>
      {closed ? null : count === 0 ? <p className={classes['empty']}>{empty}</p> : children}
    </section>
  );
}
