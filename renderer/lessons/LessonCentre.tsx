/** The centre next to the lesson's text: the experiment's score, and the timeline when it has content. */
import { Button, Loader, SegmentedControl, Text } from '@mantine/core';
import { IconAlertTriangle, IconBook2, IconHelpCircle } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { operationsOf } from '../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { EmptyState, ErrorText } from '../common/Page.tsx';
import { presentedZoom, setZoomed } from '../common/zoomed.ts';
import { ScoreAndTimeline } from '../document/DocumentPage.tsx';
import { EnginePicker } from '../engine/EnginePicker.tsx';
import { RunButton } from '../engine/RunButton.tsx';
import { setEditor } from '../score/editor.ts';
import { effectiveEngine, parseEngineKey } from '../store/engines.ts';
import { useLessonView } from '../store/lessonView.ts';
import { openPage } from '../store/pages.ts';
import { ensureRun, pickRun } from '../store/runs.ts';
import { currentEngineOptions, currentExperiment, predictionId, shownRunId } from '../store/select.ts';
import { select, useApp, useDerived } from '../store/store.ts';
import classes from './Lesson.module.css';
import { RecordedScore, useRecordedOfOther } from './RecordedScore.tsx';
import { useExtent } from './useExtent.ts';
import { type OpenStep, recordingOf, useLessonFile, useOpenStep } from './useLesson.ts';

export function LessonCentre() {
  const open = useOpenStep();
  useExtent(open);
  const file = useLessonFile();
  const id = open?.lesson.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each lesson speaks of the score.
  useEffect(() => setEditor({ view: 'score' }), [id]);
  const experiment = useApp(currentExperiment);
  const failed = useApp((state) => {
    const document = state.documents[state.lessonDocument ?? ''];
    return document?.status === 'failed' ? document.error : null;
  });
  if (file?.status === 'failed') {
    return (
      <EmptyState icon={<IconBook2 size={26} />} title="No lesson is open">
        <Button variant="default" onClick={() => openPage({ kind: 'lessons' })}>
          All lessons
        </Button>
      </EmptyState>
    );
  }
  if (failed !== null) {
    return (
      <EmptyState icon={<IconAlertTriangle size={26} />} title="This experiment can’t be opened" alert>
        <ErrorText error={failed} />
      </EmptyState>
    );
  }
  if (open !== null && open.document === null) {
    return (
      <EmptyState icon={<IconBook2 size={26} />} title="Nothing to run in this step">
        <Text c="dimmed">Read on: the next steps have an experiment.</Text>
      </EmptyState>
    );
  }
  if (open === null || experiment === null) {
    return (
      <EmptyState icon={<Loader size={22} />} title="Opening…">
        <Text c="dimmed">Reading it from the host.</Text>
      </EmptyState>
    );
  }
  return <Open open={open} experiment={experiment} />;
}

function Open({ open, experiment }: { readonly open: OpenStep; readonly experiment: Experiment }) {
  const centre = useRef<HTMLDivElement>(null);
  useShownLanes(centre, open);
  useShownOperations(open, experiment);
  const other = useRecordedOfOther(open);
  const presenting = useLessonView((view) => view.presenting);
  // Set before the children draw. Each change recreates the panels next to this component, and the component itself.
  setZoomed(presenting);
  return (
    // Lanes of another size are another picture, so both are drawn again.
    <div
      className={classes['centre']}
      ref={centre}
      key={presenting ? 'presented' : 'read'}
      data-presenting={presenting || undefined}
      style={presenting ? { zoom: presentedZoom() } : {}}
    >
      <Bar open={open} experiment={experiment} />
      <ScoreAndTimeline
        zoom={presenting ? presentedZoom() : 1}
        {...(other === null ? {} : { recorded: <RecordedScore open={open} experiment={other} /> })}
        {...(open.waits
          ? {
              instead: (
                <EmptyState icon={<IconHelpCircle size={26} />} title="What do you expect?">
                  <Text c="dimmed">The lanes appear when you have answered.</Text>
                </EmptyState>
              ),
            }
          : {})}
      />
    </div>
  );
}

/** The shown run, and the controls that run the experiment elsewhere. */
function Bar({ open, experiment }: { readonly open: OpenStep; readonly experiment: Experiment }) {
  const presenting = useLessonView((view) => view.presenting);
  const shown = useApp(shownRunId);
  const simulates = useSimulates();
  const { document, lesson, step, waits } = open;
  const recording = recordingOf(lesson, step.shown?.name ?? '');
  const device = useApp((state) => (recording === null ? undefined : state.runs[recording]?.device));
  return (
    <div className={classes['bar']}>
      <strong title={experiment.description}>{experiment.name}</strong>
      {recording === null || device === undefined || document === null || waits ? null : (
        <SegmentedControl
          size="xs"
          aria-label="Run shown"
          data={[
            { value: 'simulated', label: 'Simulated' },
            { value: 'recorded', label: `Recorded: ${device}` },
          ]}
          value={shown === recording ? 'recorded' : 'simulated'}
          onChange={(value) => {
            if (value === 'recorded') void ensureRun(recording);
            pickRun(value === 'recorded' ? recording : predictionId(document));
          }}
        />
      )}
      {recording === null && !waits ? <span className={classes['none']}>No recorded run yet</span> : null}
      {presenting || waits ? null : (
        <span className={classes['run']}>
          <EnginePicker />
          {simulates ? null : <RunButton />}
        </span>
      )}
    </div>
  );
}

/** Returns true if the simulator is chosen. Its run is always up to date, so running would change nothing. */
function useSimulates(): boolean {
  const options = useDerived(currentEngineOptions);
  const engine = effectiveEngine(
    options,
    useApp((state) => state.engine),
  );
  return engine !== null && parseEngineKey(engine).kind === 'sim';
}

/** Marks the lanes that the step names in the lists of lanes of score and timeline. */
function useShownLanes(centre: React.RefObject<HTMLDivElement | null>, { step }: OpenStep): void {
  useEffect(() => {
    const element = centre.current;
    const lanes = new Set((step.show?.lanes ?? []).map((name) => name.toLowerCase()));
    if (element === null) return;
    const mark = (): void => {
      for (const lane of element.querySelectorAll<HTMLElement>('[data-lane-id], [data-kind][style] > [title]')) {
        const name = lane.querySelector('span')?.textContent?.toLowerCase() ?? '';
        lane.toggleAttribute('data-lesson-lane', lanes.has(name));
      }
    };
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [centre, step]);
}

/** Selects the operations that the step names, once, so that score and timeline show them. */
function useShownOperations({ step, waits }: OpenStep, experiment: Experiment): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the experiment must not take the selection.
  useEffect(() => {
    const wanted = step.show?.operations ?? [];
    if (wanted.length === 0) return;
    const labelled = operationsOf(experiment).filter(({ label, op }) => wanted.includes(label ?? op));
    const [id, ...others] = labelled.map((operation) => operation.id);
    if (id !== undefined) select({ kind: 'op', id, others });
  }, [step, waits]);
}
