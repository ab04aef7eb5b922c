/** The menu that saves the shown lanes as a picture, or as their rows. */
import { useMemo } from 'react';
import { fileNameOf } from '../../../core/export/formats.ts';
import { csvPieces } from '../../../core/export/tables/rowTable.ts';
import { placeIterations } from '../../../core/export/times.ts';
import type { Run } from '../../../core/trace/run.ts';
import { type Saved, SaveMenu } from '../../charts/SaveMenu.tsx';
import { useScheme } from '../../common/hooks.ts';
import type { HazardsByOp } from '../../predict/hazards/hazardsByOp.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import { lanesSvg } from './lanesSvg.ts';

/** Returns the rows of one iteration as comma-separated values, if they are few enough for one text. */
function rowsText({ info, trace }: Run, iteration: number): string {
  const decoder = new TextDecoder();
  const pieces = csvPieces({ info, trace }, placeIterations(trace, iteration), { isDue: () => false });
  return [...pieces].map((piece) => decoder.decode(piece)).join('');
}

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly time: Pick<SharedTime, 'view'>;
  readonly title: string;
  readonly about: string;
  readonly hazards?: HazardsByOp | undefined;
  readonly figures: Saved['figures'];
  readonly report?: Saved['report'];
}

/** More rows are too many for a clipboard. */
const mostCopied = 20_000;

export function LanesSave({ run, view, time, title, about, hazards, figures, report }: Props) {
  const scheme = useScheme();
  const saved = useMemo((): Saved => {
    const isFew = view.rows.to - view.rows.from <= mostCopied;
    return {
      name: 'the lanes',
      fileName: `${fileNameOf(title, '')} lanes`,
      svg: (width) => {
        const marked = hazards === undefined ? {} : { hazards };
        return lanesSvg({ run, view, shown: time.view, width, scheme, title, about, ...marked });
      },
      figures,
      report,
      text: isFew ? () => rowsText(run.run, view.number) : undefined,
    };
  }, [run, view, time, title, about, hazards, figures, report, scheme]);
  return <SaveMenu saved={saved} compact />;
}
