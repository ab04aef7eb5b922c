/** The summary table of a stretch of time, to be read here or copied into a spreadsheet or a report. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { shortKernelName } from '../../core/figures/kernelName.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../core/units.ts';
import { CopyTable } from '../common/CopyTable.tsx';
import { usePaints } from '../common/usePaints.ts';
import { type AreaRow, areaText, isOnDevice } from '../timeline/rows/areaTable.ts';
import classes from './AreaTable.module.css';

/** Lines shown; a copy has them all. */
const mostShown = 40;

const parts = {
  all: () => true,
  device: isOnDevice,
  host: (row: AreaRow) => !isOnDevice(row),
} satisfies Record<string, (row: AreaRow) => boolean>;

type Part = keyof typeof parts;

const isPart = (value: string): value is Part => value in parts;

export function AreaTable({ rows: all }: { readonly rows: readonly AreaRow[] }) {
  const paints = usePaints();
  const [part, setPart] = useState<Part>('all');
  const isMixed = all.some(isOnDevice) && !all.every(isOnDevice);
  const rows = isMixed ? all.filter(parts[part]) : all;
  return (
    <>
      {isMixed ? (
        <SegmentedControl
          size="xs"
          mb={6}
          aria-label="Names shown"
          data={[
            { value: 'all', label: 'All' },
            { value: 'device', label: 'On a device' },
            { value: 'host', label: 'On the host' },
          ]}
          value={part}
          onChange={(value) => isPart(value) && setPart(value)}
        />
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section className={classes['scroll']} tabIndex={0} aria-label="What ran in the stretch">
        <table className={`${classes['table']} tabular`}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Count</th>
              <th scope="col">Total</th>
              <th scope="col">Mean</th>
              <th scope="col">Moved</th>
              <th scope="col">Rate</th>
              <th scope="col" title="Share of its time in which device work of another kind ran">
                Overlapped
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, mostShown).map((row) => (
              <tr key={`${row.paint}:${row.name}`}>
                <td title={row.name}>
                  <span className={classes['swatch']} style={{ background: paints(row.paint).fill }} aria-hidden />
                  {row.paint === 'kernel' ? shortKernelName(row.name) : row.name}
                </td>
                <td>{row.count}</td>
                <td>{formatDuration(row.totalNs)}</td>
                <td>{formatDuration(row.meanNs)}</td>
                <td>{row.bytes > 0 ? formatBytes(Math.round(row.bytes)) : ''}</td>
                <td>{row.bytesPerSecond === null ? '' : formatRate(row.bytesPerSecond)}</td>
                <td>{row.overlapped === null ? '' : formatShare(row.overlapped)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > mostShown ? <small>{rows.length - mostShown} more names are in the copies.</small> : null}
      <CopyTable table={() => areaText(rows)} />
    </>
  );
}
