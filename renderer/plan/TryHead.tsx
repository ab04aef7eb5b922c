/** The head above the tried lanes: simulated or measured, their gain, and further actions on the changes. */
import { Button, Menu, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { durationText, gainText } from '../../core/present/plan.ts';
import { OriginBadge } from '../common/marks.tsx';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { currentEngineOptions } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import { compareChanges } from './actions.ts';
import { cancelMeasuring, measureChanges } from './measure.ts';
import classes from './Plan.module.css';
import { chosenGain, measuredKey, type PlanState, setTrying, showMeasured } from './planStore.ts';

interface HeadProps {
  readonly run: LoadedRun;
  readonly plan: PlanState;
  readonly measured: readonly [LoadedRun, LoadedRun] | null;
}

export function TryHead({ run, plan, measured }: HeadProps) {
  const [doing, setDoing] = useState<'measuring' | 'comparing' | null>(null);
  const during = async (what: 'measuring' | 'comparing', work: Promise<void>): Promise<void> => {
    setDoing(what);
    await work;
    setDoing(null);
  };
  const none = plan.choice.length === 0;
  return (
    <header className={classes['tryHead']}>
      <h2>Before and after</h2>
      <OriginBadge origin={measured === null ? 'simulated' : 'measured'} />
      <WhichLanes run={run} plan={plan} measured={measured} />
      {measured === null ? <GainOfStep plan={plan} /> : <MeasuredGain plan={plan} measured={measured} />}
      <div className={classes['tryButtons']}>
        <Button variant="default" size="compact-xs" onClick={() => void setTrying(run, false)}>
          Show the recording
        </Button>
        <MeasureMenu
          isDisabled={doing !== null || none}
          onPick={(engine) => void during('measuring', measureChanges(run, plan.choice, engine))}
        />
        {doing === 'measuring' ? (
          <Button variant="default" size="compact-xs" onClick={() => void cancelMeasuring()}>
            Cancel
          </Button>
        ) : (
          <Button
            variant="default"
            size="compact-xs"
            loading={doing === 'comparing'}
            disabled={none}
            onClick={() => void during('comparing', compareChanges(run, plan.choice))}
          >
            Compare as runs
          </Button>
        )}
      </div>
    </header>
  );
}

/** A switch between simulated and measured lanes, shown after a measurement. */
function WhichLanes({ run, plan, measured }: HeadProps) {
  const engines = useExecuting().filter(({ key }) => plan.measured[measuredKey(key, plan.choice)] !== undefined);
  if (engines.length === 0 || plan.choice.length === 0) return null;
  return (
    <SegmentedControl
      size="xs"
      aria-label="Lanes"
      value={(measured === null ? null : plan.measuredOn) ?? ''}
      onChange={(key) => showMeasured(run.id, key === '' ? null : key)}
      data={[
        { value: '', label: 'Simulated' },
        ...engines.map(({ key, label }) => ({ value: key, label: `Measured: ${label}` })),
      ]}
    />
  );
}

/** Returns the available engines that really execute programs. */
const useExecuting = () =>
  useApp(
    useShallow((state) =>
      currentEngineOptions(state).filter(
        ({ key, problem }) => problem === undefined && (key === 'cuda' || key === 'cpu'),
      ),
    ),
  );

function MeasureMenu(props: { readonly isDisabled: boolean; readonly onPick: (engine: string) => void }) {
  const engines = useExecuting();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" size="compact-xs" disabled={props.isDisabled || engines.length === 0}>
          Measure…
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Runs the lifted steps with spinning kernels</Menu.Label>
        {engines.map(({ key, label, detail }) => (
          <Menu.Item key={key} onClick={() => props.onPick(key)}>
            {label}
            <small className={classes['engineDetail']}>{detail}</small>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** One line: the recorded step, the simulated one, and the gain with its interval. */
function GainOfStep({ plan }: { readonly plan: PlanState }) {
  const { steps, choice } = plan;
  const gain = chosenGain(plan);
  if (steps === null) return null;
  return (
    <p className={`${classes['tryGain']} tabular`}>
      <span>
        Step recorded {durationText(steps.medianNs)}; simulated without the profiler {durationText(steps.unprofiledNs)}
        {choice.length === 0 || gain === null ? null : (
          <>
            , with the changes <strong>{durationText(gain.stepNs)}</strong>
          </>
        )}
      </span>
      {choice.length === 0 || gain === null ? null : <Gain gain={gainText(gain, steps.unprofiledNs)} />}
    </p>
  );
}

const Gain = ({ gain }: { readonly gain: ReturnType<typeof gainText> }) => (
  <span className={classes['gain']} data-tone={gain.tone}>
    Gain <strong>{gain.time}</strong> (90 % interval)
  </span>
);

/** One line: the measured time of the lifted steps on the engine, and the prediction for a step. */
function MeasuredGain({ plan, measured }: Pick<HeadProps, 'plan'> & { measured: readonly [LoadedRun, LoadedRun] }) {
  const { steps, choice } = plan;
  const gain = chosenGain(plan);
  const [before, after] = measured.map((run) => run.view(null).makespanNs) as [number, number];
  const share = Math.round(100 * (1 - after / before));
  return (
    <p className={`${classes['tryGain']} tabular`}>
      <span>
        The lifted steps took {durationText(before)}
        {choice.length === 0 ? '' : `, with the changes ${durationText(after)}`}
      </span>
      <span className={classes['gain']} data-tone={share > 0 ? 'good' : 'bad'}>
        Measured gain <strong>{share} %</strong>
      </span>
      {gain === null || steps === null ? null : (
        <span>Predicted of a step: {gainText(gain, steps.unprofiledNs).share} (90 % interval)</span>
      )}
    </p>
  );
}
