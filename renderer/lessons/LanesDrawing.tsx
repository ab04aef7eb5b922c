/** The lanes of a run as a picture for paper or a saved page: a bar for each activity, times below. */
import { activity, type Iteration } from '../../core/trace/iteration.ts';
import type { Run } from '../../core/trace/run.ts';
import type { Lane } from '../../core/trace/trace.ts';
import { formatDuration } from '../../core/units.ts';
import { useScheme } from '../common/hooks.ts';
import { type PaintName, paint, paintNames, paintOfRow, type Scheme } from '../common/palette.ts';
import { formatDay } from '../common/time.ts';
import { operationLabels, rowTitle } from '../timeline/rows/describeRow.ts';

/** Sizes in pixels of the drawing for paper, and of a small one without streams, whose engines say the same. */
const paper = { width: 720, gutter: 120 };
const small = { width: 360, gutter: 74 };
const rowHeight = 22;
/** Minimum width of a bar. Bars that overlap the previous one are left out. */
const leastWidth = 0.7;
/** Average width of a character, so that names need no measuring. */
const characterWidth = 6;
const padding = 5;

/** Marks and ranges overlap other activities, and one row has no room for them. */
const leftOut: readonly PaintName[] = ['mark', 'host-range'];

export interface DrawnRun {
  readonly run: Run;
  readonly iteration: Iteration;
  readonly origin: 'simulated' | 'recorded';
}

interface Bar {
  readonly left: number;
  readonly width: number;
  readonly paint: PaintName;
  readonly title: string;
}

interface Props {
  readonly drawn: DrawnRun;
  readonly name: string;
  /** End of the time scale in nanoseconds, for a small drawing next to others. */
  readonly endNs?: number;
}

interface Row {
  readonly lane: Lane;
  readonly bars: readonly Bar[];
}

export function LanesDrawing({ drawn, name, endNs }: Props) {
  const { info } = drawn.run;
  const { width, gutter } = endNs === undefined ? paper : small;
  const rows = rowsOf(drawn, endNs);
  const own = useScheme();
  const scheme = endNs === undefined ? 'light' : own;
  const height = rows.length * rowHeight + 20;
  const end = formatDuration(makespanOf(drawn));
  const shown = new Set(rows.flatMap(({ bars }) => bars.map((bar) => bar.paint)));
  return (
    <figure>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Lanes of ${name}, ${drawn.origin}`}>
        {rows.map(({ lane, bars }, index) => (
          <g key={lane.id} transform={`translate(0 ${index * rowHeight})`}>
            <text x={0} y={15} fontSize={12}>
              {lane.name}
            </text>
            <line x1={gutter} x2={width} y1={rowHeight - 1} y2={rowHeight - 1} stroke="#dde3eb" />
            {bars.map((bar) => (
              <BarDrawing key={bar.left} bar={bar} scheme={scheme} />
            ))}
          </g>
        ))}
        <text x={gutter} y={height - 4} fontSize={11}>
          0
        </text>
        <text x={barEnd(rows, width)} y={height - 4} fontSize={11} textAnchor="end">
          {end}
        </text>
      </svg>
      {endNs === undefined ? (
        <figcaption>
          {name}, {drawn.origin} on {info.device?.name ?? info.profile}
          {drawn.origin === 'recorded' ? `, ${formatDay(info.createdAt)}` : ''}.
          {paintNames
            .filter((one) => shown.has(one))
            .map((one) => (
              <Key key={one} name={one} />
            ))}
        </figcaption>
      ) : null}
    </figure>
  );
}

/** Returns the right edge of the last bar, which ends at the makespan. */
const barEnd = (rows: readonly Row[], width: number): number =>
  Math.min(width, Math.max(...rows.flatMap(({ bars }) => bars.map(({ left, width: wide }) => left + wide))));

function BarDrawing({
  bar: { left, width: wide, paint: name, title },
  scheme,
}: {
  readonly bar: Bar;
  readonly scheme: Scheme;
}) {
  const { fill, text } = paint(name, scheme);
  const fits = title.length * characterWidth + 2 * padding <= wide;
  return (
    <>
      <rect x={left} y={3} width={wide} height={rowHeight - 7} fill={fill} />
      {fits ? (
        <text x={left + padding} y={14} fontSize={10} fill={text}>
          {title}
        </text>
      ) : null}
    </>
  );
}

/** The legend entry of a colour. */
function Key({ name }: { readonly name: PaintName }) {
  const { label, fill } = paint(name, 'light');
  return (
    <>
      {' '}
      <svg width={12} height={10} aria-hidden style={{ width: 12, height: 10 }}>
        <rect width={12} height={10} rx={2} fill={fill} />
      </svg>{' '}
      {label}.
    </>
  );
}

export function makespanOf({ iteration, run: { trace } }: DrawnRun): number {
  let end = 0;
  for (let row = iteration.begin; row < iteration.end; row += 1) end = Math.max(end, activity(trace, row).endNs);
  return end;
}

function rowsOf(drawn: DrawnRun, endNs?: number): Row[] {
  const { iteration, run } = drawn;
  const { width, gutter } = endNs === undefined ? paper : small;
  const scale = (width - gutter) / Math.max(endNs ?? makespanOf(drawn), 1);
  const bars = run.trace.lanes.map((): Bar[] => []);
  const labels = operationLabels(run.info.experiment);
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    const one = activity(run.trace, row);
    const name = paintOfRow(run.trace, row);
    if (leftOut.includes(name)) continue;
    const bar = {
      left: gutter + one.startNs * scale,
      width: Math.max((one.endNs - one.startNs) * scale, leastWidth),
      paint: name,
      title: rowTitle(run.trace, row, labels),
    };
    for (const lane of new Set([one.lane, one.engine])) {
      const own = bars[lane];
      const last = own?.at(-1);
      if (own === undefined || (last !== undefined && bar.left + bar.width <= last.left + last.width + 0.01)) continue;
      own.push(bar);
    }
  }
  return run.trace.lanes.flatMap((lane, index) => {
    const own = bars[index] ?? [];
    return own.length === 0 || (endNs !== undefined && lane.kind === 'stream') ? [] : [{ lane, bars: own }];
  });
}
