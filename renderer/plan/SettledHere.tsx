/** Predictions made with a profile, and the gains measured on this machine. */
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import { columns, type TableBlock } from '../../core/present/blocks.ts';
import { percentText, titleOf } from '../../core/present/plan.ts';
import { heldWords, type SettledPrediction } from '../../core/service/settled.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import { useAnswer } from '../common/hooks.ts';
import { ErrorText } from '../common/Page.tsx';
import { host } from '../store/host.ts';
import { useApp } from '../store/store.ts';
import classes from './Plan.module.css';

type Found = { readonly settled: readonly SettledPrediction[] } | { readonly error: ErrorInfo };

export function SettledHere({ profile }: { readonly profile: string }) {
  const connected = useApp((state) => state.connection.status === 'open');
  const ask = (): Promise<Found> =>
    host()
      .settled(profile)
      .then(
        (settled) => ({ settled }),
        (thrown: unknown) => ({ error: toErrorInfo(thrown) }),
      );
  const found = useAnswer(connected ? profile : null, ask);
  if (found === null) return null;
  return (
    <section aria-label="Settled predictions">
      {'error' in found ? (
        <ErrorText error={found.error} />
      ) : found.settled.length === 0 ? (
        <p className={classes['note']}>
          No prediction with this profile has been settled yet. Change the program, record it again, and compare the two
          traces.
        </p>
      ) : (
        <Blocks blocks={[table(found.settled)]} />
      )}
    </section>
  );
}

const table = (settled: readonly SettledPrediction[]): TableBlock => ({
  kind: 'table',
  title: 'Settled predictions',
  about: `Gain on the step, with its 90 % interval: ${heldWords(settled)}`,
  columns: columns('Made', 'Predicted', 'Measured', 'Interval'),
  rows: settled.map(({ before, after, changes, predictedShare, lowShare, highShare, measuredShare, holds }) => ({
    cells: [
      titleOf(changes),
      `${percentText(predictedShare)}, ${percentText(lowShare)} to ${percentText(highShare)}`,
      percentText(measuredShare),
      holds ? 'held' : 'missed',
    ],
    detail: `${before.name} → ${after.name}`,
  })),
});
