/** File transfers that take longer than a moment, each with its progress and a button to cancel it. */
import { Button, Progress } from '@mantine/core';
import { create } from 'zustand';
import { formatBytes } from '../../core/units.ts';
import { useLasting } from '../common/hooks.ts';
import classes from './Transfers.module.css';

/** File transfers: the progress of each, and how it is cancelled. */
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

export function Transfers() {
  const transfers = useTransfers((state) => state.transfers);
  return (
    <section className={classes['transfers']} aria-label="Files being read or written">
      {transfers.map((transfer) => (
        <TransferLine key={transfer.id} transfer={transfer} />
      ))}
    </section>
  );
}

function TransferLine({ transfer }: { readonly transfer: Transfer }) {
  const isLasting = useLasting();
  if (!isLasting) return null;
  const { title, doneBytes, totalBytes, cancel } = transfer;
  const share = transfer.share ?? (totalBytes === null || totalBytes === 0 ? null : doneBytes / totalBytes);
  return (
    <div className={classes['line']}>
      <span className={classes['title']} role="status" title={title}>
        {title}
      </span>
      <span className={`${classes['bytes']} tabular`}>
        {formatBytes(doneBytes)}
        {totalBytes === null ? '' : ` of ${formatBytes(totalBytes)}`}
      </span>
      <Progress
        className={classes['bar'] ?? ''}
        value={share === null ? 100 : share * 100}
        animated={share === null || share === 1}
        aria-label={title}
      />
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
    </div>
  );
}
