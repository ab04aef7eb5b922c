/** The frame: library, centre and inspector in resizable panels, the top bar above and the status line below. */

import { Button, Kbd, Loader, Modal, VisuallyHidden } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import { runTitle } from '../../core/service/service.ts';
import { commandOf, shownKeys } from '../commands/command.ts';
import shared from '../common/Panels.module.css';
import { ComparePage } from '../compare/ComparePage.tsx';
import { DocumentPage } from '../document/DocumentPage.tsx';
import { DropZone } from '../files/DropZone.tsx';
import { reportShown } from '../files/exportReports.ts';
import { Transfers } from '../files/Transfers.tsx';
import { Inspector } from '../inspector/Inspector.tsx';
import { SidePanel } from '../library/Library.tsx';
import { usePrediction } from '../predict/usePrediction.ts';
import { Paper } from '../report/Paper.tsx';
import { DragLayer } from '../score/DragLayer.tsx';
import { OperationPicker } from '../score/OperationPicker.tsx';
import { desktopBridge } from '../store/connection/channel.ts';
import { connect } from '../store/connection/connect.ts';
import { useAnnouncement } from '../store/notify.ts';
import { ensureRun } from '../store/runs.ts';
import { currentExperiment, shownRunId } from '../store/select.ts';
import { type HidablePanel, useSidePanels } from '../store/sidePanels.ts';
import { assign, Following, useApp } from '../store/store.ts';
import { useSweeps } from '../store/sweeps.ts';
import type { AppState, Page } from '../store/types.ts';
import { panelSize, usePanelSizes } from '../store/usePanelSizes.ts';
import { useReachedArea } from './areas.ts';
import { CommandPalette } from './CommandPalette.tsx';
import { areas, helpCommand, outsideFields, paletteCommands, windowKeys } from './commands.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Licences } from './Licences.tsx';
import classes from './Shell.module.css';
import { StartQuestion } from './StartQuestion.tsx';
import { StatusLine } from './StatusLine.tsx';
import { TopBar } from './TopBar.tsx';
import { WelcomePage } from './WelcomePage.tsx';

/**
 * A page with other panels recreates all of them, and the focused element disappears. The focus then goes to the page's
 * line in the library if it was there, else to the page.
 */
const library = 'section[aria-label="Library"]';

