/** File transfers: the progress of each, and how it is cancelled. */
import { create } from 'zustand';

export interface Transfer {
  readonly id: number;
  /** Title such as 'Reading worker0.json'. */
  readonly title: string;
  readonly doneBytes: number;
  /** Null if unknown. */
  readonly totalBytes: number | null;
  /** Progress from 0 to 1, if something else than bytes measures it. */
  readonly share?: number;
  readonly cancel: () => void;
}

export const useTransfers = create<{ readonly transfers: readonly Transfer[] }>()(() => ({ transfers: [] }));

let number = 0;

/** Starts a transfer. Returns functions that report its progress and its end. */
export function startTransfer(fields: Omit<Transfer, 'id' | 'doneBytes'>) {
  number += 1;
  const id = number;
  const change = (update: (transfers: readonly Transfer[]) => readonly Transfer[]): void =>
    useTransfers.setState(({ transfers }) => ({ transfers: update(transfers) }));
  change((transfers) => [...transfers, { ...fields, id, doneBytes: 0 }]);
  return {
    progress: (doneBytes: number, share?: number) =>
      change((transfers) =>
        transfers.map((one) =>
          one.id === id ? { ...one, doneBytes, ...(share === undefined ? {} : { share }) } : one,
        ),
      ),
    end: () => change((transfers) => transfers.filter((one) => one.id !== id)),
  };
}
