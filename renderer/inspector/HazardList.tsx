/** The hazards of the open experiment: both operations, the effect, the missing order, the remedy, the evidence. */
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Hazard, HazardEvidence, HazardOperation } from '../../core/explain/hazards/hazard.ts';
import { evidenceText } from '../../core/present/verdicts.ts';
import { unbroken } from '../../core/units.ts';
import { useHazards, useRepair } from '../predict/hazards/useHazards.ts';
import { select } from '../store/store.ts';
import classes from './HazardList.module.css';
import inspector from './Inspector.module.css';
import { ApplyButton } from './remedies/ApplyButton.tsx';
import { AskFirst } from './remedies/RemedyBlock.tsx';
import { RuleNote } from './VerdictCard.tsx';

const mostShown = 20;

/** `id` restricts the list to hazards of one operation. Draws nothing if there are none. */
export function HazardList({ id }: { readonly id?: string | undefined }) {
  const report = useHazards();
  const all = report?.hazards ?? [];
  const hazards = id === undefined ? all : all.filter(({ first, second }) => first.id === id || second.id === id);
  const limits = id === undefined ? (report?.limits ?? []) : [];
  if (hazards.length === 0 && limits.length === 0) return null;
  return (
    <section id="hazards" className={classes['list']} aria-label="Hazards">
      {hazards.slice(0, mostShown).map((hazard) => (
        <HazardCard key={`${hazard.kind} ${hazard.first.id} ${hazard.second.id} ${hazard.buffer}`} hazard={hazard} />
      ))}
      {hazards.length > mostShown ? <p>{hazards.length - mostShown} more: select one of their operations.</p> : null}
      {limits.map((limit) => (
        <p key={limit}>{limit}</p>
      ))}
    </section>
  );
}

function HazardCard({ hazard }: { readonly hazard: Hazard }) {
  const { first, second, evidence, title, explanation, missing, remedy } = hazard;
  const change = useRepair(hazard);
  return (
    <article className={classes['card']} aria-label={`Hazard: ${title}`}>
      <header>
        <IconAlertTriangle size={18} aria-hidden />
        <h3>{title}</h3>
      </header>
      <ul className={`${inspector['partners']} ${classes['operations']}`}>
        <li>
          <OperationLink operation={first} />
        </li>
        {first.id === second.id ? null : (
          <li>
            <OperationLink operation={second} />
          </li>
        )}
      </ul>
      <p>{unbroken(explanation)}</p>
      <p>{missing}</p>
      <AskFirst>
        <div className={classes['remedy']}>
          <strong>Suggested change.</strong> {change === null ? remedy : change.steps.join(' ')}
          {change === null ? null : (
            <div>
              <ApplyButton step={`Repair: ${title}`} change={change} id={second.id} label={change.steps.join(' ')} />
            </div>
          )}
        </div>
      </AskFirst>
      {evidence === null ? null : <Evidence evidence={evidence} />}
      <RuleNote id={hazard.rule} />
    </article>
  );
}

function OperationLink({ operation }: { readonly operation: HazardOperation }) {
  const { id, label, stream, thread } = operation;
  return (
    <button type="button" onClick={() => select({ kind: 'op', id })}>
      {label} <small>{stream === null ? `host thread ${thread}` : `stream ${stream}`}</small>
    </button>
  );
}

const Evidence = ({ evidence }: { readonly evidence: HazardEvidence }) => (
  <p className={evidence.bytesWrong === 0 ? undefined : classes['wrong']}>{evidenceText(evidence)}</p>
);
