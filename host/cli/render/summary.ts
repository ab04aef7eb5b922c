/** A run's summary for people: what it is, its figures, the verdicts, and whether the data is right. */
import type { EngineUse } from '../../../core/analysis/engines.ts';
import type { CopyKernelOverlap, Overlap } from '../../../core/analysis/overlap.ts';
import type { SummaryDocument } from '../../../core/analysis/summary-document.ts';
import type { Verdict } from '../../../core/analysis/verdicts/verdict.ts';
import type { RunOrigin } from '../../../core/trace/run.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../../core/units.ts';
import type { Colors } from '../io.ts';
import { table, wrap } from './text.ts';

/** 'simulated with profile h200', 'measured on NVIDIA H200', 'recorded on NVIDIA H200 at 2026-11-20 05:45 UTC'. */
export function describeOrigin(summary: SummaryDocument, origin: RunOrigin): string {
  const device = summary.device?.name ?? `${summary.machine.cpu} (no GPU)`;
  if (origin === 'simulated') return `simulated with profile ${summary.profile ?? 'unknown'}`;
  const when = origin === 'recorded' ? ` at ${summary.createdAt.slice(0, 16).replace('T', ' ')} UTC` : '';
  return `${origin} on ${device}${when}`;
}

export function drawHeading(summary: SummaryDocument, origin: RunOrigin, colors: Colors): string[] {
  const { iterations } = summary;
  const spread = iterations.recordedMakespanNs;
  const makespan =
    spread === null
      ? 'nothing recorded'
      : `makespan ${formatDuration(summary.makespanNs ?? spread.median)}, ` +
        `${formatDuration(spread.min)} to ${formatDuration(spread.max)} over ${iterations.recorded} iterations`;
  const status =
    summary.status === 'complete' ? [] : [`This run is ${summary.status}: ${summary.error?.message ?? ''}`];
  return [colors.bold(summary.name), `${describeOrigin(summary, origin)}; ${makespan}`, ...status];
}

export function drawFigures(summary: SummaryDocument): string[] {
  return [...drawOverlap(summary.overlap), '', ...drawEngines(summary.engines), ...drawRecordingCost(summary)];
}

function drawOverlap(overlap: Overlap): string[] {
  const withKernel = (name: string, { timeNs, shareOfKernel, shareOfCopy }: CopyKernelOverlap): string[] => [
    `${name} with kernel`,
    formatDuration(timeNs),
    `${shareText(shareOfKernel)} of the kernel time`,
    `${shareText(shareOfCopy)} of the copy time`,
  ];
  const { timeNs, shareOfH2d, shareOfD2h } = overlap.h2dD2h;
  return table([
    ['Overlap', '', '', ''],
    withKernel('H2D', overlap.h2dKernel),
    withKernel('D2H', overlap.d2hKernel),
    [
      'H2D with D2H',
      formatDuration(timeNs),
      `${shareText(shareOfH2d)} of the H2D time`,
      `${shareText(shareOfD2h)} of the D2H time`,
    ],
  ]);
}

function drawEngines(engines: readonly EngineUse[]): string[] {
  const rows = engines.map(({ name, busyNs, shareOfMakespan, bytes, bytesPerSecond, kind }) => [
    name,
    formatDuration(busyNs),
    shareText(shareOfMakespan),
    kind === 'compute' ? '' : formatBytes(bytes),
    bytesPerSecond === null || kind === 'compute' ? '' : formatRate(bytesPerSecond),
  ]);
  return table([['Engine', 'busy', 'of makespan', 'moved', 'bandwidth'], ...rows]);
}

function drawRecordingCost({ iterations }: SummaryDocument): string[] {
  const { recordedWallNs, plainWallNs, recordingOverheadNs } = iterations;
  if (recordedWallNs === null || plainWallNs === null || recordingOverheadNs === null) return [];
  const plain = formatDuration(plainWallNs.median);
  return [
    '',
    `By the host's clock an iteration takes ${plain}; recording adds ${formatDuration(recordingOverheadNs)}.`,
  ];
}

export function drawVerdicts(verdicts: readonly Verdict[], columns: number, colors: Colors): string[] {
  if (verdicts.length === 0) return ['No copy to judge.'];
  return verdicts.flatMap((verdict) => {
    const overlapped = verdict.cause === 'overlapped';
    const sign = overlapped ? colors.green('[overlapped]') : colors.yellow('[not overlapped]');
    const rule = verdict.rule === null ? '' : `Rule: ${verdict.rule}.`;
    return [
      `${sign} ${colors.bold(verdict.label)}: ${verdict.title}`,
      ...wrap(verdict.explanation, columns, '  '),
      ...(verdict.remedy === null ? [] : wrap(`Remedy: ${verdict.remedy}`, columns, '  ')),
      ...(rule === '' ? [] : [`  ${colors.dim(rule)}`]),
    ];
  });
}

export function drawVerification({ verification }: SummaryDocument, colors: Colors): string[] {
  const { bytesChecked, bytesWrong, checks, unverified } = verification;
  const count = (bytes: number): string => bytes.toLocaleString('en');
  const wrong = checks.filter((check) => check.bytesWrong > 0);
  return [
    bytesWrong === 0
      ? `Data: ${count(bytesChecked)} bytes checked, none wrong.`
      : colors.red(`Data: ${count(bytesWrong)} of ${count(bytesChecked)} bytes checked are WRONG.`),
    ...wrong.map(
      (check) => `  ${check.buffer}: ${count(check.bytesWrong)} wrong, the first at byte ${check.firstWrong}`,
    ),
    ...unverified.map(({ buffer, reason }) => `  ${buffer} was not checked: ${reason}`),
  ];
}

const shareText = (share: number | null): string => (share === null ? '–' : formatShare(share));
