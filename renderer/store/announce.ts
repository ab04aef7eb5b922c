/** Says to screen readers what has just happened; see Announcer.tsx. */
import { create } from 'zustand';

interface Announcement {
  readonly text: string;
  /** Tells two of the same text apart. */
  readonly number: number;
}

export const useAnnouncement = create<Announcement>()(() => ({ text: '', number: 0 }));

export function announce(text: string): void {
  useAnnouncement.setState(({ number }) => ({ text, number: number + 1 }));
}
