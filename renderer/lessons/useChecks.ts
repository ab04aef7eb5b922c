/** The checks of the open step, repeated when its experiment changes. */
import { useEffect, useState } from 'react';
import { experimentsOf, type StepRequest, type StepResult } from '../../core/apps/lessons/evaluate.ts';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { Run } from '../../core/trace/run.ts';
import { CalledWorker } from '../common/workerCalls.ts';
import { chosenProfile } from '../predict/usePrediction.ts';
import { change } from '../store/lessonView.ts';
import { announce } from '../store/notify.ts';
import { currentExperiment } from '../store/select.ts';
import { state, useApp } from '../store/store.ts';
import type { CheckCalls } from './checkWorker.ts';
import { givenExperiment, type OpenStep, readRecording, recordingOf } from './useLesson.ts';

/** The window's side of the worker that checks lessons. */
const worker = new CalledWorker<CheckCalls>(
  () => new Worker(new URL('./checkWorker.ts', import.meta.url), { type: 'module', name: 'lessons' }),
  (why) => ({ code: 'lesson.worker-ended', message: `The checks ended early: ${why}.` }),
);

/** Rejects with a CopyscopeError if an experiment can't be executed, or the worker ended. */
const askChecks = (request: StepRequest): Promise<StepResult> => worker.calls.evaluateStep(request);

/** While a check runs, `result` is that of the check before, or null. */
export type Checked =
  | { readonly status: 'none' | 'checking'; readonly result: StepResult | null }
  /** `number` counts the checks, so that views can tell a new result from the last. */
  | { readonly status: 'checked'; readonly result: StepResult; readonly number: number }
  | { readonly status: 'failed'; readonly result: null; readonly error: ErrorInfo };

const unchecked = { status: 'none', result: null } as const;

let checks = 0;

/** Long enough that typing a number asks once. */
const pauseMs = 120;

export function useChecks(open: OpenStep | null): Checked {
  const experiment = useApp(currentExperiment);
  const engine = useApp((all) => all.engine);
  const profiles = useApp((all) => all.profiles);
  const [checked, setChecked] = useState<Checked>(unchecked);
  const { lesson, step, index, waits, document } = open ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: progress changes with every answer, and decides nothing here; another engine may mean another profile.
  useEffect(() => {
    if (open === null || waits || document === null || experiment === null) {
      setChecked(unchecked);
      return;
    }
    let current = true;
    setChecked(({ status, result }) => ({ status: 'checking', result: status === 'checked' ? result : null }));
    const timer = setTimeout(
      () =>
        void check(open).then(
          (result) => {
            if (!current) return;
            checks += 1;
            setChecked({ status: 'checked', result, number: checks });
            notePassed(open, result);
          },
          (thrown: unknown) => {
            if (current) setChecked({ status: 'failed', result: null, error: toErrorInfo(thrown) });
          },
        ),
      pauseMs,
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [lesson, step, index, waits, document, experiment, engine, profiles]);
  return checked;
}

async function check({ lesson, step }: OpenStep): Promise<StepResult> {
  const profile = await chosenProfile();
  if (profile === null) throw new Error('There is no device profile to simulate with.');
  const names = experimentsOf({ step });
  const given = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await givenExperiment(lesson, name)] as const)),
  );
  const recorded: Record<string, Run> = {};
  for (const name of names) {
    const run = await readRecording(recordingOf(lesson, name));
    if (run !== null) recorded[name] = run;
  }
  const experiment = step.task === undefined ? null : currentExperiment(state());
  const { shown, task, holds, question } = step;
  return askChecks({
    step: { shown, holds, ...(task === undefined ? {} : { task }), ...(question === undefined ? {} : { question }) },
    experiment,
    given,
    recorded,
    profile,
  });
}

/** Notes a passed task. It stays passed. */
function notePassed({ lesson, index, progress }: OpenStep, { task }: StepResult): void {
  if (task.length === 0 || !task.every(({ holds }) => holds) || progress.passed.includes(index)) return;
  change(lesson.id, { passed: [...progress.passed, index] });
  announce('Task done: all checks passed.');
}
