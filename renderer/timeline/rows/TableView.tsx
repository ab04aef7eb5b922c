/** The content of the lanes as a table: each activity, or a trace's copies and waits by program line. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { CallTable } from './CallTable.tsx';
import { RowsTable } from './RowsTable.tsx';
import classes from './TableView.module.css';

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
}

export function TableView({ run, view }: Props) {
  const [as, setAs] = useState<'activities' | 'lines'>('activities');
  // An experiment has operations in place of lines.
  if (run.run.info.imported === undefined) return <RowsTable run={run} view={view} />;
  return (
    <div className={classes['frame']}>
      <SegmentedControl
        size="xs"
        className={classes['choice'] ?? ''}
        aria-label="Table content"
        value={as}
        onChange={(value) => setAs(value === 'lines' ? 'lines' : 'activities')}
        data={[
          { value: 'activities', label: 'Activities' },
          { value: 'lines', label: 'Called from' },
        ]}
      />
      <div className={classes['table']}>
        {as === 'lines' ? <CallTable run={run} view={view} /> : <RowsTable run={run} view={view} />}
      </div>
    </div>
  );
}
