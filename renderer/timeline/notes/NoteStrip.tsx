/** Flags of the notes above the lanes at their times. They move with each frame of a zoom, and so outside of React. */
import { IconFlagFilled } from '@tabler/icons-react';
import { useLayoutEffect, useMemo, useRef } from 'react';
import type { RunNote } from '../../../core/trace/notes.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { gutterWidth } from '../gutter/Gutter.tsx';
import { toPixels } from '../time/timeView.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import classes from './Notes.module.css';
import { whenOf } from './noteSteps.ts';
import { goToNote, openNotes, useRunNotes } from './notes.ts';

interface Props {
  readonly run: LoadedRun;
  readonly iteration: number;
  readonly time: SharedTime;
  readonly width: number;
}

const leastWidth = 14;

export function NoteStrip({ run, iteration, time, width }: Props) {
  const notes = useNotesOf(run.id, iteration);
  const { active } = useRunNotes(run.id);
  const strip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = (): void => {
      for (const [index, note] of notes.entries()) {
        const flag = strip.current?.children[index];
        if (flag instanceof HTMLElement) placeFlag(flag, note, time, width);
      }
    };
    place();
    return time.subscribe(place);
  }, [notes, time, width]);
  if (notes.length === 0) return null;
  return (
    <div className={classes['strip']} style={{ paddingLeft: gutterWidth }}>
      <div className={classes['flags']} ref={strip}>
        {notes.map((note) => (
          <button
            key={note.id}
            type="button"
            tabIndex={-1}
            data-active={note.id === active?.id || undefined}
            title={`${whenOf(note)}${note.text === '' ? '' : `\n${note.text}`}`}
            aria-label={`Note at ${whenOf(note)}${note.text === '' ? '' : `: ${note.text}`}`}
            onClick={() => {
              openNotes(true);
              goToNote(run.id, note.id);
            }}
          >
            <IconFlagFilled size={11} aria-hidden />
            <span>{note.text}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

/** Returns the notes of one iteration. */
export function useNotesOf(run: string, iteration: number): readonly RunNote[] {
  const { notes } = useRunNotes(run);
  return useMemo(() => notes.filter((note) => note.iteration === iteration), [notes, iteration]);
}

function placeFlag(flag: HTMLElement, { startNs, endNs }: RunNote, { view }: SharedTime, width: number): void {
  const [x, end] = [toPixels(view, width, startNs), toPixels(view, width, endNs)];
  // A range that began further left is named where it becomes visible, and a note at the end keeps its flag in sight.
  const left = Math.min(Math.max(x, 0), width - leastWidth);
  const shown = end >= 0 && x < width;
  flag.style.display = shown ? '' : 'none';
  if (!shown) return;
  flag.style.transform = `translateX(${Math.round(left)}px)`;
  flag.style.width = endNs > startNs ? `${Math.max(Math.min(end, width) - left, leastWidth)}px` : '';
}
