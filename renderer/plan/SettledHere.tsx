/** Predictions made with a profile, and the gains measured on this machine. */
import { useEffect, useState } from 'react';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import { heldWords, type SettledPrediction } from '../../core/service/settled.ts';
import { unbroken } from '../../core/units.ts';
import { ErrorText } from '../common/Page.tsx';
import { host } from '../store/host.ts';
import { useApp } from '../store/store.ts';
import classes from './Plan.module.css';
import { percentText, titleOf } from './words.ts';

type Found = { readonly settled: readonly SettledPrediction[] } | { readonly error: ErrorInfo };

export function SettledHere({ profile }: { readonly profile: string }) {
  const connected = useApp((state) => state.connection.status === 'open');
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    if (!connected) return;
    let isLate = false;
    void host()
      .settled(profile)
      .then(
        (settled) => ({ settled }),
        (thrown: unknown) => ({ error: toErrorInfo(thrown) }),
      )
      .then((answer) => isLate || setFound(answer));
    return () => {
      isLate = true;
    };
  }, [profile, connected]);
  if (found === null) return null;
  return (
    <section aria-label="Settled predictions">
      <h3>Settled on this machine</h3>
      {'error' in found ? (
        <ErrorText error={found.error} />
      ) : found.settled.length === 0 ? (
        <p className={classes['note']}>
          No prediction with this profile has been settled yet. Change the program, record it again, and compare the two
          traces.
        </p>
      ) : (
        <>
          <p>Gain on the step, with its 90 % interval: {heldWords(found.settled)}</p>
          <Table settled={found.settled} />
        </>
      )}
    </section>
  );
}

function Table({ settled }: { readonly settled: readonly SettledPrediction[] }) {
  return (
    <table className={`${classes['table']} tabular`} aria-label="Settled predictions">
      <thead>
        <tr>
          <th scope="col">Made</th>
          <th scope="col">Predicted</th>
          <th scope="col">Measured</th>
          <th scope="col">Interval</th>
        </tr>
      </thead>
      <tbody>
        {settled.map(({ before, after, changes, predictedShare, lowShare, highShare, measuredShare, holds }) => (
          <tr key={`${before.name} ${before.recordedAt} ${after.name} ${after.recordedAt}`}>
            <th scope="row" title={`${before.name} → ${after.name}`}>
              {titleOf(changes)}
            </th>
            <td>
              {percentText(predictedShare)}, {unbroken(`${percentText(lowShare)} to ${percentText(highShare)}`)}
            </td>
            <td>{percentText(measuredShare)}</td>
            <td>{holds ? 'held' : 'missed'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
