/** Announces to screen readers what has happened; see Announcer.tsx. */
import { create } from 'zustand';

interface Announcement {
  readonly text: string;
  /** Distinguishes two announcements of the same text. */
  readonly number: number;
}

export const useAnnouncement = create<Announcement>()(() => ({ text: '', number: 0 }));

export function announce(text: string): void {
  useAnnouncement.setState(({ number }) => ({ text, number: number + 1 }));
}