/** `place` changes whenever the focused element may have gone with the previous page. */
function usePageFocus(place: string): void {
  const last = useRef<{ readonly element: Element; readonly inLibrary: boolean } | null>(null);
  useEffect(() => {
    const note = ({ target }: FocusEvent): void => {
      if (target instanceof Element) last.current = { element: target, inLibrary: target.closest(library) !== null };
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is for each place that is gone to.
  useEffect(() => {
    if (last.current === null || last.current.element.isConnected || document.activeElement !== document.body) return;
    const target = last.current.inLibrary ? `${library} [aria-current="page"]` : '[data-page]';
    document.querySelector<HTMLElement>(target)?.focus({ preventScroll: true });
  }, [place]);
}

function Announcer() {
  const { text, number } = useAnnouncement();
  return (
    <VisuallyHidden role="status" aria-live="polite" data-testid="announcement">
      <span key={number}>{text}</span>
    </VisuallyHidden>
  );
}

/** Says that the host is gone, and what the window does about it. The content stays on screen. */
function ConnectionBanner() {
  const { status, problem } = useApp((state) => state.connection);
  const known = useApp((state) => state.libraryReady);
  if (status === 'open') return null;
  if (status === 'connecting') {
    return known ? (
      <div className={shared['banner']} role="status">
        <Loader size={14} /> Connecting to the host…
      </div>
    ) : null;
  }
  const ended = problem?.code === 'connection.ended';
  return (
    <div className={shared['banner']} data-lost role="alert">
      <IconPlugConnectedX size={18} aria-hidden />
      {ended ? (
        <span>
          <strong>This window has no session.</strong> {problem.message} {problem.remedy}
        </span>
      ) : (
        <span>
          <strong>Not connected.</strong> {problem?.message} Trying again automatically. {problem?.remedy}
        </span>
      )}
      <Button variant="default" onClick={connect}>
        Reconnect
      </Button>
    </div>
  );
}

/** Loaded when a lesson is opened. */
const lessons = () => import('../lessons/index.ts');
const LessonsPage = lazy(async () => ({ default: (await lessons()).LessonsPage }));
const LessonSide = lazy(async () => ({ default: (await lessons()).LessonSide }));
const LessonCentre = lazy(async () => ({ default: (await lessons()).LessonCentre }));
const GlossaryPage = lazy(async () => ({ default: (await lessons()).GlossaryPage }));
/** Loaded when a sweep, recording, remote host or chart is opened. */
const SweepPage = lazy(async () => ({ default: (await import('../sweep/SweepPage.tsx')).SweepPage }));
const SetupPage = lazy(async () => ({ default: (await import('../sweep/SetupPage.tsx')).SetupPage }));
const RecordPage = lazy(async () => ({ default: (await import('../record/RecordPage.tsx')).RecordPage }));
const RemotePage = lazy(async () => ({ default: (await import('./RemotePage.tsx')).RemotePage }));
const ChartsPage = lazy(async () => ({ default: (await import('../charts/ChartsPage.tsx')).ChartsPage }));

export function Shell() {
  const page = useApp((state) => state.page);
  useShownRun();
  useTitle();
  useWindowKeys();
  useReachedArea();
  usePrediction();
  const panels = useSidePanels();
  const [left, inspector] = panels;
  const sizes = usePanelSizes(panels);
  const panelKey = panels.map(({ id }) => id).join();
  // Pages that replace one document with another return the focus themselves.
  usePageFocus(inspector === undefined ? `${panelKey} ${page.kind}` : panelKey);
  return (
    <div className={classes['shell']}>
      <button
        type="button"
        className={classes['skip']}
        onClick={() => document.querySelector<HTMLElement>('[data-page]')?.focus()}
      >
        Skip to the page
      </button>
      <Following>
        <TopBar />
      </Following>
      <ConnectionBanner />
      <main className={classes['main']}>
        <DragLayer>
          <Group className={shared['panels']} {...sizes} key={panelKey}>
            {left === undefined ? null : left.id === 'library' ? (
              <Side panel={left} area="The library" minSize={190} maxSize={420}>
                <Following>
                  <SidePanel />
                </Following>
              </Side>
            ) : (
              <Side panel={left} area="The lesson" minSize={300} maxSize={960}>
                <Suspense fallback={null}>
                  <LessonSide />
                </Suspense>
              </Side>
            )}
            {left === undefined || left.hidden ? null : (
              <Separator
                className={shared['separator']}
                aria-label={left.id === 'library' ? 'Resize the library' : 'Resize the lesson'}
              />
            )}
            <Panel id="centre" minSize={420}>
              <div className={classes['centre']} data-page tabIndex={-1}>
                <ErrorBoundary area="This page" key={page.kind}>
                  <Centre />
                </ErrorBoundary>
              </div>
            </Panel>
            {inspector === undefined ? null : (
              <>
                {inspector.hidden ? null : (
                  <Separator className={shared['separator']} aria-label="Resize the inspector" />
                )}
                <Side panel={inspector} area="The inspector" minSize={250} maxSize={520}>
                  <Following>
                    <Inspector />
                  </Following>
                </Side>
              </>
            )}
          </Group>
        </DragLayer>
      </main>
      <Transfers />
      <Following>
        <StatusLine />
      </Following>
      <DropZone />
      <HelpOverlay />
      <Licences />
      <StartQuestion />
      <CommandPalette />
      <OperationPicker />
      <Announcer />
      <Paper />
    </div>
  );
}

interface SideProps {
  readonly panel: HidablePanel;
  /** Name of the panel in an error message. */
  readonly area: string;
  readonly minSize: number;
  readonly maxSize: number;
  readonly children: ReactNode;
}

/** A panel next to the centre. It keeps its width when the window changes, and can be hidden. */
function Side({ panel, area, children, ...limits }: SideProps) {
  return (
    <Panel
      id={panel.id}
      defaultSize={panelSize(panel)}
      {...limits}
      groupResizeBehavior="preserve-pixel-size"
      collapsible
    >
      <ErrorBoundary area={area}>{panel.hidden ? null : children}</ErrorBoundary>
    </Panel>
  );
}

const lessonTitle = (state: AppState, id: string): string | undefined =>
  state.lessons.find((lesson) => lesson.id === id)?.title;

function pageName(state: AppState): string | undefined {
  if (state.page.kind === 'compare') return 'Comparison';
  if (state.page.kind === 'lessons') return 'Lessons';
  if (state.page.kind === 'glossary') return 'Glossary';
  if (state.page.kind === 'lesson') return lessonTitle(state, state.page.id);
  if (state.page.kind === 'sweep-setup') return 'New sweep';
  if (state.page.kind === 'charts') return 'Charts';
  if (state.page.kind === 'record') return 'Record a program';
  if (state.page.kind === 'remote') return 'Remote hosts';
  const run = state.page.kind === 'run' ? state.runs[state.page.id] : undefined;
  return run === undefined ? currentExperiment(state)?.name : runTitle(run);
}

const textFields = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable]';

/** Runs the commands of keys, and of the desktop app's menu. */
function useWindowKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isField = event.target instanceof Element && event.target.closest(textFields) !== null;
      const first = event.eventPhase === Event.CAPTURING_PHASE;
      const command = first ? commandOf(windowKeys, event) : isField ? undefined : commandOf(outsideFields, event);
      if (command === undefined || event.defaultPrevented) return;
      event.preventDefault();
      // A list or menu would take the Enter of Ctrl+Enter.
      event.stopPropagation();
      void command.run();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    window.addEventListener('keydown', onKey);
    // Set once: the menu's listener stays as long as the page.
    desktopBridge()?.onCommand((id) => void paletteCommands.find((command) => command.id === id)?.run());
    return () => {
      window.removeEventListener('keydown', onKey, { capture: true });
      window.removeEventListener('keydown', onKey);
    };
  }, []);
}

