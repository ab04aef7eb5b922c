/** The parts of a report, from its title to the machine of its runs. */
import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { ReportDocument } from '../../core/present/document.ts';
import { OriginBadge } from '../common/marks.tsx';
import { afterFrame } from '../common/scheduling.ts';
import { formatInstant } from '../common/time.ts';
import { PlanPart, VerdictsPart } from './AnswersPart.tsx';
import { ComparedLanes, ComparisonPart } from './ComparisonPart.tsx';
import { LanesPart } from './LanesPart.tsx';
import classes from './Report.module.css';
import { RunPart } from './RunPart.tsx';
import { madeOn, type OpenedReport } from './readReport.ts';
import { SweepPart } from './SweepPart.tsx';

/** The experiment as a document that another Copyscope can run. */
interface Props {
  readonly experiment: Experiment | null;
  readonly letter: string | null;
}

function ExperimentPart({ experiment, letter }: Props) {
  if (experiment === null) return null;
  return (
    <section aria-label={`Experiment${letter === null ? '' : ` ${letter}`}`}>
      <h2>Experiment{letter === null ? '' : ` of ${letter}`}</h2>
      {experiment.description === '' ? null : <p>{experiment.description}</p>}
      <details className={classes['document']}>
        <summary>The document (JSON): copyscope run executes it</summary>
        <pre>{JSON.stringify(experiment, null, 2)}</pre>
      </details>
    </section>
  );
}

export function ReportPage({ report: { document, runs } }: { readonly report: OpenedReport }) {
  const { comparison, sweep } = document;
  const [first] = runs;
  return (
    <div className={classes['report']}>
      <Header document={document} />
      <main>
        {comparison === null ? null : <ComparisonPart comparison={comparison} runs={runs} />}
        {sweep === null ? null : <SweepPart sweep={sweep} />}
        {comparison !== null || first === undefined ? null : (
          <>
            {first.about.answers === null ? null : <PlanPart answers={first.about.answers} />}
            {first.tried.length === 0 ? null : (
              <section aria-label="Before and after">
                <h2>Before and after the tried changes, simulated</h2>
                <ComparedLanes runs={first.tried} letters={['', '']} />
              </section>
            )}
            <LanesPart run={first} />
          </>
        )}
        <AfterLanes>
          {comparison !== null || first === undefined ? null : <VerdictsPart summary={first.about.summary} />}
          {runs.map((run, index) => (
            <RunPart key={run.loaded.id} run={run} letter={comparison === null ? null : 'AB'.charAt(index)} />
          ))}
          {runs.map(({ loaded }, index) => (
            <ExperimentPart
              key={loaded.id}
              experiment={loaded.run.info.experiment}
              letter={comparison === null ? null : 'AB'.charAt(index)}
            />
          ))}
        </AfterLanes>
      </main>
      <Footer document={document} />
    </div>
  );
}

/** Draws verdicts, figures and charts after the lanes, which are on screen first. */
function AfterLanes({ children }: { readonly children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => afterFrame(() => setDue(true)), []);
  return isDue ? children : null;
}

function Header({ document: { title, runs, sweep } }: { readonly document: ReportDocument }) {
  const origins = [...new Set([...runs.map(({ origin }) => origin), ...(sweep === null ? [] : [sweep.origin])])];
  return (
    <header className={classes['header']}>
      <div>
        <h1>{title}</h1>
        <p className={classes['badges']}>
          {origins.map((origin) => (
            <OriginBadge key={origin} origin={origin} />
          ))}
          <span>{runs.map(madeOn).join('; ') || sweep?.device}</span>
        </p>
      </div>
      <Theme />
    </header>
  );
}

function Theme() {
  // The library would pause transitions with a style element, which the page's policy refuses.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <SegmentedControl
      className={classes['onScreen'] ?? ''}
      size="xs"
      aria-label="Theme"
      value={colorScheme}
      onChange={(value) => setColorScheme(value === 'dark' || value === 'light' ? value : 'auto')}
      data={[
        { value: 'auto', label: 'System' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ]}
    />
  );
}

function Footer({ document: { copyscope, createdAt, withPaths } }: { readonly document: ReportDocument }) {
  return (
    <footer className={classes['footer']}>
      <p>
        Made with Copyscope {copyscope} on {formatInstant(createdAt)}.{' '}
        {withPaths
          ? 'Paths, and names of users and hosts, are as they were recorded.'
          : 'Folders, names of users and hosts, environment variables and options of commands were left out; … stands in their place.'}
      </p>
    </footer>
  );
}
