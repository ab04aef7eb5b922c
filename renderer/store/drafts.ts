/**
 * Unsaved changes, kept safe from crashes: in the window's storage, which is written at once, and by the host, since a
 * killed browser loses what has not reached the disk. The newer one is used.
 */
import type { Experiment } from '../../core/experiment/experiment.ts';
import { parseExperiment } from '../../core/experiment/parse.ts';
import type { Draft, SentDraft } from '../../core/service/service.ts';
import { forget, recall, remember } from './settings.ts';

const nameOf = (key: string): string => `draft:${key}`;
/** Longest time until an edit is stored. */
const delayMs = 250;

/** Sends a draft to the host, or deletes it there. Rejects while there is no host. */
type Send = (key: string, draft: SentDraft | null) => Promise<void>;

const waiting = new Map<string, Draft>();
let timer: ReturnType<typeof setTimeout> | null = null;

/** Last draft of each document that the host does not have yet. */
const unsent = new Map<string, SentDraft | null>();
let send: Send | null = null;
let sending = false;

/** Sends drafts to this host from now on, first those that the last one did not take. */
export function sendDraftsTo(next: Send | null): void {
  send = next;
  void sendAll();
}

/** Stores a document's changes soon; only the last of a quick series. */
export function keepDraft(key: string, experiment: Experiment): void {
  waiting.set(key, { changedAt: new Date().toISOString(), experiment });
  timer ??= setTimeout(() => {
    keepWaiting();
    // Storing and sending a long document both take time.
    setTimeout(sendAll);
  }, delayMs);
}

/** Stores pending drafts at once, before the page closes. */
export function flushDrafts(): void {
  keepWaiting();
  void sendAll();
}

/** Characters that the storage takes. Only the host has longer drafts. */
const mostStored = 5_000_000;

function keepWaiting(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  for (const [key, { experiment, changedAt }] of waiting) {
    // A document crosses to the host as text in a third of the time of a structured copy.
    const text = JSON.stringify(experiment);
    const stored = `{"changedAt":"${changedAt}","experiment":${text}}`;
    if (stored.length <= mostStored) remember(nameOf(key), stored);
    else forget(nameOf(key));
    unsent.set(key, { changedAt, experiment: text });
  }
  waiting.clear();
}

export function dropDraft(key: string): void {
  waiting.delete(key);
  forget(nameOf(key));
  unsent.set(key, null);
  void sendAll();
}

/** Sends drafts one at a time, so that an older one never arrives last. */
async function sendAll(): Promise<void> {
  if (sending) return;
  sending = true;
  for (const [key, draft] of unsent) {
    if (send === null) break;
    unsent.delete(key);
    try {
      await send(key, draft);
    } catch {
      // The window's storage has the draft. The host gets it when it is back, unless there is a newer one.
      if (!unsent.has(key)) unsent.set(key, draft);
      break;
    }
  }
  sending = false;
}

/** Returns the newer of the window's draft and the host's, or null if there is none or it can't be read. */
export function newestDraft(key: string, ofHost: Draft | null): Draft | null {
  const own = ownDraft(key);
  return own === null || (ofHost !== null && ofHost.changedAt > own.changedAt) ? ofHost : own;
}

function ownDraft(key: string): Draft | null {
  try {
    const { changedAt, experiment } = JSON.parse(recall(nameOf(key)) ?? '{}') as Partial<Draft>;
    const parsed = parseExperiment(experiment);
    if (typeof changedAt !== 'string' || !parsed.ok) return null;
    return { changedAt, experiment: parsed.experiment };
  } catch {
    return null;
  }
}
