/** The centre: the experiment's header, its score, and the timeline of one of its runs. */

import { Button, Loader, Text } from '@mantine/core';
import { useViewportSize } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import type { ErrorInfo } from '../../core/errors.ts';
import { EmptyState, ErrorText } from '../common/Page.tsx';
import shared from '../common/Panels.module.css';
import { reportShown } from '../files/exportReports.ts';
import { exportShownRun } from '../files/makeExport.ts';
import { PlanPanel } from '../plan/PlanPanel.tsx';
import { triedChanges, usePlan } from '../plan/planStore.ts';
import { TryPanel } from '../plan/TryPanel.tsx';
import { useEditor } from '../score/editor.ts';
import { JsonPane } from '../score/JsonPane.tsx';
import { Score, scoreHeight } from '../score/Score.tsx';
import { ScoreToolbar } from '../score/ScoreToolbar.tsx';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { retryDocument } from '../store/pages.ts';
import { retryRun } from '../store/runs.ts';
import { currentExperiment, loadedRun, pageDocumentKey } from '../store/select.ts';
import { Following, InNextFrame, state, useApp } from '../store/store.ts';
import type { AppState, Loading } from '../store/types.ts';
import { panelSize, usePanelSizes } from '../store/usePanelSizes.ts';
import { TimelinePanel } from '../timeline/TimelinePanel.tsx';
import { DocumentHeader, TraceHeader } from './DocumentHeader.tsx';
import classes from './DocumentPage.module.css';

/** These elements stay the same: an edit redraws only the parts that subscribe to it. */
const header = (
  <Following>
    <DocumentHeader />
  </Following>
);
const toolbar = (
  <Following>
    <ScoreToolbar />
  </Following>
);
const score = (
  <InNextFrame>
    <Score />
  </InNextFrame>
);
const json = <JsonPane />;
const CodePane = lazy(async () => ({ default: (await import('../score/CodePane.tsx')).CodePane }));
const code = (
  <Suspense fallback={null}>
    <Following>
      <CodePane />
    </Following>
  </Suspense>
);
const views = { score, json, code };
const timeline = (
  <TimelinePanel saving={{ figures: () => exportShownRun('csv'), report: () => reportShown(false, triedChanges()) }} />
);
const scoreAndTimeline = <ScoreAndTimeline />;

export function DocumentPage() {
  const isOpen = useApp((state) => currentExperiment(state) !== null);
  const trace = useApp((state) => (state.page.kind === 'run' ? loadedRun(state, state.page.id) : null));
  const problem = useDocumentProblem();
  if (problem !== null) return <DocumentProblem {...problem} />;
  if (!isOpen && trace !== null) return <ImportedTrace run={trace} />;
  if (!isOpen) {
    return (
      <EmptyState icon={<Loader size={22} />} title="Opening…" isPage>
        <Text c="dimmed">Reading it from the host.</Text>
      </EmptyState>
    );
  }
  return (
    <>
      {header}
      {scoreAndTimeline}
    </>
  );
}

/** Half of the height left by the window's title, the page's header and the status line: the lanes need the other. */
function useHalf(): number {
  const height = useViewportSize().height || window.innerHeight;
  return Math.round((height - (height > 560 ? 140 : 104)) / 2);
}

const tallestPlan = 380;

/** A trace from another tool has no experiment and so no score. Its plan stands in the score's place. */
function ImportedTrace({ run }: { readonly run: LoadedRun }) {
  const { trying } = usePlan(run.id);
  const half = useHalf();
  // The lanes of two runs need more of the page.
  const panel = trying
    ? { id: 'plan', name: 'plan-trying', size: Math.min(210, half - 90) }
    : { id: 'plan', name: 'plan', size: Math.min(tallestPlan, half) };
  const sizes = usePanelSizes([panel]);
  return (
    <>
      <TraceHeader info={run.run.info} />
      <Group orientation="vertical" className={shared['panels']} {...sizes}>
        <Panel
          id="plan"
          defaultSize={panelSize(panel)}
          minSize={90}
          maxSize="75%"
          groupResizeBehavior="preserve-pixel-size"
        >
          <PlanPanel key={run.id} run={run} />
        </Panel>
        <Separator className={shared['separatorAcross']} aria-label="Resize the plan" />
        <Panel id="timeline" minSize={180}>
          {trying ? <TryPanel run={run} /> : timeline}
        </Panel>
      </Group>
    </>
  );
}

/** Room for a few rows on an empty page. */
const leastScoreHeight = 246;
/** Height of code. */
const tallest = 354;
/** Three lanes with their tools, axis and legend. */
const leastLanes = 170;

interface ScoreAndTimelineProps {
  /** Content in place of the timeline. */
  readonly instead?: ReactNode;
  /** Content in place of the score: the recorded experiment, if the open one is another. */
  readonly recorded?: ReactNode;
  /** Enlargement of the content. Panels are measured in the window's own pixels. */
  readonly zoom?: number;
}

