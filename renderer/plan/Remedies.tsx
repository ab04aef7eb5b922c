/** The remedies of a plan, largest gain first. */
import { Button, Checkbox } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { RemedyAnswer } from '../../core/lift/answers.ts';
import { gainText, remedyItem } from '../../core/present/plan.ts';
import { unbroken } from '../../core/units.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import classes from './Plan.module.css';
import { choose, isOn, keyOf, type PlanState } from './planStore.ts';

interface Props {
  readonly run: LoadedRun;
  readonly plan: PlanState;
  readonly remedies: readonly RemedyAnswer[];
  readonly stepNs: number;
}

/** The recommended remedy, and the others folded away. */
export function Remedies({ remedies, ...props }: Props) {
  const [first, ...others] = remedies;
  if (first === undefined) return null;
  return (
    <>
      <RemedyList {...props} remedies={[first]} label="Remedies" />
      {others.length === 0 ? null : (
        <details className={classes['others']}>
          <summary>{others.length === 1 ? 'One alternative' : `${others.length} alternatives`}</summary>
          <RemedyList {...props} remedies={others} label="Alternatives" />
        </details>
      )}
    </>
  );
}

function RemedyList({ run, plan, remedies, stepNs, label }: Props & { readonly label: string }) {
  return (
    <ol className={classes['remedies']} aria-label={label}>
      {remedies.map((remedy) => {
        const [gain, item] = [gainText(remedy, stepNs), remedyItem(remedy, stepNs)];
        return (
          <li key={keyOf(remedy.changes)}>
            <div className={classes['remedy']}>
              <Checkbox
                size="xs"
                label={item.title}
                checked={isOn(plan.choice, remedy.changes)}
                onChange={() => void choose(run, remedy.changes)}
              />
              <span className={`${classes['gain']} tabular`} data-tone={gain.tone}>
                <strong>{gain.time}</strong> <span>({gain.share})</span>
              </span>
            </div>
            {item.texts.map((text) => (
              <p className={classes['note']} key={text}>
                {unbroken(text)}
              </p>
            ))}
            <Code code={item.code ?? ''} />
          </li>
        );
      })}
    </ol>
  );
}

function Code({ code }: { readonly code: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <details>
      <summary>Code to write</summary>
      <pre>{code}</pre>
      <Button variant="default" size="compact-xs" onClick={() => clipboard.copy(code)}>
        {clipboard.copied ? 'Copied' : 'Copy the code'}
      </Button>
    </details>
  );
}
