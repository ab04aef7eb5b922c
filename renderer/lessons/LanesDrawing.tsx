/** The lanes of a simulated run as a picture for a page of its own: a bar for each activity, times below. */
import { activity } from '../../core/analysis/iteration.ts';
import type { Played } from '../../core/lessons/played.ts';
import type { Lane, RowKind } from '../../core/trace/trace.ts';
import { formatDuration } from '../../core/units.ts';

const width = 720;
const gutter = 120;
const rowHeight = 22;
/** Narrower bars are drawn as wide as this, and those that fall on the one before are left out. */
const leastWidth = 0.7;

const colours: Partial<Readonly<Record<RowKind, string>>> = {
  copy: '#1668b8',
  kernel: '#0a7d5a',
  memset: '#7a4fb0',
  'host-call': '#4a5568',
  'host-sync': '#b8c2cf',
  'host-work': '#b35c00',
  'host-read': '#b35c00',
  'host-write': '#b35c00',
  'host-function': '#b35c00',
};

interface Bar {
  readonly left: number;
  readonly width: number;
  readonly colour: string;
}

interface Row {
  readonly lane: Lane;
  readonly bars: readonly Bar[];
}

export function LanesDrawing({ played, name }: { readonly played: Played; readonly name: string }) {
  const rows = rowsOf(played);
  const height = rows.length * rowHeight + 20;
  const end = formatDuration(makespanOf(played));
  return (
    <figure>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Lanes of ${name}, simulated`}>
        {rows.map(({ lane, bars }, index) => (
          <g key={lane.id} transform={`translate(0 ${index * rowHeight})`}>
            <text x={0} y={15} fontSize={12}>
              {lane.name}
            </text>
            <line x1={gutter} x2={width} y1={rowHeight - 1} y2={rowHeight - 1} stroke="#dde3eb" />
            {bars.map((bar) => (
              <rect key={bar.left} x={bar.left} y={3} width={bar.width} height={rowHeight - 7} fill={bar.colour} />
            ))}
          </g>
        ))}
        <text x={gutter} y={height - 4} fontSize={11}>
          0
        </text>
        <text x={width} y={height - 4} fontSize={11} textAnchor="end">
          {end}
        </text>
      </svg>
      <figcaption>
        {name}, simulated on {played.run.info.device?.name ?? played.run.info.profile}. Blue: copies. Green: kernels.
        Dark grey: calls. Light grey: the host waits. Brown: work of the host.
      </figcaption>
    </figure>
  );
}

function makespanOf({ iteration, run: { trace } }: Played): number {
  let end = 0;
  for (let row = iteration.begin; row < iteration.end; row += 1) end = Math.max(end, activity(trace, row).endNs);
  return end;
}

function rowsOf(played: Played): Row[] {
  const { iteration, run } = played;
  const scale = (width - gutter) / Math.max(makespanOf(played), 1);
  const bars = run.trace.lanes.map((): Bar[] => []);
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    const one = activity(run.trace, row);
    const colour = colours[one.kind];
    if (colour === undefined) continue;
    const bar = {
      left: gutter + one.startNs * scale,
      width: Math.max((one.endNs - one.startNs) * scale, leastWidth),
      colour,
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
    return own.length === 0 ? [] : [{ lane, bars: own }];
  });
}
