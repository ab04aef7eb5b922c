/** The current or last recording: its progress, the program's output, and how it ended. */
import { Button } from '@mantine/core';
import { IconPlayerStopFilled, IconTimeline } from '@tabler/icons-react';
import { useLayoutEffect, useRef } from 'react';
import { create } from 'zustand';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import {
  isUnderWay,
  type RecordedSoFar,
  type RecordingStatus,
  type StartRecording,
} from '../../core/service/recording.ts';
import { formatBytes } from '../../core/units.ts';
import { Card, ErrorText } from '../common/Page.tsx';
import { attempt, host } from '../store/host.ts';
import { announce } from '../store/notify.ts';
import { openPage } from '../store/pages.ts';
import { onRecordingChanged } from '../store/recordings.ts';
import classes from './Record.module.css';

/** Reason why the last recording could not start, or null. */
export const useRefusal = create<{ readonly error: ErrorInfo | null; readonly asked: boolean }>()(() => ({
  error: null,
  asked: false,
}));

export async function startRecording(request: StartRecording): Promise<void> {
  useRefusal.setState({ error: null, asked: true });
  try {
    const status = await host().startRecording(request);
    onRecordingChanged(status);
    announce(`Recording ${status.name}`);
  } catch (thrown) {
    useRefusal.setState({ error: toErrorInfo(thrown) });
  } finally {
    useRefusal.setState({ asked: false });
  }
}

const stopRecording = (id: string, atOnce: boolean): Promise<void> =>
  attempt('The program could not be stopped', () => host().stopRecording(id, atOnce));

export function RecordingCard({ status }: { readonly status: RecordingStatus }) {
  const { id, name, phase, isStopped, counts, output, run, error } = status;
  return (
    <Card aria-label={`Recording of ${name}`} data-phase={phase}>
      <div className={classes['head']}>
        <h2>{headline(status)}</h2>
        {phase === 'recording' ? (
          <Button
            variant={isStopped ? 'default' : 'filled'}
            color="red"
            leftSection={<IconPlayerStopFilled size={13} aria-hidden />}
            onClick={() => void stopRecording(id, isStopped)}
          >
            {isStopped ? 'End it at once' : 'Stop'}
          </Button>
        ) : null}
        {run === null ? null : (
          <Button
            variant="default"
            leftSection={<IconTimeline size={15} aria-hidden />}
            onClick={() => openPage({ kind: 'run', id: run })}
          >
            Open its trace
          </Button>
        )}
      </div>
      <p className={classes['hint']}>{ending(status)}</p>
      {error === null ? null : (
        <div role="alert">
          <ErrorText error={error} />
        </div>
      )}
      {isUnderWay(status) || counts.bytes > 0 ? <Counts counts={counts} /> : null}
      <Output text={output} />
    </Card>
  );
}

function headline({ name, phase, isStopped }: RecordingStatus): string {
  switch (phase) {
    case 'recording':
      return isStopped ? `Stopping ${name}` : `Recording ${name}`;
    case 'reading':
      return `Making a run of ${name}`;
    case 'done':
      return `${name} was recorded`;
    default:
      return `${name} was not recorded`;
  }
}

function ending({ phase, exitCode, isStopped, counts }: RecordingStatus): string {
  if (phase === 'recording') {
    if (isStopped) return 'It was interrupted as by Ctrl-C, and will be terminated after ten seconds.';
    return counts.processes === 0
      ? 'No process of it has initialised CUDA yet.'
      : `${counts.processes === 1 ? 'One process' : `${counts.processes} processes`} of it ${counts.processes === 1 ? 'is' : 'are'} recorded.`;
  }
  if (exitCode === null) return 'It never ran.';
  return `It ended with exit code ${exitCode}${exitCode > 128 ? ` (signal ${exitCode - 128})` : ''}${isStopped ? ', stopped from here' : ''}.`;
}

const shown = new Intl.NumberFormat('en');

function Counts({ counts }: { readonly counts: RecordedSoFar }) {
  const entries: readonly (readonly [label: string, value: string])[] = [
    ['Copies', shown.format(counts.copies)],
    ['Kernels', shown.format(counts.kernels)],
    ['Waits', shown.format(counts.waits)],
    ['Written', formatBytes(counts.bytes)],
    ['Dropped', shown.format(counts.dropped)],
  ];
  return (
    <dl className={classes['counts']} aria-label="Recorded so far">
      {entries.map(([label, value]) => (
        <div key={label} data-bad={label === 'Dropped' && counts.dropped > 0 ? true : undefined}>
          <dt>{label}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Follows the end of the growing output, unless the user has scrolled up. */
function Output({ text }: { readonly text: string }) {
  const box = useRef<HTMLElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when the text has changed.
  useLayoutEffect(() => {
    if (box.current !== null && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <div>
      <h3 className={classes['title']}>Output</h3>
      <section
        className={classes['output']}
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
        aria-label="Program output"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
        }}
      >
        {text === '' ? <span className={classes['hint']}>Nothing yet.</span> : <pre>{text}</pre>}
      </section>
    </div>
  );
}
