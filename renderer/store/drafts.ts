/**
 * Unsaved changes, kept where a crash can't reach them: in the window's own storage, which is written at once, and by
 * the host, since a browser that is killed loses what it had not yet brought to the disk. The newer one is taken.
 */
import type { Experiment } from '../../core/experiment/experiment.ts';
import { parseExperiment } from '../../core/experiment/parse.ts';
import type { Draft, SentDraft, TypedTexts } from '../../core/service/service.ts';
import { forget, recall, remember } from './settings.ts';

const nameOf = (key: string): string => `draft:${key}`;
/** An edit is kept after this long at the latest. */
const delayMs = 250;

/** Takes a draft to the host, or has it forgotten. Rejects while there is no host. */
type Send = (key: string, draft: SentDraft | null) => Promise<void>;

const waiting = new Map<string, Draft>();
let timer: ReturnType<typeof setTimeout> | null = null;

/** What the host has not been told yet; the last of each document. */
const unsent = new Map<string, SentDraft | null>();
let send: Send | null = null;
let sending = false;

/** Drafts go to this host from now on, those first that the last one did not take. */
export function sendDraftsTo(next: Send | null): void {
  send = next;
  void sendAll();
}

/** Keeps a document's changes, and what is being typed into its fields, soon; the last one of a quick series. */
export function keepDraft(key: string, experiment: Experiment, typed: TypedTexts): void {
  waiting.set(key, { changedAt: new Date().toISOString(), experiment, typed });
  timer ??= setTimeout(() => {
    keepWaiting();
    // Of a long document both take time.
    setTimeout(sendAll);
  }, delayMs);
}

/** Keeps at once what is waiting: before the page goes. */
export function flushDrafts(): void {
  keepWaiting();
  void sendAll();
}

/** Longer ones, no storage takes: then the host alone has them. */
const mostStored = 5_000_000;

function keepWaiting(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  for (const [key, { experiment, ...rest }] of waiting) {
    // A document crosses to the host as text in a third of the time that its values take.
    const text = JSON.stringify(experiment);
    const stored = `${JSON.stringify(rest).slice(0, -1)},"experiment":${text}}`;
    if (stored.length <= mostStored) remember(nameOf(key), stored);
    else forget(nameOf(key));
    unsent.set(key, { ...rest, experiment: text });
  }
  waiting.clear();
}

export function dropDraft(key: string): void {
  waiting.delete(key);
  forget(nameOf(key));
  unsent.set(key, null);
  void sendAll();
}

/** One at a time, so that an older one never comes last. */
async function sendAll(): Promise<void> {
  if (sending) return;
  sending = true;
  for (const [key, draft] of unsent) {
    if (send === null) break;
    unsent.delete(key);
    try {
      await send(key, draft);
    } catch {
      // The window's own storage has it; the host is told when it is back, unless there is a newer one by then.
      if (!unsent.has(key)) unsent.set(key, draft);
      break;
    }
  }
  sending = false;
}

/** The newer of the window's own draft and the host's; null where there is none, or it can't be read. */
export function newestDraft(key: string, ofHost: Draft | null): Draft | null {
  const own = ownDraft(key);
  return own === null || (ofHost !== null && ofHost.changedAt > own.changedAt) ? ofHost : own;
}

function ownDraft(key: string): Draft | null {
  try {
    const { changedAt, experiment, typed } = JSON.parse(recall(nameOf(key)) ?? '{}') as Partial<Draft>;
    const parsed = parseExperiment(experiment);
    if (typeof changedAt !== 'string' || !parsed.ok) return null;
    return { changedAt, experiment: parsed.experiment, ...(isTexts(typed) ? { typed } : {}) };
  } catch {
    return null;
  }
}

const isTexts = (value: unknown): value is TypedTexts =>
  typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
