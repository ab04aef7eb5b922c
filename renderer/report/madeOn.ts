import type { ReportRun } from '../../core/report/document.ts';
import { formatInstant } from '../common/time.ts';

/** Returns text such as 'NVIDIA H200, 20 Nov 2026, 14:05:09'. */
export const madeOn = ({ summary: { device, profile, machine, createdAt } }: ReportRun): string =>
  `${device?.name ?? profile ?? machine?.cpu ?? 'machine not recorded'}, ${formatInstant(createdAt)}`;
