/** A run's summary as text: its origin, its figures, the verdicts, and the data check. */

import type { EngineUse } from '../../../core/explain/figures/engines.ts';
import type { CopyKernelOverlap, Overlap } from '../../../core/explain/figures/overlap.ts';
import { rateIntervalText } from '../../../core/explain/summary/predictedIntervals.ts';
import type { LazySummary } from '../../../core/explain/summary/summary.ts';
import { intervalText } from '../../../core/machine/cost/interval.ts';
import { isUnmeasuredDevice } from '../../../core/machine/profile/profile.ts';
import { laneTitles } from '../../../core/trace/laneTitles.ts';
import type { RunInfo, RunOrigin } from '../../../core/trace/run.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../../core/units.ts';
import type { Colors } from '../io.ts';
import { limited, table } from './text.ts';

type Described = Pick<RunInfo, 'engine' | 'machine' | 'createdAt' | 'device'> & {
  readonly profile?: string | null | undefined;
  readonly ranOn?: string | null | undefined;
};

/** Returns text such as 'simulated with profile h200' or 'recorded on NVIDIA H200 at 2026-11-20 05:45 UTC'. */
export function describeOrigin(summary: Described, origin: RunOrigin): string {
  if (origin === 'simulated') {
    const words = isUnmeasuredDevice(summary.device?.name ?? '') ? ', built from published figures, not measured' : '';
    return `simulated with profile ${summary.profile ?? 'unknown'}${words}`;
  }
  const of = (summary.ranOn ?? null) === null ? '' : ` of ${summary.ranOn}`;
  const device =
    summary.engine === 'cpu'
      ? `${summary.machine?.cpu ?? 'a machine'}${of} by the CPU engine, without a GPU`
      : 'an unknown GPU';
  const when = origin === 'recorded' ? ` at ${summary.createdAt.slice(0, 16).replace('T', ' ')} UTC` : '';
  return `${origin} on ${summary.device === null ? device : `${summary.device.name}${of}`}${when}`;
}

export function drawHeading(summary: LazySummary, origin: RunOrigin, colors: Colors): string[] {
  const makespan = describeMakespan(summary);
  const { status, imported, error } = summary;
  const ended =
    imported !== null ? 'This trace is partial' : `This run ${status === 'failed' ? 'failed' : `is ${status}`}`;
  const where = error?.field === undefined ? '' : `${error.field}: `;
  const why = error === null ? '' : `: ${where}${error.message}`;
  const notWhole = status === 'complete' ? [] : [`${ended}${why}`];
  return [colors.bold(summary.name), `${describeOrigin(summary, origin)}; ${makespan}`, ...notWhole];
}

function describeMakespan({ makespanNs, makespanInterval, iterations }: LazySummary): string {
  const spread = iterations.recordedMakespanNs;
  if (makespanNs === null || spread === null) return 'nothing recorded';
  const shown = `makespan ${formatDuration(makespanNs)}`;
  if (makespanInterval !== null) return `${shown}, ${intervalText(makespanInterval)}`;
  if (spread.count === 1) return shown;
  return `${shown}, ${formatDuration(spread.min)} to ${formatDuration(spread.max)} over ${spread.count} iterations`;
}

export function drawFigures(summary: LazySummary): string[] {
  const engines = [...drawEngines(summary.engines), ...drawBandwidthIntervals(summary)];
  return [...drawOverlap(summary.overlap), '', ...engines, ...drawRecordingCost(summary)];
}

function drawOverlap(overlap: Overlap): string[] {
  const { h2dKernel, d2hKernel, h2dD2h } = overlap;
  return table([
    ['Overlap', 'at once'],
    withKernel('H2D', h2dKernel),
    withKernel('D2H', d2hKernel),
    pair('H2D with D2H', h2dD2h.timeNs, [h2dD2h.shareOfH2d, 'H2D'], [h2dD2h.shareOfD2h, 'D2H']),
  ]);
}

const withKernel = (name: string, { timeNs, shareOfKernel, shareOfCopy }: CopyKernelOverlap): string[] =>
  pair(`${name} with kernel`, timeNs, [shareOfCopy, name], [shareOfKernel, 'kernel']);

/** Shares are null for work that the run lacks. */
function pair(
  name: string,
  timeNs: number,
  ...parts: readonly (readonly [share: number | null, what: string])[]
): string[] {
  const missing = parts.find(([share]) => share === null);
  if (missing !== undefined) return [name, '–', `no ${missing[1]} in this run`];
  return [name, formatDuration(timeNs), ...parts.map(([share, what]) => `${shareText(share)} of the ${what} time`)];
}

function drawEngines(engines: readonly EngineUse[]): string[] {
  const names = laneTitles(engines);
  const rows = engines.map(({ busyNs, shareOfMakespan, bytes, bytesPerSecond, kind }, index) => [
    names[index] ?? '',
    formatDuration(busyNs),
    shareText(shareOfMakespan),
    kind === 'compute' ? '' : formatBytes(bytes),
    bytesPerSecond === null || kind === 'compute' ? '' : formatRate(bytesPerSecond),
  ]);
  return table([['Engine', 'busy', 'of makespan', 'moved', 'bandwidth'], ...rows]);
}

/** Returns a line such as 'Link, predicted: H2D 55.1 GB/s, 52.6 to 57.4 GB/s (90 %).' */
function drawBandwidthIntervals({ link, bandwidthIntervals }: LazySummary): string[] {
  const ways = (['h2d', 'd2h'] as const).flatMap((way) => {
    const [rate, interval] = [link[way].bytesPerSecond, bandwidthIntervals?.[way] ?? null];
    return rate === null || interval === null
      ? []
      : `${way.toUpperCase()} ${formatRate(rate)}, ${rateIntervalText(interval)}`;
  });
  return ways.length === 0 ? [] : ['', `Link, predicted: ${ways.join('; ')}.`];
}

function drawRecordingCost({ iterations, timing }: LazySummary): string[] {
  const { recordedWallNs, plainWallNs } = iterations;
  if (timing === 'simulated' || recordedWallNs === null || plainWallNs === null) return [];
  const [plain, recorded] = [formatDuration(plainWallNs.median), formatDuration(recordedWallNs.median)];
  return ['', `By the host's clock an iteration takes ${plain}, and ${recorded} while it is recorded.`];
}

export function drawVerification({ verification, timing, imported }: LazySummary, colors: Colors): string[] {
  if (timing === 'simulated') return ['Data: not checked, since a simulation moves none.'];
  if (imported !== null) return ['Data: not checked, since a trace holds none.'];
  const { bytesChecked, bytesWrong, checks, unverified } = verification;
  const count = (bytes: number): string => bytes.toLocaleString('en');
  const wrong = checks.filter((check) => check.bytesWrong > 0);
  return [
    bytesWrong === 0
      ? `Data: ${count(bytesChecked)} bytes checked, none wrong.`
      : colors.red(`Data: ${count(bytesWrong)} of ${count(bytesChecked)} bytes checked are WRONG.`),
    ...limited(
      wrong.map(
        (check) => `  ${check.buffer}: ${count(check.bytesWrong)} wrong, the first at byte ${check.firstWrong}`,
      ),
    ),
    ...limited(unverified.map(({ buffer, reason }) => `  ${buffer} was not checked: ${reason}`)),
  ];
}

const shareText = (share: number | null): string => (share === null ? '–' : formatShare(share));
