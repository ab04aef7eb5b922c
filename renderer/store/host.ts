/** The way to the host, and what becomes of calls that fail. */
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import type { HostService } from '../../core/service/service.ts';
import { sendDraftsTo } from './drafts.ts';
import { notifyError } from './notify.ts';
import { documentKey } from './page.ts';

let service: HostService | null = null;

const experimentPrefix = documentKey({ kind: 'experiment', id: '' });

/** The host for calls; set by the connection, null while there is none. */
export function setService(next: HostService | null): void {
  service = next;
  sendDraftsTo(
    next === null
      ? null
      : async (key, draft) => {
          // What was built in a lesson is the window's alone.
          if (key.startsWith(experimentPrefix)) await next.keepDraft(key.slice(experimentPrefix.length), draft);
        },
  );
}

/** The host, for calls that may fail. Throws `connection.lost` while there is none. */
export function host(): HostService {
  if (service !== null) return service;
  throw new CopyscopeError({
    code: 'connection.lost',
    message: 'There is no connection to the host.',
    remedy: 'Wait for it to come back, or choose Reconnect.',
  });
}

/** Runs an action; what it throws is shown, with its remedy. */
export async function attempt(what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    notifyError(what, toErrorInfo(thrown));
  }
}
