/** An operation of the score: its fields in the document, and its activities in the shown run. */

import { describeOperation } from '../../core/experiment/describe.ts';
import { numbersById, operationPathOf, operationsOf } from '../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { Operation } from '../../core/experiment/operations.ts';
import type { OperationRow } from '../../core/explain/figures/operations.ts';
import { formatBytes, formatDuration, formatRate } from '../../core/units.ts';
import { selectedOps } from '../score/selectedOp.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { isOfPresent } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import { Block, Fact, Facts, SelectionHeading } from './Facts.tsx';
import { CopyEnds, OperationForm } from './fields/OperationForm.tsx';
import { HazardList } from './HazardList.tsx';
import classes from './Inspector.module.css';
import { VerdictCard } from './VerdictCard.tsx';

interface Props {
  readonly experiment: Experiment;
  readonly id: string;
  readonly run: LoadedRun | null;
}

export function OperationDetails({ experiment, id, run }: Props) {
  const op = numbersById(experiment).get(id) ?? -1;
  const operation = operationsOf(experiment)[op];
  const isPresent = useApp((state) => run !== null && isOfPresent(state, run));
  const verdict = isPresent ? run?.verdicts.find((candidate) => candidate.id === id) : undefined;
  if (operation === undefined) return null;
  const path = operationPathOf(experiment, id) ?? [];
  return (
    <>
      <SelectionHeading kind={`Operation ${op + 1}`}>{describeOperation(operation, experiment)}</SelectionHeading>
      <SelectedTogether />
      {operation.op === 'copy' ? <CopyEnds key={id} {...{ experiment, path, operation }} /> : null}
      <HazardList id={id} />
      {verdict === undefined || run === null ? null : <VerdictCard run={run} verdict={verdict} />}
      {run === null || !isPresent ? null : <Occurrences run={run} op={op} />}
      <Block title="In the experiment">
        <OperationForm experiment={experiment} path={path} operation={operation} key={id} />
      </Block>
    </>
  );
}

/** Says that more operations are selected than the shown one. */
function SelectedTogether() {
  const count = useApp((state) => selectedOps(state).length);
  return count < 2 ? null : (
    <p className={classes['hint']}>{count} operations are selected; this is the first of them.</p>
  );
}

/** Limit of listed occurrences; the first few stand for the rest, such as the parts of a multi-tensor copy. */
const mostOccurrences = 3;

function Occurrences({ run, op }: { readonly run: LoadedRun; readonly op: number }) {
  const rows = run.operationsOf(op);
  if (rows.length === 0) return null;
  const { lanes } = run.run.trace;
  const left = rows.length - mostOccurrences;
  return (
    <>
      {rows.slice(0, mostOccurrences).map((row) => (
        <Occurrence
          key={`${row.occurrence}:${row.kind}`}
          row={row}
          title={rows.length > 1 ? `In the run: ${row.name}` : 'In the run'}
          lane={rows.length > 1 ? (lanes.find(({ id }) => id === row.lane)?.name ?? null) : null}
        />
      ))}
      {left <= 0 ? null : (
        <p className={classes['hint']}>
          {left} more {left === 1 ? 'activity' : 'activities'} in the lanes.
        </p>
      )}
    </>
  );
}

interface OccurrenceProps {
  readonly row: OperationRow;
  readonly title: string;
  /** Name of the lane; null if the operation occurs once. */
  readonly lane: string | null;
}

function Occurrence({ row, title, lane }: OccurrenceProps) {
  return (
    <Block title={title}>
      <Facts>
        {lane === null ? null : <Fact name="Lane">{lane}</Fact>}
        <Fact name="Starts">{formatDuration(row.startNs)}</Fact>
        {row.durationNs > 0 ? <Fact name="Takes">{formatDuration(row.durationNs)}</Fact> : null}
        {row.bytes > 0 ? <Fact name="Size">{formatBytes(row.bytes)}</Fact> : null}
        {row.bytesPerSecond === null ? null : <Fact name="Rate">{formatRate(row.bytesPerSecond)}</Fact>}
        {row.hostCall === null || row.hostCallNs === null ? null : (
          <Fact name={row.hostCall} title="How long the host was in the call that issued it">
            {formatDuration(row.hostCallNs)}
          </Fact>
        )}
      </Facts>
    </Block>
  );
}

/** The operation's own fields, under the document's names. */
export function OperationFields({ operation }: { readonly operation: Operation }) {
  const entries = Object.entries(operation).filter(([name]) => name !== 'operations');
  return (
    <Block title="In the experiment">
      <Facts>
        {entries.map(([name, value]) => (
          <Fact key={name} name={name}>
            {fieldText(name, value)}
          </Fact>
        ))}
      </Facts>
    </Block>
  );
}

function fieldText(name: string, value: unknown): string {
  if (typeof value === 'number' && name.endsWith('Ns')) return formatDuration(value);
  if (typeof value === 'number' && (name === 'bytes' || name.endsWith('Offset'))) return formatBytes(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => (key === 'kind' ? String(inner) : `${key} ${fieldText(key, inner)}`))
    .join(', ');
}
