/** The state of a run that has no lanes yet, or will get none. */
import { Loader } from '@mantine/core';
import { ErrorText } from '../common/ErrorText.tsx';
import { useApp } from '../store/store.ts';
import classes from './ComparePage.module.css';

interface Props {
  readonly id: string;
  readonly name: string;
}

export function Pending({ id, name }: Props) {
  const loaded = useApp((app) => app.loadedRuns[id]);
  const status = useApp(({ runs }) => runs[id]?.status);
  const error = loaded?.status === 'failed' ? loaded.error : null;
  return (
    <section className={classes['pending']} aria-label={name}>
      <strong className={classes['pendingName']}>{name}</strong>
      {error === null ? <Loader size={14} /> : status === 'cancelled' ? 'Cancelled.' : <ErrorText error={error} />}
    </section>
  );
}
