/** The connection to the host, and the handling of failed calls. */
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import type { HostService } from '../../core/service/service.ts';
import { sendDraftsTo } from './drafts.ts';
import { notifyError } from './notify.ts';
import { documentKey } from './page.ts';

let service: HostService | null = null;

const experimentPrefix = documentKey({ kind: 'experiment', id: '' });

/** Sets the host for calls. The connection calls it, with null while there is none. */
export function setService(next: HostService | null): void {
  service = next;
  sendDraftsTo(
    next === null
      ? null
      : async (key, draft) => {
          // Only the window keeps drafts of lessons.
          if (key.startsWith(experimentPrefix)) await next.keepDraft(key.slice(experimentPrefix.length), draft);
        },
  );
}

/** Returns the host for calls that may fail. Throws `connection.lost` while there is none. */
export function host(): HostService {
  if (service !== null) return service;
  throw new CopyscopeError({
    code: 'connection.lost',
    message: 'There is no connection to the host.',
    remedy: 'Wait for it to come back, or choose Reconnect.',
  });
}

/** Runs an action, and shows an error that it throws with its remedy. */
export async function attempt(what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    notifyError(what, toErrorInfo(thrown));
  }
}
