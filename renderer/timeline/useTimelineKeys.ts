/** Keys of the timeline. They work wherever the focus is, except in text fields, lists and menus that use them. */
import { useEffect, useRef } from 'react';
import { type Command, commandOf } from '../commands/command.ts';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { type Shown, selectedExtent, timelineCommands } from './commands.ts';
import type { SharedTime } from './time/timeWindow.ts';

export function useTimelineKeys(run: LoadedRun, view: IterationView, time: SharedTime): void {
  useKeys(timelineCommands, shownOf(run, view, time));
}

export const shownOf = (run: LoadedRun, view: IterationView, time: SharedTime): Shown => ({
  ...{ run, view, time },
  extent: () => selectedExtent(run, view),
});

/** `before` handles keys before other parts of the window. */
export function useKeys<Context>(list: readonly Command<[Context]>[], context: Context, before = false): void {
  const latest = useRef(context);
  latest.current = context;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || takesKeys(event)) return;
      const command = commandOf(list, event);
      if (command === undefined || command.run(latest.current) === false) return;
      event.preventDefault();
      if (before) event.stopPropagation();
    };
    window.addEventListener('keydown', onKey, { capture: before });
    return () => window.removeEventListener('keydown', onKey, { capture: before });
  }, [list, before]);
}

/** Returns true if the focused element uses the key itself. */
function takesKeys({ target, key }: Pick<KeyboardEvent, 'target' | 'key'>): boolean {
  if (!(target instanceof Element)) return false;
  // The switch between lanes and table keeps the focus, but leaves letters to the lanes.
  if (target.matches('input[type="radio"], input[type="checkbox"]') && target.closest('[role="dialog"]') === null) {
    return /^( |Enter|Arrow)/.test(key);
  }
  const own =
    'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"], [role="dialog"], [role="separator"]';
  return target.closest(own) !== null;
}