/** The score is as tall as its rows, up to half of the page, until the user resizes it. */
export function ScoreAndTimeline({ instead, recorded, zoom = 1 }: ScoreAndTimelineProps) {
  const view = useEditor((editor) => editor.view);
  const beside = useEditor((editor) => editor.codeBeside);
  const key = useApp(pageDocumentKey);
  const half = useHalf();
  const [rows, setRows] = useState(heightNow);
  const above =
    view === 'score' && !beside
      ? { id: 'score', name: zoom === 1 ? 'score' : 'score-presented', size: Math.min(rows * zoom, half) }
      : { id: 'score', name: view === 'score' ? 'score-and-code' : view, size: Math.min(tallest, half) };
  const sizes = usePanelSizes([above]);
  return (
    <Group orientation="vertical" className={shared['panels']} {...sizes}>
      <Panel
        id="score"
        defaultSize={panelSize(above)}
        minSize={90}
        maxSize="60%"
        groupResizeBehavior="preserve-pixel-size"
      >
        <Following>
          <ScoreHeight key={key} onChange={setRows} />
        </Following>
        <div className={classes['score']}>
          {/* A recorded experiment can't be edited. */}
          {recorded === undefined ? toolbar : null}
          {recorded ?? (view === 'score' && beside ? <ScoreAndCode /> : views[view])}
        </div>
      </Panel>
      <Separator className={shared['separatorAcross']} aria-label="Resize the score" />
      <Panel id="timeline" minSize={leastLanes}>
        {instead ?? timeline}
      </Panel>
    </Group>
  );
}

function heightOf(now: AppState): number {
  const experiment = currentExperiment(now);
  return Math.max(
    experiment === null ? 0 : scoreHeight(experiment),
    now.page.kind === 'experiment' ? leastScoreHeight : 0,
  );
}

const heightNow = (): number => heightOf(state());

/** Follows the number of rows. While a button is pressed nothing may move under the pointer. */
function ScoreHeight({ onChange }: { readonly onChange: (height: number) => void }) {
  const height = useApp(heightOf);
  const isPressed = useRef(false);
  const latest = useRef(height);
  useLayoutEffect(() => {
    latest.current = height;
    if (!isPressed.current) onChange(height);
  }, [height, onChange]);
  useEffect(() => {
    const onPointer = ({ type, buttons }: PointerEvent): void => {
      isPressed.current = type === 'pointerdown' || buttons > 0;
      if (!isPressed.current) onChange(latest.current);
    };
    const kinds = ['pointerdown', 'pointerup', 'pointercancel'] as const;
    for (const kind of kinds) window.addEventListener(kind, onPointer, true);
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, onPointer, true);
    };
  }, [onChange]);
  return null;
}

/** The blocks need room too in a narrow window. */
const codePanel = { id: 'code', name: 'code-beside', size: window.innerWidth < 1600 ? 270 : 540 };

/** The same program twice: as blocks and as code. */
function ScoreAndCode() {
  const sizes = usePanelSizes([codePanel]);
  return (
    <Group className={shared['panels']} {...sizes}>
      <Panel id="blocks" minSize={200}>
        <div className={classes['score']}>{score}</div>
      </Panel>
      <Separator className={shared['separator']} aria-label="Resize the code" />
      <Panel
        id="code"
        defaultSize={panelSize(codePanel)}
        minSize={180}
        maxSize="70%"
        groupResizeBehavior="preserve-pixel-size"
      >
        <div className={classes['score']}>{code}</div>
      </Panel>
    </Group>
  );
}

interface Problem {
  readonly title: string;
  readonly error: ErrorInfo;
  /** Retries the action; null if that can't help. */
  readonly retry: (() => void) | null;
}

/** Returns the reason why there is nothing to show: the document or the opened run can't be read. */
function useDocumentProblem(): Problem | null {
  const page = useApp((state) => state.page);
  const ready = useApp((state) => state.libraryReady);
  const documentError = useApp((state) => errorOf(state.documents[pageDocumentKey(state) ?? '']));
  const known = useApp((state) => page.kind !== 'run' || state.runs[page.id] !== undefined);
  const runError = useApp((state) => (page.kind === 'run' ? errorOf(state.loadedRuns[page.id]) : null));
  const status = useApp((state) => (page.kind === 'run' ? state.runs[page.id]?.status : undefined));
  if (documentError !== null) {
    return { title: 'This experiment can’t be opened', error: documentError, retry: retryDocument };
  }
  if (page.kind !== 'run') return null;
  if (runError !== null) return runProblem(status, runError, () => retryRun(page.id));
  if (known || !ready) return null;
  const missing = {
    code: 'run.not-found',
    message: 'There is no run of this name.',
    remedy: 'Pick one from the library.',
  };
  return { title: 'This run is not here', error: missing, retry: null };
}

/** Returns the error alone, since the loaded object changes with each edit. */
const errorOf = (loaded: Loading<unknown> | undefined): ErrorInfo | null =>
  loaded?.status === 'failed' ? loaded.error : null;

function runProblem(status: string | undefined, error: ErrorInfo, retry: () => void): Problem {
  if (status === 'failed') return { title: 'This run failed', error, retry: null };
  if (status === 'cancelled') return { title: 'This run was cancelled', error, retry: null };
  return { title: 'This run can’t be opened', error, retry };
}

function DocumentProblem({ title, error, retry }: Problem) {
  return (
    <EmptyState icon={<IconAlertTriangle size={26} />} title={title} alert isPage>
      <ErrorText error={error} />
      {retry === null ? null : (
        <Button variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </EmptyState>
  );
}
