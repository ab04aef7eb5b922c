import { readRow } from '../../../core/trace/rows.ts';
import { formatBytes, formatRate } from '../../../core/units.ts';
import { usePaints } from '../../common/hooks.ts';
import { paintOfRow } from '../../common/palette.ts';
import type { HazardsByOp } from '../../predict/hazards/hazardsByOp.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { useRunNotes } from '../notes/notes.ts';
import { operationLabels, rowKindWords, rowRate, rowTitle } from '../rows/describeRow.ts';
import { exactTime } from '../time/ticks.ts';
import classes from './HoverCard.module.css';
import type { CounterHit, Hit } from './hitTest.ts';

interface Props {
  readonly run: LoadedRun;
  readonly hover: { readonly hit: Hit; readonly x: number; readonly y: number };
  readonly hazards: HazardsByOp;
  readonly width: number;
  readonly height: number;
}

const cardWidth = 264;
const cardHeight = 132;

/** A card next to the pointer, on the side with space; never under it, so that it is not hovered itself. */
export function HoverCard({ run, hover, hazards, width, height }: Props) {
  const { hit, x, y } = hover;
  if (hit.kind === 'none') return null;
  const up = y + 16 + cardHeight > height && y > cardHeight;
  const place = {
    ...besidePointer(x, width),
    ...(up ? { bottom: height - y + 10 } : { top: y + 14 }),
  };
  return (
    <div className={classes['card']} style={{ ...place, maxWidth: cardWidth }} aria-hidden>
      {hit.kind === 'row' ? <RowCard run={run} row={hit.row} hazards={hazards} /> : null}
      {hit.kind === 'bandwidth' ? <BandwidthCard hit={hit} /> : null}
      {hit.kind === 'counter' ? <CounterCard hit={hit} /> : null}
    </div>
  );
}

/** Right of the pointer, else left. In a plot too narrow for either, the card stays inside. */
function besidePointer(x: number, width: number): { readonly left: number } | { readonly right: number } {
  if (x + 16 + cardWidth <= width) return { left: x + 14 };
  return { right: Math.max(0, Math.min(width - x + 12, width - cardWidth)) };
}

interface RowCardProps {
  readonly run: LoadedRun;
  readonly row: number;
  readonly hazards: HazardsByOp;
}

function RowCard({ run, row, hazards }: RowCardProps) {
  const paints = usePaints();
  const { trace, info } = run.run;
  const read = readRow(trace, row);
  const notes = useRunNotes(run.id).notes.filter((note) => note.row === row);
  const speed = rowRate(read);
  const missed = run.missed.get(row);
  const memory = read.kind === 'copy' ? `${read.src} → ${read.dst}` : null;
  return (
    <>
      <div className={classes['title']}>
        <span className={classes['swatch']} style={{ background: paints(paintOfRow(trace, row)).fill }} />
        {rowTitle(trace, row, operationLabels(info.experiment))}
      </div>
      <dl className="tabular">
        <Fact name={rowKindWords[read.kind]} value={read.engine?.name ?? read.lane.name} />
        <Fact name="Starts" value={exactTime(read.startNs)} />
        {read.durationNs > 0 ? <Fact name="Takes" value={exactTime(read.durationNs)} /> : null}
        {read.bytes > 0 ? <Fact name="Size" value={formatBytes(read.bytes)} /> : null}
        {speed === null ? null : <Fact name="Rate" value={formatRate(speed)} />}
        {memory === null ? null : <Fact name="Memory" value={memory} />}
        {notes.map(({ id, text }) => (
          <Fact key={id} name="Note" value={text === '' ? 'marked' : text} />
        ))}
        {missed === undefined ? null : <Fact name="No overlap" value={missed.title} />}
        {(hazards.get(read.op ?? -1) ?? []).map(({ title }) => (
          <Fact key={title} name="Hazard" value={title} />
        ))}
      </dl>
    </>
  );
}

function BandwidthCard({ hit }: { readonly hit: Extract<Hit, { kind: 'bandwidth' }> }) {
  return (
    <>
      <div className={classes['title']}>{hit.name}</div>
      <dl className="tabular">
        <Fact name="At" value={exactTime(Math.max(0, hit.timeNs))} />
        <Fact name="Rate" value={hit.rate > 0 ? formatRate(hit.rate) : 'idle'} />
      </dl>
    </>
  );
}

function CounterCard({ hit: { track, value, least, most, timeNs } }: { readonly hit: CounterHit }) {
  const words = track.of.kind === 'memory' ? formatBytes : (depth: number): string => `${depth} pending`;
  return (
    <>
      <div className={classes['title']}>{track.name}</div>
      <dl className="tabular">
        <Fact name="At" value={exactTime(Math.max(0, timeNs))} />
        <Fact name={track.of.kind === 'memory' ? 'Allocated' : 'Depth'} value={words(value)} />
        {least === most ? null : <Fact name="In this pixel" value={`${words(least)} to ${words(most)}`} />}
      </dl>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
