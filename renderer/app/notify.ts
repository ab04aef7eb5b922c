/** Errors as notifications: what could not be done, why, and what to do about it. */
import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import type { ErrorInfo } from '../../core/errors.ts';
import type { RunSummary } from '../../core/service/service.ts';
import { ErrorText } from '../common/ErrorText.tsx';

export function notifyError(title: string, error: ErrorInfo): void {
  notifications.show({
    id: `${title}:${error.code}`,
    title,
    message: createElement(ErrorText, { error }),
    color: 'red',
    autoClose: 12_000,
    withBorder: true,
    closeButtonProps: { 'aria-label': 'Close' },
  });
}

export const notifyRunFailed = (run: RunSummary): void =>
  notifyError(`${run.name} failed`, run.error ?? { code: 'run.failed', message: 'The run ended without a reason.' });
