import { IconAlertTriangleFilled, IconCircleXFilled } from '@tabler/icons-react';
import { useMemo } from 'react';
import { type RowKind, rowKinds } from '../../core/trace/trace.ts';
import { LinkButton } from '../common/buttons.tsx';
import { usePaints } from '../common/hooks.ts';
import { type PaintName, paintNames, paintOfRow } from '../common/palette.ts';
import type { IterationView } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import classes from './Legend.module.css';
import { nameTones } from './painting/nameTones.ts';

/** Rows searched for colours that occur. */
const mostRows = 20_000;

interface LegendProps {
  readonly views: readonly IterationView[];
  /** True if the lanes that carry marks are shown. */
  readonly marks?: boolean;
  /** True if bars in hazards are marked. */
  readonly hazards?: boolean;
  /** Number of marked bars that could have overlapped and didn't. */
  readonly missed?: number;
  /** Goes to the next missed overlap. */
  readonly onMissed?: () => void;
}

/** The meaning of the colours and patterns in these iterations. */
export function Legend({ views, marks = true, hazards = false, missed = 0, onMissed }: LegendProps) {
  const paints = usePaints();
  const found = useMemo(() => foundIn(views), [views]);
  const byName = useApp((state) => state.colourBy === 'name');
  return (
    <ul className={classes['legend']} aria-label="Legend">
      {byName
        ? views
            .slice(0, 1)
            .flatMap((view) => nameTones(view).named)
            .map(({ name, label, paint }) => (
              <li key={name} title={name}>
                <svg width="14" height="11" aria-hidden="true">
                  <rect width="14" height="11" rx="2" fill={paints(paint).fill} />
                </svg>
                <span className={classes['name']}>{label}</span>
              </li>
            ))
        : paintNames
            .filter((name) => found.paints.has(name) && name !== 'mark')
            .map((name) => {
              const { fill, label, pattern, text } = paints(name);
              return (
                <li key={name}>
                  <svg width="14" height="11" aria-hidden="true">
                    <rect width="14" height="11" rx="2" fill={fill} />
                    <Pattern
                      pattern={pattern}
                      ink={pattern === 'sparse' ? text : text === '#ffffff' ? '#000' : '#fff'}
                    />
                  </svg>
                  {label}
                </li>
              );
            })}
      {marks && found.records ? (
        <li>
          <svg width="14" height="11" aria-hidden="true">
            <path d="M2 1 H12 L7 10 Z" fill={paints('mark').fill} />
          </svg>
          Event recorded
        </li>
      ) : null}
      {marks && found.waits ? (
        <li>
          <svg width="14" height="11" aria-hidden="true">
            <path d="M7 1 L11.5 5.5 L7 10 L2.5 5.5 Z" fill="none" stroke={paints('mark').fill} strokeWidth={1.5} />
          </svg>
          Event wait passed
        </li>
      ) : null}
      {hazards ? (
        <li>
          <IconAlertTriangleFilled className={classes['hazard']} size={12} aria-hidden />
          Hazard
        </li>
      ) : null}
      {missed > 0 ? (
        <li>
          <Missed count={missed} onNext={onMissed} />
        </li>
      ) : null}
    </ul>
  );
}

interface MissedProps {
  readonly count: number;
  readonly onNext: (() => void) | undefined;
}

function Missed({ count, onNext }: MissedProps) {
  const words = (
    <>
      <IconCircleXFilled className={classes['missed']} size={13} aria-hidden />
      No overlap{onNext === undefined ? '' : `, ${count}`}
    </>
  );
  if (onNext === undefined) return words;
  return (
    <LinkButton plain title="Could have overlapped and didn’t. To the next one (V)" onClick={onNext}>
      {words}
    </LinkButton>
  );
}

interface Found {
  readonly paints: ReadonlySet<PaintName>;
  /** Events that a stream reached, and waits that it passed. */
  readonly records: boolean;
  readonly waits: boolean;
}

function foundIn(views: readonly IterationView[]): Found {
  const paints = new Set<PaintName>();
  const kinds = new Set<number>();
  for (const { run, rows } of views) {
    const end = Math.min(rows.to, rows.from + mostRows);
    for (let row = rows.from; row < end; row += 1) {
      paints.add(paintOfRow(run.trace, row));
      kinds.add(run.trace.columns.kind[row] ?? -1);
    }
  }
  const has = (kind: RowKind): boolean => kinds.has(rowKinds.indexOf(kind));
  return { paints, records: has('event-record'), waits: has('event-wait') };
}

function Pattern({ pattern, ink }: { readonly pattern: string; readonly ink: string }) {
  const style = { stroke: ink, strokeWidth: 1.5, opacity: 0.4 };
  switch (pattern) {
    case 'rising':
      return <path d="M-1 8 L6 1 M3 12 L12 3 M10 12 L16 6" {...style} />;
    case 'falling':
      return <path d="M-1 3 L6 10 M3 -1 L12 8 M10 -1 L16 5" {...style} />;
    case 'sparse':
      return <path d="M-1 8 L6 1 M6 12 L15 3" {...style} strokeWidth={1} />;
    case 'dots':
      return <path d="M3 3h.1 M7 7h.1 M11 3h.1" {...style} strokeWidth={2} strokeLinecap="round" />;
    default:
      return null;
  }
}
