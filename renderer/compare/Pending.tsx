/** A run that has no lanes yet, or will have none: how far it is, or what became of it. */
import { Button, Loader, Progress } from '@mantine/core';
import { type RunSummary, runTitle } from '../../core/service/service.ts';
import { ErrorText } from '../common/ErrorText.tsx';
import { LinkButton } from '../common/LinkButton.tsx';
import { progressShare, progressWords } from '../engine/RunButton.tsx';
import { openPage } from '../store/pages.ts';
import { cancelRun } from '../store/runs.ts';
import { useApp } from '../store/store.ts';
import classes from './ComparePage.module.css';

interface Props {
  readonly id: string;
  readonly name: string;
}

export function Pending({ id, name }: Props) {
  const loaded = useApp((app) => app.loadedRuns[id]);
  const run = useApp(({ runs }) => runs[id]);
  if (run?.status === 'running') return <Running run={run} name={name} />;
  const error = loaded?.status === 'failed' ? loaded.error : null;
  return (
    <section className={classes['pending']} aria-label={name}>
      <strong className={classes['pendingName']}>{name}</strong>
      {error === null ? <Loader size={14} /> : null}
      {error === null ? null : run?.status === 'cancelled' ? 'Cancelled.' : <ErrorText error={error} />}
      {error?.code.startsWith('host.') === true ? (
        <LinkButton onClick={() => openPage({ kind: 'machines' })}>Other machines</LinkButton>
      ) : null}
    </section>
  );
}

function Running({ run, name }: { readonly run: RunSummary; readonly name: string }) {
  const words = useApp((app) => progressWords(app, run));
  const share = useApp((app) => progressShare(app, run));
  return (
    <section className={classes['pending']} aria-label={name}>
      <strong className={classes['pendingName']}>{name}</strong>
      <span className={`${classes['phase']} tabular`} role="status">
        {words}
      </span>
      <Progress className={classes['progress'] ?? ''} value={share * 100} aria-label={`Progress of ${runTitle(run)}`} />
      <Button variant="default" size="compact-xs" aria-label={`Cancel ${name}`} onClick={() => void cancelRun(run.id)}>
        Cancel
      </Button>
    </section>
  );
}
