/** Connects to remote hosts: a field for the name, earlier hosts, and the state of each. */
import { Button, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { RemoteState } from '../../core/service/remotes.ts';
import { formatBytes } from '../../core/units.ts';
import { Card, Page, ProblemBox } from '../common/Page.tsx';
import { answerRemote, connectRemote, endRemote, listRemotes, useRemotes } from '../store/remotes.ts';
import { useApp } from '../store/store.ts';
import classes from './RemotePage.module.css';

export function RemotePage() {
  const { hosts } = useRemotes();
  const connected = useApp((state) => state.connection.status === 'open');
  const remote = useApp((state) => state.about?.remote);
  useEffect(() => {
    if (connected) void listRemotes();
  }, [connected]);
  const about =
    remote === undefined
      ? 'Copyscope runs on another computer, and its window opens here through your system’s ssh: runs, recordings, calibration, sweeps and files are those of that computer. If the connection is lost, what runs there goes on.'
      : `This window shows the library of ${remote}. Connect to another host from the computer that you sit at.`;
  return (
    <Page title="Remote hosts" about={about}>
      {remote === undefined ? <ConnectForm /> : null}
      <ul className={classes['list']} aria-label="Remote hosts">
        {(remote === undefined ? hosts : []).map((host) => (
          <li key={host.name}>
            <HostCard host={host} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

function ConnectForm() {
  const [name, setName] = useState('');
  return (
    <Card aria-label="Connect">
      <form
        className={classes['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') void connectRemote(name.trim()).then(() => setName(''));
        }}
      >
        <TextInput
          label="Host"
          size="xs"
          description="A name of your ssh configuration, or user@address."
          placeholder="gpu-box"
          spellCheck={false}
          autoCapitalize="none"
          maxLength={200}
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <Button type="submit" disabled={name.trim() === ''}>
          Connect
        </Button>
      </form>
    </Card>
  );
}

const words: Readonly<Record<RemoteState['status'], string>> = {
  off: 'Not connected',
  connecting: 'Connecting. If ssh has questions it asks them where Copyscope was started.',
  asks: 'Waits for your answer',
  copying: 'Copying the program',
  open: 'Connected',
  removing: 'Ending and deleting Copyscope there',
};

function HostCard({ host }: { readonly host: RemoteState }) {
  const { name, status, says, copied, problem } = host;
  const progress = copied === null ? '' : `: ${formatBytes(copied.done)} of ${formatBytes(copied.total)}`;
  return (
    <Card aria-label={name}>
      <div className={classes['head']}>
        <h2>{name}</h2>
        <span className={classes['hint']} role="status">
          {words[status]}
          {progress}
        </span>
      </div>
      {problem === null ? null : <ProblemBox error={problem} />}
      <ul className={classes['says']}>
        {says.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <div className={classes['bar']}>
        <Actions name={name} status={status} />
      </div>
    </Card>
  );
}

type Choice = readonly [label: string, act: () => unknown];

function Actions({ name, status }: Pick<RemoteState, 'name' | 'status'>) {
  const [removing, setRemoving] = useState(false);
  const remove = (): void => {
    setRemoving(false);
    void endRemote(name, 'remove');
  };
  const removal: Choice = ['Remove from the host…', () => setRemoving(true)];
  const ofStatus: Readonly<Record<RemoteState['status'], readonly Choice[]>> = {
    off: [['Connect', () => connectRemote(name)], ['Forget', () => endRemote(name, 'forget')], removal],
    connecting: [['Cancel', () => endRemote(name, 'disconnect')]],
    asks: [
      ['Go on', () => answerRemote(name, true)],
      ['Change nothing', () => answerRemote(name, false)],
    ],
    copying: [['Cancel', () => endRemote(name, 'disconnect')]],
    open: [
      ['Open its window', () => connectRemote(name)],
      ['Disconnect', () => endRemote(name, 'disconnect')],
      removal,
    ],
    removing: [],
  };
  const choices: readonly Choice[] = removing
    ? [
        ['Remove', remove],
        ['Keep it', () => setRemoving(false)],
      ]
    : ofStatus[status];
  return (
    <>
      {removing ? (
        <span className={classes['hint']}>
          This ends the host there with all that it runs, and deletes ~/.cache/copyscope. The library there stays.
        </span>
      ) : null}
      {choices.map(([label, act]) => (
        <Button key={label} variant="default" onClick={() => void act()}>
          {label}
        </Button>
      ))}
    </>
  );
}
