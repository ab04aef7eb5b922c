/** The plan of a real program: where its step time goes, and suggested changes with gains. */
import type { RemedyAnswer, TraceAnswers } from '../../core/lift/answers.ts';
import { partWords } from '../../core/lift/parts.ts';
import { changeTitles } from '../../core/lift/words.ts';
import { formatShare, unbroken } from '../../core/units.ts';
import { ShareBar } from '../inspector/Facts.tsx';
import { Ranks, slowestText } from '../plan/Ranks.tsx';
import { durationText, gainText, nothingHelps, titleOf } from '../plan/words.ts';
import classes from './Report.module.css';

/** Smaller parts are left out. */
const leastShare = 0.005;

interface Props {
  readonly answers: Pick<TraceAnswers, 'answer' | 'steps' | 'plan' | 'ladder' | 'ranks' | 'slowest'>;
  /** Unfolds everything, since paper can't. */
  readonly unfolded?: boolean;
}

export function PlanPart({ answers: { answer, steps, plan, ladder, ranks, slowest }, unfolded = false }: Props) {
  const [recommended, ...alternatives] = plan;
  const parts = steps.parts.filter(({ share }) => share >= leastShare).sort((a, b) => b.ns - a.ns);
  return (
    <section aria-label="Step and plan">
      <p className={classes['answer']}>{answer}</p>
      {ranks === undefined || slowest === undefined ? null : (
        <>
          <p>{slowestText({ ranks, slowest })}</p>
          <Ranks ranks={ranks} slowest={slowest} />
        </>
      )}
      <h2>Where the step time goes</h2>
      <p>
        A step takes {durationText(steps.medianNs)} as recorded and {durationText(steps.unprofiledNs)} without the
        profiler, which is predicted. Median of {steps.count}; {steps.rule}.
      </p>
      <table className={`${classes['table']} tabular`} aria-label="Where the step time goes">
        <tbody>
          {parts.map(({ part, ns, share }) => (
            <tr key={part}>
              <td>{unbroken(formatShare(share))}</td>
              <td>
                <ShareBar share={share} />
              </td>
              <td>{durationText(ns)}</td>
              <td>{partWords[part]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>Suggested changes</h2>
      {steps.caution === null ? null : <p>{steps.caution}</p>}
      {plan.length === 0 ? (
        <p>{nothingHelps}</p>
      ) : (
        <>
          <p>Gain of a step: simulated, with a 90 % interval.</p>
          <ol className={classes['ladder']} aria-label="Recommended order of changes">
            {ladder.map(({ adds, changes, stepNs }) => (
              <li key={changes.join(' ')}>
                {titleOf(adds)}: to {durationText(stepNs)}
              </li>
            ))}
          </ol>
          {recommended === undefined ? null : (
            <ol className={classes['remedies']} aria-label="Remedies">
              <RemedyItem remedy={recommended} stepNs={steps.unprofiledNs} unfolded={unfolded} />
            </ol>
          )}
          {alternatives.length === 0 ? null : (
            <details open={unfolded}>
              <summary>Alternatives</summary>
              <ol className={classes['remedies']} aria-label="Alternatives">
                {alternatives.map((remedy) => (
                  <RemedyItem
                    key={remedy.changes.join(' ')}
                    remedy={remedy}
                    stepNs={steps.unprofiledNs}
                    unfolded={unfolded}
                  />
                ))}
              </ol>
            </details>
          )}
        </>
      )}
    </section>
  );
}

interface RemedyProps {
  readonly remedy: RemedyAnswer;
  readonly stepNs: number;
  readonly unfolded: boolean;
}

function RemedyItem({ remedy, stepNs, unfolded }: RemedyProps) {
  const { time, share, tone } = gainText(remedy, stepNs);
  const { changes, code, needed, needs, lines, mayGainNothing } = remedy;
  return (
    <li>
      <p className={classes['remedy']}>
        <strong>{titleOf(changes)}</strong>
        <span className="tabular" data-tone={tone}>
          {time} ({share})
        </span>
      </p>
      {mayGainNothing ? <p>Its interval reaches zero: it may gain nothing.</p> : null}
      {needs.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {needed.length === 0 ? null : <p>{titleOf(needed)}: gains nothing alone, but the others need it.</p>}
      {lines.length === 0 ? null : <p>At {lines.slice(0, 4).join(', ')}</p>}
      <details open={unfolded}>
        <summary>Code to write</summary>
        <pre>{changes.map((word, at) => `# ${changeTitles[word]}\n${code[at] ?? ''}`).join('\n')}</pre>
      </details>
    </li>
  );
}
