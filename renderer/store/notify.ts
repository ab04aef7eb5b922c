/** Notifications: what could not be done, why, and what to do about it; and what was done, with a way back. */
import { type NotificationData, notifications, notificationsStore } from '@mantine/notifications';
import { createElement } from 'react';
import type { ErrorInfo } from '../../core/errors.ts';
import type { RunSummary } from '../../core/service/service.ts';
import { type DoneAction, DoneText } from '../common/DoneText.tsx';
import { ErrorText } from '../common/ErrorText.tsx';

/** At once. */
export const mostNotices = 4;

/**
 * None waits: what was done long ago is news no more, and where things are done faster than notices close, those that wait
 * would only grow. For one more than there is place for, the oldest goes: of what was done, where there is any.
 */
function show(notice: NotificationData): void {
  const room = (shown: NotificationData[]): NotificationData[] => {
    if (shown.length < mostNotices || shown.some(({ id }) => id === notice.id)) return shown;
    const oldest = shown.find(({ color }) => color !== errorColor) ?? shown[0];
    return shown.filter((one) => one !== oldest);
  };
  notifications.updateState(notificationsStore, room);
  notifications.show(notice);
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

/** Says what was done, to screen readers too; `action` is a button in it, as Undo. */
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
