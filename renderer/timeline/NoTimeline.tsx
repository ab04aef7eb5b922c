/** Shown in place of lanes, with the reason why there are none. */
import { Button, Group, Loader, Progress, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlayerPlay } from '@tabler/icons-react';
import type { ErrorInfo } from '../../core/errors.ts';
import { type RunSummary, runTitle } from '../../core/service/service.ts';
import { useLasting } from '../common/hooks.ts';
import { EmptyState, ErrorText } from '../common/Page.tsx';
import { formatMoment } from '../common/time.ts';
import { usePredicting } from '../predict/openDocument.ts';
import { cancelPrediction } from '../predict/usePrediction.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { pickRun, retryRun } from '../store/runs.ts';
import { pageDocumentKey, runsOfPage } from '../store/select.ts';
import { useApp, useDerived } from '../store/store.ts';
import classes from './TimelinePanel.module.css';

/** Returns true if the open document is being predicted. */
function useIsPredicted(): boolean {
  const document = useApp(pageDocumentKey);
  return usePredicting(({ predicting }) => predicting !== null && predicting.document === document);
}

interface Props {
  readonly className?: string | undefined;
}

export function PredictionBar(props: Props) {
  return useIsPredicted() ? <Bar {...props} /> : null;
}

function Bar({ className }: Props) {
  const progress = usePredicting(({ predicting }) => predicting?.progress ?? null);
  const isLasting = useLasting();
  if (!isLasting) return null;
  return (
    <Progress
      className={className ?? ''}
      size="sm"
      value={progress === null ? 100 : (100 * progress.done) / progress.total}
      animated={progress === null || progress.done === progress.total}
      aria-label="Progress of the prediction"
    />
  );
}

/** Shown for a run that was read and is empty. */
export function NothingRecorded({ run }: { readonly run: LoadedRun }) {
  const { error, status, experiment } = run.run.info;
  if (error === undefined && experiment?.threads.every(({ operations }) => operations.length === 0)) {
    return (
      <EmptyState icon={<IconPlayerPlay size={24} />} title="Nothing to run yet">
        <Text c="dimmed">Add an operation to the score: its lanes are drawn here at once.</Text>
      </EmptyState>
    );
  }
  // A trace only had to be read, so reading it is what failed.
  const failure = experiment === null ? 'This run can’t be read' : 'This run failed';
  return (
    <EmptyState icon={<IconAlertTriangle size={24} />} title={status === 'failed' ? failure : 'Nothing was recorded'}>
      {error === undefined ? <Text c="dimmed">It ended before its first activity.</Text> : <ErrorText error={error} />}
    </EmptyState>
  );
}

interface UnreadableProps {
  readonly id: string;
  readonly error: ErrorInfo;
  readonly status: RunSummary['status'] | undefined;
}

/** A run without lanes: it failed or was cancelled early, or its file can't be read. */
function Unreadable({ id, error, status }: UnreadableProps) {
  const other = useDerived((state) => runsOfPage(state).find((run) => run.id !== id && run.status === 'complete'));
  const title =
    status === 'failed'
      ? 'This run failed'
      : status === 'cancelled'
        ? 'This run was cancelled'
        : 'This run can’t be opened';
  return (
    <EmptyState icon={<IconAlertTriangle size={24} />} title={title} alert={status !== 'cancelled'}>
      <ErrorText error={error} />
      <Group gap="xs">
        {status === 'complete' ? (
          <Button variant="default" onClick={() => retryRun(id)}>
            Try again
          </Button>
        ) : null}
        {other === undefined ? null : (
          <Button variant="default" onClick={() => pickRun(other.id)}>
            Show the run of {formatMoment(other.createdAt)}
          </Button>
        )}
      </Group>
    </EmptyState>
  );
}

/** Shown while the first lanes of a long experiment are predicted. */
function FirstPrediction() {
  const isLasting = useLasting();
  return (
    <EmptyState icon={<Loader size={22} />} title="Predicting the lanes…">
      <Text c="dimmed">The experiment is being simulated; you can edit the score.</Text>
      <PredictionBar className={classes['predicting']} />
      {isLasting ? (
        <Button variant="default" onClick={cancelPrediction}>
          Cancel
        </Button>
      ) : null}
    </EmptyState>
  );
}

/** The reason why there are no lanes: not run yet, still running, failed, or unreadable. */
export function NoTimeline({ id }: { readonly id: string | null }) {
  const isPredicted = useIsPredicted();
  const summary = useApp((state) => (id === null ? undefined : state.runs[id]));
  const loading = useApp((state) => (id === null ? undefined : state.loadedRuns[id]));
  if (loading?.status === 'failed' && id !== null) {
    return <Unreadable id={id} error={loading.error} status={summary?.status} />;
  }
  if (summary?.status === 'running') {
    return (
      <EmptyState icon={<Loader size={22} />} title="Running…">
        <Text c="dimmed">The lanes appear when it has finished.</Text>
      </EmptyState>
    );
  }
  if (id !== null) {
    return (
      <EmptyState icon={<Loader size={22} />} title="Reading the run…">
        <Text c="dimmed">{summary === undefined ? '' : runTitle(summary)}</Text>
      </EmptyState>
    );
  }
  if (isPredicted) return <FirstPrediction />;
  return (
    <EmptyState icon={<IconPlayerPlay size={24} />} title="Not run yet">
      <Text c="dimmed">
        Choose Run, or press Ctrl+Enter. The lanes of every host thread, stream and copy engine appear here.
      </Text>
    </EmptyState>
  );
}
