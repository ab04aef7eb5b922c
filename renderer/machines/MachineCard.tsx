/** One machine: whether there is a line to it, what it has, what runs there, and what can be done with it. */
import { Button, Progress, TextInput } from '@mantine/core';
import {
  IconCircleCheck,
  IconCircleDashed,
  IconDownload,
  IconFileImport,
  IconLoader2,
  IconPlugConnected,
  IconPlugConnectedX,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { describeError } from '../../core/errors.ts';
import type { DeviceReport } from '../../core/program/engine.ts';
import type { MachineState, MachineWork } from '../../core/service/machines.ts';
import { runTitle } from '../../core/service/service.ts';
import { formatBytes } from '../../core/units.ts';
import { Card } from '../common/Card.tsx';
import { LinkButton } from '../common/LinkButton.tsx';
import { ProblemBox } from '../common/ProblemBox.tsx';
import { openFileThere } from '../files/files.ts';
import { connectMachine, fetchedWords, hasLostLine } from '../store/machines.ts';
import { openPage } from '../store/pages.ts';
import { useDerived } from '../store/useDerived.ts';
import { askRemoval, fetchResults, planMachine } from './actions.ts';
import { Cluster } from './Cluster.tsx';
import classes from './Machines.module.css';

export function MachineCard({ machine }: { readonly machine: MachineState }) {
  const { name, system, version, report, problem, work } = machine;
  const about = [system, version === null ? null : `Copyscope ${version}`].filter(Boolean).join(', ');
  return (
    <Card aria-label={name}>
      <div className={classes['head']}>
        <h2>{name}</h2>
        <span className={classes['hint']}>{about}</span>
        <Line machine={machine} />
      </div>
      {work === null ? null : <Work name={name} work={work} />}
      <RunsThere machine={machine} />
      {problem === null ? null : <ProblemBox error={problem} />}
      {report === null ? null : <Devices report={report} />}
      <Results machine={machine} />
      {version === null ? null : <OpenThere machine={machine} />}
      {version === null ? null : <Cluster name={name} state={machine} />}
      <Actions machine={machine} />
    </Card>
  );
}

function Line({ machine }: { readonly machine: MachineState }) {
  const { line, version } = machine;
  if (version === null) return null;
  const isLost = hasLostLine(machine);
  const [Icon, words] = isLost
    ? ([IconPlugConnectedX, line === 'connecting' ? 'No line, trying again' : 'No line'] as const)
    : line === 'up'
      ? ([IconCircleCheck, 'Connected'] as const)
      : line === 'connecting'
        ? ([IconLoader2, 'Connecting…'] as const)
        : ([IconCircleDashed, 'Not asked yet'] as const);
  return (
    <span className={classes['line']} data-state={isLost ? 'lost' : line}>
      <Icon size={15} aria-hidden />
      {words}
    </span>
  );
}

const doing: Readonly<Record<MachineWork['what'], (name: string) => string>> = {
  adding: (name) => `Copying to ${name}`,
  fetching: (name) => `Looking for results on ${name}`,
  removing: (name) => `Deleting what was put on ${name}`,
};

function Work({ name, work: { what, doneBytes, totalBytes } }: { readonly name: string; readonly work: MachineWork }) {
  const share = totalBytes === null || totalBytes === 0 ? null : doneBytes / totalBytes;
  // All of it is there, and it is asked for what it has.
  const words = what === 'adding' && share === 1 ? `Starting it on ${name}` : doing[what](name);
  return (
    <div className={classes['work']}>
      <span role="status">{words}</span>
      <span className={`${classes['hint']} tabular`}>
        {totalBytes === null ? '' : `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`}
      </span>
      <Progress
        value={share === null ? 100 : share * 100}
        animated={share === null || share === 1}
        aria-label={words}
      />
    </div>
  );
}

/** What was begun from here and runs there now. */
function RunsThere({ machine }: { readonly machine: MachineState }) {
  const runs = useDerived((state) =>
    Object.values(state.runs).filter(({ host, status }) => host === machine.name && status === 'running'),
  );
  if (runs.length === 0) return null;
  return (
    <p className={classes['words']} role="status">
      {hasLostLine(machine)
        ? 'There is no line, and this goes on there. Its result comes when the line is back: '
        : 'Runs there now: '}
      {runs.map((run, place) => (
        <span key={run.id}>
          {place === 0 ? '' : ', '}
          <LinkButton onClick={() => openPage({ kind: 'run', id: run.id })}>{runTitle(run)}</LinkButton>
        </span>
      ))}
    </p>
  );
}

function Devices({ report: { devices, engines, driverVersion } }: { readonly report: DeviceReport }) {
  const missing = engines.filter(({ available, kind }) => !available && kind !== 'sim');
  return (
    <ul className={classes['devices']} aria-label="Devices and engines">
      {devices.map(({ index, name, memoryBytes, computeCapability }) => (
        <li key={index}>
          <strong>{name}</strong>, {formatBytes(memoryBytes)}, compute capability {computeCapability}
          {driverVersion === null ? '' : `, CUDA ${driverVersion}`}
        </li>
      ))}
      {devices.length === 0 ? <li>No CUDA device.</li> : null}
      {engines.some(({ kind, available }) => kind === 'cpu' && available) ? <li>CPU engine</li> : null}
      {missing.map(({ kind, problem }) => (
        <li key={kind} className={classes['hint']}>
          {kind === 'cuda' ? 'No CUDA engine' : 'No CPU engine'}
          {problem === undefined ? '.' : `: ${describeError(problem)}`}
        </li>
      ))}
    </ul>
  );
}

function Results({ machine: { fetched } }: { readonly machine: MachineState }) {
  if (fetched === null) return null;
  const came = fetched.runs === 0 ? 'No result waited there.' : `${fetchedWords(fetched.runs)} into the library.`;
  const goesOn = fetched.running === 0 ? '' : ` ${fetched.running} still in progress there.`;
  return (
    <p className={classes['hint']}>
      {came}
      {goesOn}
    </p>
  );
}

/** Opens a trace, a run or an experiment that lies there. */
function OpenThere({ machine: { name } }: { readonly machine: MachineState }) {
  const [path, setPath] = useState('');
  const [asking, setAsking] = useState(false);
  const open = async (): Promise<void> => {
    setAsking(true);
    await openFileThere(name, path.trim());
    setAsking(false);
  };
  return (
    <form
      className={classes['add']}
      onSubmit={(event) => {
        event.preventDefault();
        if (path.trim() !== '' && !asking) void open();
      }}
    >
      <TextInput
        label="A trace there"
        description="Its path on that machine. It comes here compressed."
        placeholder="~/project/trace.json.gz"
        size="xs"
        spellCheck={false}
        maxLength={4096}
        value={path}
        onChange={({ currentTarget: { value } }) => setPath(value)}
      />
      <Button
        type="submit"
        variant="default"
        leftSection={<IconFileImport size={15} aria-hidden />}
        loading={asking}
        disabled={path.trim() === ''}
      >
        Open it
      </Button>
    </form>
  );
}

function Actions({ machine }: { readonly machine: MachineState }) {
  const { name, version, line, work, problem } = machine;
  const isBusy = work !== null;
  const isOther = problem?.code === 'host.other-version' || problem?.code === 'host.not-set-up';
  if (version === null) {
    return (
      <div className={classes['bar']}>
        <Button variant="default" disabled={isBusy} onClick={() => void planMachine(name)}>
          Try again
        </Button>
        <Button variant="default" disabled={isBusy} onClick={() => askRemoval(machine)}>
          Forget it
        </Button>
      </div>
    );
  }
  return (
    <div className={classes['bar']}>
      {isOther ? (
        <Button disabled={isBusy} onClick={() => void planMachine(name, true)}>
          Look what replacing it takes
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={15} aria-hidden />}
          disabled={isBusy || line === 'connecting'}
          onClick={() => void connectMachine(name)}
        >
          {line === 'up' ? 'Ask again' : 'Connect'}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconDownload size={15} aria-hidden />}
        disabled={isBusy}
        onClick={() => void fetchResults(name)}
      >
        Fetch results
      </Button>
      <Button
        variant="default"
        leftSection={<IconTrash size={15} aria-hidden />}
        disabled={isBusy}
        onClick={() => askRemoval(machine)}
      >
        Remove…
      </Button>
    </div>
  );
}
