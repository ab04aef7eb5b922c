/** The blocks of a run's summary, side by side. */
import type { WindowSummary } from '../../core/summary/windowSummary.ts';
import {
  DeviceBlock,
  EngineBlock,
  HostBlock,
  MachineBlock,
  Notes,
  OverlapBlock,
  TimingBlock,
  VerificationBlock,
} from '../inspector/SummaryBlocks.tsx';
import classes from './Report.module.css';

export function SummaryGrid({ summary }: { readonly summary: WindowSummary }) {
  return (
    <div className={classes['blocks']}>
      <OverlapBlock summary={summary} />
      <DeviceBlock summary={summary} />
      <EngineBlock summary={summary} />
      <HostBlock summary={summary} />
      <VerificationBlock summary={summary} />
      <TimingBlock summary={summary} />
      <MachineBlock summary={summary} />
      <Notes notes={summary.notes} />
    </div>
  );
}
