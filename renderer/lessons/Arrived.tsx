/** The data that arrived in the recorded run: each buffer, and its number of wrong bytes. */
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { VerificationCheck } from '../../core/trace/run.ts';
import { formatShare } from '../../core/units.ts';
import { formatDay } from '../common/time.ts';
import { useApp } from '../store/store.ts';
import classes from './Arrived.module.css';
import type { Checked } from './useChecks.ts';
import { type OpenStep, recordingOf } from './useLesson.ts';

export function Arrived({ open, checked }: { readonly open: OpenStep; readonly checked: Checked }) {
  const { lesson, step } = open;
  const recording = recordingOf(lesson, step.shown?.name ?? '');
  const run = useApp((state) => (recording === null ? undefined : state.runs[recording]));
  const { result } = checked;
  if (result === null || result.data.length === 0 || run === undefined) return null;
  return (
    <section className={classes['arrived']} aria-label="Arrived data">
      <h3>Arrived data</h3>
      <p className={classes['from']}>
        Recorded: {run.device}, {formatDay(run.createdAt)}
      </p>
      <ul className={classes['buffers']}>
        {result.data.map((check) => (
          <Compared key={`${check.kind}:${check.buffer}:${check.op}`} check={check} />
        ))}
      </ul>
    </section>
  );
}

const count = (value: number): string => value.toLocaleString('en-US');

function Compared({
  check: { kind, buffer, bytesChecked, bytesWrong, firstWrong },
}: {
  readonly check: VerificationCheck;
}) {
  const wrong = bytesWrong > 0;
  const share = bytesChecked > 0 ? bytesWrong / bytesChecked : 0;
  return (
    <li className={classes['buffer']} data-wrong={wrong || undefined}>
      {wrong ? <IconCircleX size={16} aria-hidden /> : <IconCircleCheck size={16} aria-hidden />}
      <div>
        <span>
          <code>{buffer}</code> {kind === 'read' ? 'as the host read it, over all iterations' : 'at the end'}
        </span>
        <strong className="tabular">
          {wrong
            ? `${count(bytesWrong)} of ${count(bytesChecked)} bytes are wrong`
            : `All of ${count(bytesChecked)} bytes are right`}
        </strong>
        {wrong ? (
          <>
            <span className={classes['bar']} aria-hidden>
              <span style={{ width: `${share * 100}%` }} />
            </span>
            <small className="tabular">
              {formatShare(share)}, the first at byte {count(firstWrong)}
            </small>
          </>
        ) : null}
      </div>
    </li>
  );
}
