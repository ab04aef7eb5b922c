/** Records a program of the user: the command, the recorded activities, and the progress. */
import { Button, Text } from '@mantine/core';
import { IconPlayerRecordFilled } from '@tabler/icons-react';
import { useEffect, useMemo, useRef } from 'react';
import { isUnderWay } from '../../core/service/recording.ts';
import { Page, ProblemBox } from '../common/Page.tsx';
import { openPage } from '../store/pages.ts';
import { useRecording } from '../store/recordings.ts';
import { useApp } from '../store/store.ts';
import { commandLine, readDraft, useRecordDraft } from './draft.ts';
import { CommandFields, ModeFields, WhenFields } from './Fields.tsx';
import classes from './Record.module.css';
import { RecordingCard, startRecording, useRefusal } from './RecordingCard.tsx';

export function RecordPage() {
  const status = useRecording((state) => state.status);
  const busy = status !== null && isUnderWay(status);
  const page = useRef<HTMLElement>(null);
  const id = status?.id;
  // The running recording is above the form, and the start button is at the form's end.
  useEffect(() => {
    if (id === undefined) return;
    page.current?.scrollTo({ top: 0 });
    // The form can't have the focus during a recording.
    if (document.activeElement === document.body) page.current?.focus({ preventScroll: true });
  }, [id]);
  return (
    <Page
      title="Record a program"
      about="Runs your program and records its copies, kernels and waits on the GPU, with the lines of Python that issued them. Nothing in the program changes. Its trace opens when it ends."
      ref={page}
    >
      {status === null ? <NoGpu /> : <RecordingCard status={status} />}
      <RecordForm busy={busy} />
    </Page>
  );
}

/** Says before anything is typed that nothing can be recorded here, and why. */
function NoGpu() {
  const cuda = useApp((state) => state.devices?.engines.find(({ kind }) => kind === 'cuda'));
  if (cuda === undefined || cuda.available) return null;
  return (
    <div className={classes['missing']} role="note">
      <strong>Nothing can be recorded on this machine.</strong>
      <p>{cuda.problem?.message} Record on the machine with the GPU, whose window opens here.</p>
      <Button variant="default" size="xs" onClick={() => openPage({ kind: 'remote' })}>
        Connect to a remote host
      </Button>
    </div>
  );
}

function RecordForm({ busy }: { readonly busy: boolean }) {
  const draft = useRecordDraft();
  const { error, asked } = useRefusal();
  const connected = useApp((state) => state.connection.status === 'open');
  const read = useMemo(() => readDraft(draft), [draft]);
  const { request } = read;
  const isEmpty = draft.command.trim() === '';
  const refused = error?.field === 'folder' ? error : null;
  return (
    <form
      className={classes['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (request !== null && !busy && !asked && connected) void startRecording(request);
      }}
    >
      <fieldset className={classes['plain']} disabled={busy}>
        <CommandFields draft={draft} read={read} folderProblem={refused?.message} />
        <ModeFields draft={draft} />
        <WhenFields draft={draft} problems={read.problems} />
      </fieldset>
      {error === null || busy ? null : <ProblemBox error={error} />}
      <div className={classes['bar']}>
        <Button
          type="submit"
          leftSection={<IconPlayerRecordFilled size={13} aria-hidden />}
          disabled={request === null || busy || !connected}
          loading={asked}
        >
          Record
        </Button>
        <Text size="xs" c="dimmed" component="span" className={classes['same'] ?? ''}>
          {request === null ? (
            isEmpty ? (
              'Name the program first.'
            ) : (
              'Correct what is marked above.'
            )
          ) : (
            <>
              The same in a terminal: <code>{commandLine(request)}</code>
            </>
          )}
        </Text>
      </div>
    </form>
  );
}
