/** The call stack of a copy or a wait, innermost frame first, with the program's own lines in bold. */

import { useMemo } from 'react';
import { CallStacks } from '../../core/explain/figures/callStacks.ts';
import { rememberedBy } from '../../core/rememberedBy.ts';
import { ownFrame, type StackFrame } from '../../core/trace/callStack.ts';
import type { Iteration } from '../../core/trace/iteration.ts';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { Block } from './Facts.tsx';
import classes from './StackBlock.module.css';

/** Collects the stacks in one pass over the rows when the first one is needed. */
const stacksOf = rememberedBy(({ run, rows: { from, to }, number }: IterationView) => {
  const iteration: Iteration = { trace: run.trace, number, begin: from, end: to };
  return new CallStacks(iteration);
});

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
  /** A call, or the device activity of a call. */
  readonly row: number;
}

export function StackBlock({ run, view, row }: Props) {
  const stack = useMemo(() => {
    if (run.run.info.imported === undefined) return [];
    const stacks = stacksOf(view);
    const own = stacks.of(row);
    return own.length > 0
      ? own
      : view
          .partners(row)
          .reduce<readonly StackFrame[]>((found, partner) => (found.length > 0 ? found : stacks.of(partner)), []);
  }, [run, view, row]);
  if (stack.length === 0) return null;
  return (
    <Block title="Called from">
      <ol className={classes['stack']}>
        {stack.map((frame, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a function is known by its place: it may call itself.
          <li key={place} data-own={ownFrame([frame]) !== undefined || undefined} title={`${frame.file}:${frame.line}`}>
            <span>{frame.function}</span>
            <code>
              {frame.file.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '…/')}:{frame.line}
            </code>
          </li>
        ))}
      </ol>
    </Block>
  );
}
