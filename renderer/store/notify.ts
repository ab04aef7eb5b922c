/** Notifications: failures with reason and remedy, and finished actions with a way to undo them. */
import { type NotificationData, notifications, notificationsStore } from '@mantine/notifications';
import { createElement } from 'react';
import { create } from 'zustand';
import type { ErrorInfo } from '../../core/errors.ts';
import type { RunSummary } from '../../core/service/service.ts';
import { type DoneAction, DoneText } from '../common/buttons.tsx';
import { ErrorText } from '../common/Page.tsx';

/** Announces to screen readers what has happened; see Announcer.tsx. */
interface Announcement {
  readonly text: string;
  /** Distinguishes two announcements of the same text. */
  readonly number: number;
}

export const useAnnouncement = create<Announcement>()(() => ({ text: '', number: 0 }));

export function announce(text: string): void {
  useAnnouncement.setState(({ number }) => ({ text, number: number + 1 }));
}

/** Notifications shown at once. */
export const mostNotices = 4;

/**
 * Shows a notification at once, since queued ones would be outdated. If there is no room, the oldest goes, and errors
 * last.
 */
function show(notice: NotificationData): void {
  const room = (shown: NotificationData[]): NotificationData[] => {
    if (shown.length < mostNotices || shown.some(({ id }) => id === notice.id)) return shown;
    const oldest = shown.find(({ color }) => color !== errorColor) ?? shown[0];
    return shown.filter((one) => one !== oldest);
  };
  notifications.updateState(notificationsStore, room);
  notifications.show({ position: freeCorner(), ...notice });
}

/** Width and height of a notification with its margins. */
const noticeSize = { width: 440, height: 190 };

/** Returns the lower right corner, or the left one if the field being used is in the right one. */
function freeCorner(): 'bottom-left' | 'bottom-right' {
  const field = document.activeElement;
  const { right, bottom } = field?.matches('input, textarea, select') ? field.getBoundingClientRect() : new DOMRect();
  const isCovered = right > innerWidth - noticeSize.width && bottom > innerHeight - noticeSize.height;
  return isCovered ? 'bottom-left' : 'bottom-right';
}

const errorColor = 'red';

export function notifyError(title: string, error: ErrorInfo): void {
  show({
    id: `${title}:${error.code}`,
    title,
    message: createElement(ErrorText, { error }),
    color: errorColor,
    autoClose: 12_000,
  });
}

export const notifyRunFailed = (run: RunSummary): void =>
  notifyError(`${run.name} failed`, run.error ?? { code: 'run.failed', message: 'The run ended without a reason.' });

let number = 0;

/** Announces a finished action, to screen readers too; `action` is a button such as Undo. */
export function notifyDone(title: string, text: string, action?: DoneAction): void {
  number += 1;
  const id = `done:${number}`;
  const hide = (): void => void notifications.hide(id);
  show({
    id,
    title,
    message: createElement(DoneText, { text, ...(action === undefined ? {} : { action }), onDone: hide }),
    autoClose: action === undefined ? 6000 : 12_000,
  });
}
