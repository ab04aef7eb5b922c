/** Remote hosts in a window: those that it connected to, and the state of each connection. */
import type { ErrorInfo } from '../errors.ts';

export interface RemoteState {
  /** Name for ssh. */
  readonly name: string;
  /** asks: it waits for an answer to `says`. */
  readonly status: 'off' | 'connecting' | 'asks' | 'copying' | 'open' | 'removing';
  /** Findings there and next steps, in sentences. */
  readonly says: readonly string[];
  /** Bytes, while the program is copied. */
  readonly copied: { readonly done: number; readonly total: number } | null;
  /** Why there is no connection. */
  readonly problem: ErrorInfo | null;
  /** Address that lets one window in, while it is open. */
  readonly address: string | null;
}

/** disconnect: work there continues. remove: ends the host there, deletes the program. forget: edits the list only. */
export const endings = ['disconnect', 'remove', 'forget'] as const;
export type RemoteEnding = (typeof endings)[number];
