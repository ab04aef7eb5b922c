/** Remote hosts, as a window sees them: those that it connected to, and what becomes of each connection. */
import type { ErrorInfo } from '../errors.ts';

export interface RemoteState {
  /** As ssh knows it. */
  readonly name: string;
  /** asks: it waits for an answer to `says`. */
  readonly status: 'off' | 'connecting' | 'asks' | 'copying' | 'open' | 'removing';
  /** What was found there and will be done, a sentence each. */
  readonly says: readonly string[];
  /** Bytes, while the program is copied. */
  readonly copied: { readonly done: number; readonly total: number } | null;
  /** Why there is no connection. */
  readonly problem: ErrorInfo | null;
  /** Lets one window in, while it is open. */
  readonly address: string | null;
}

export interface RemoteList {
  readonly hosts: readonly RemoteState[];
  /** A sentence about machines that an earlier version has set up; null if there are none. */
  readonly earlier: string | null;
}

/** disconnect: what runs there goes on. remove: ends the host there and deletes the program. forget: only takes it off the list. */
export const endings = ['disconnect', 'remove', 'forget'] as const;
export type RemoteEnding = (typeof endings)[number];