/** Names the open page in the browser's tab and the task bar. */
function useTitle(): void {
  const page = useApp((state) => state.page);
  const sweep = useSweeps(({ summaries }) => (page.kind === 'sweep' ? (summaries[page.id]?.name ?? 'Sweep') : null));
  const other = useApp((state) => pageName(state));
  const name = sweep ?? other;
  useEffect(() => {
    document.title = name === undefined ? 'Copyscope' : `${name} · Copyscope`;
  }, [name]);
}

function Centre() {
  const kind = useApp((state) => state.page.kind);
  if (kind === 'compare') return <ComparePage />;
  if (kind === 'welcome') return <WelcomePage />;
  if (kind === 'example' || kind === 'experiment' || kind === 'run') return <DocumentPage />;
  return (
    <Suspense fallback={null}>
      <LatePage kind={kind} />
    </Suspense>
  );
}

/** Pages that are loaded on demand. */
function LatePage({ kind }: { readonly kind: Page['kind'] }) {
  switch (kind) {
    case 'lessons':
      return <LessonsPage />;
    case 'lesson':
      return <LessonCentre />;
    case 'glossary':
      return <GlossaryPage />;
    case 'sweep':
      return <SweepPage onReport={() => void reportShown()} />;
    case 'sweep-setup':
      return <SetupPage />;
    case 'record':
      return <RecordPage />;
    case 'remote':
      return <RemotePage />;
    case 'charts':
      return <ChartsPage />;
    default:
      return null;
  }
}

/** Reads the shown run when it is known and complete. */
function useShownRun(): void {
  const id = useApp(shownRunId);
  const pageRun = useApp((state) => (state.page.kind === 'run' ? state.page.id : null));
  const status = useApp((state) => (id === null ? undefined : state.runs[id]?.status));
  const connected = useApp((state) => state.connection.status === 'open');
  useEffect(() => {
    if (!connected) return;
    if (id !== null && status !== undefined) void ensureRun(id);
    if (pageRun !== null) void ensureRun(pageRun);
  }, [id, status, pageRun, connected]);
}

function HelpOverlay() {
  const opened = useApp((state) => state.helpOpen);
  return (
    <Modal opened={opened} onClose={() => assign({ helpOpen: false })} title={helpCommand.name} size={880}>
      <div className={classes['sections']}>
        {areas.map(({ title, commands, gestures = [] }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {[...commands, ...gestures].map(({ keys = [], name, help = name }) => (
                <div key={help}>
                  <dt>
                    {keys.map((key) => (
                      <Kbd key={key}>{shownKeys(key)}</Kbd>
                    ))}
                  </dt>
                  <dd>{help}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
