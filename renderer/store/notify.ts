/** Notifications: what could not be done, why, and what to do about it; and what was done, with a way back. */
import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import type { ErrorInfo } from '../../core/errors.ts';
import type { RunSummary } from '../../core/service/service.ts';
import { type DoneAction, DoneText } from '../common/DoneText.tsx';
import { ErrorText } from '../common/ErrorText.tsx';

export function notifyError(title: string, error: ErrorInfo): void {
  notifications.show({
    id: `${title}:${error.code}`,
    title,
    message: createElement(ErrorText, { error }),
    color: 'red',
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
  notifications.show({
    id,
    title,
    message: createElement(DoneText, { text, ...(action === undefined ? {} : { action }), onDone: hide }),
    autoClose: action === undefined ? 6000 : 12_000,
  });
}
