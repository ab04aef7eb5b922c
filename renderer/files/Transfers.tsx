/** File transfers that take longer than a moment, each with its progress and a button to cancel it. */
import { Button, Progress } from '@mantine/core';
import { formatBytes } from '../../core/units.ts';
import { useLasting } from '../common/useLasting.ts';
import classes from './Transfers.module.css';
import { type Transfer, useTransfers } from './transfers.ts';

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
