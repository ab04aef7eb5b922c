/** The summary of a run as blocks: its origin, its figures, the check of its data, and its machine. */
import { type IdleCause, idleCauses } from '../explain/figures/idleCauses.ts';
import { rateIntervalText } from '../explain/summary/predictedIntervals.ts';
import type { SummaryDocument } from '../explain/summary/summaryDocument.ts';
import { intervalText } from '../machine/cost/interval.ts';
import { isUnmeasuredDevice } from '../machine/profile/profile.ts';
import type { Spread } from '../statistics.ts';
import { laneTitles } from '../trace/laneTitles.ts';
import type { AllocatorState, RunInfo, RunOrigin } from '../trace/run.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../units.ts';
import type { Block, Fact, FactsBlock, TextBlock } from './blocks.ts';

type Summary = Omit<SummaryDocument, 'operations'>;

const facts = (title: string, all: readonly (Fact | null)[], about?: FactsBlock['about']): FactsBlock[] => {
  const known = all.filter((fact) => fact !== null);
  return known.length === 0 && about === undefined ? [] : [{ kind: 'facts', title, facts: known, about }];
};

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

/** Returns the run's origin and makespan, and the reason if it isn't complete. */
export function headingText(summary: Summary, origin: RunOrigin): string[] {
  const { status, imported, error } = summary;
  const ended =
    imported !== null ? 'This trace is partial' : `This run ${status === 'failed' ? 'failed' : `is ${status}`}`;
  const where = error?.field === undefined ? '' : `${error.field}: `;
  const why = error === null ? '' : `: ${where}${error.message}`;
  const heading = `${describeOrigin(summary, origin)}; ${describeMakespan(summary)}`;
  return status === 'complete' ? [heading] : [heading, `${ended}${why}`];
}

function describeMakespan({ makespanNs, makespanInterval, iterations }: Summary): string {
  const spread = iterations.recordedMakespanNs;
  if (makespanNs === null || spread === null) return 'nothing recorded';
  const shown = `makespan ${formatDuration(makespanNs)}`;
  if (makespanInterval !== null) return `${shown}, ${intervalText(makespanInterval)}`;
  const range = rangeText(spread);
  return range === undefined ? shown : `${shown}, ${range} over ${spread.count} iterations`;
}

export function overlapBlocks({ overlap }: Summary): Block[] {
  const { h2dKernel, d2hKernel, h2dD2h, h2dBusyNs, d2hBusyNs, kernelBusyNs } = overlap;
  if ([h2dBusyNs, d2hBusyNs, kernelBusyNs].filter((busyNs) => busyNs > 0).length < 2) return [];
  const withKernel = (name: string, { timeNs, shareOfCopy, shareOfKernel }: typeof h2dKernel): (Fact | null)[] =>
    shareOfCopy === null
      ? []
      : [
          { name: `${name} with kernel`, value: formatDuration(timeNs) },
          share(`of ${name} time`, shareOfCopy),
          shareOfKernel === null ? null : share('of kernel time', shareOfKernel),
        ];
  const isBoth = h2dD2h.shareOfH2d !== null && h2dD2h.shareOfD2h !== null;
  return facts('Overlap', [
    ...withKernel('H2D', h2dKernel),
    ...withKernel('D2H', d2hKernel),
    isBoth ? { name: 'H2D with D2H', value: formatDuration(h2dD2h.timeNs) } : null,
  ]);
}

const share = (name: string, value: number): Fact => ({ name, value: formatShare(value), share: value, isPart: true });

export function engineBlocks({ engines, bandwidthIntervals }: Summary): Block[] {
  const names = laneTitles(engines);
  return facts(
    'Engines',
    engines.map((engine, index): Fact => {
      const { busyNs, bytes, bytesPerSecond, direction, shareOfMakespan, operations } = engine;
      const name = names[index] ?? engine.name;
      if (busyNs === 0) return { name, value: 'idle' };
      const interval = (direction === 'h2d' || direction === 'd2h' ? bandwidthIntervals?.[direction] : null) ?? null;
      const moved = bytesPerSecond === null ? undefined : `${formatBytes(bytes)} at ${formatRate(bytesPerSecond)}`;
      return {
        name,
        value: timeAndShare(busyNs, shareOfMakespan ?? 0),
        share: shareOfMakespan ?? 0,
        more:
          engine.kind === 'compute' ? undefined : interval === null ? moved : `${moved}, ${rateIntervalText(interval)}`,
        meaning: `${operations} activities; busy, and share of the makespan`,
      };
    }),
  );
}

const timeAndShare = (ns: number, of: number): string => `${formatDuration(ns)}, ${formatShare(of)}`;

const causeNames: Readonly<Record<IdleCause, string>> = {
  loading: 'host loads data',
  working: 'host works on data',
  held: 'host blocked by a copy',
  waiting: 'host waits for it',
  issuing: 'host issues calls',
  other: 'host does other work',
};

/** Shorter parts of the idle time are left out. */
const leastShare = 0.001;

/** Returns shares of each device's time: computing, and waiting for data or for the host. */
export const deviceBlocks = ({ temporal, deviceIdle }: Summary): Block[] =>
  temporal.flatMap(({ device, totalNs, computeNs, nonComputeNs, communicationNs, idleNs }) => {
    if (totalNs === 0) return [];
    const part = (name: string, ns: number, isPart = false): Fact => ({
      name,
      value: timeAndShare(ns, ns / totalNs),
      share: ns / totalNs,
      meaning: "Share of the time from the device's first activity to the end of its last",
      isPart,
    });
    const causes = deviceIdle.find((one) => one.device === device)?.causes;
    const idle = (causes === undefined ? [] : idleCauses.map((cause) => ({ cause, ns: causes[cause] })))
      .filter(({ ns }) => ns > leastShare * totalNs)
      .sort((a, b) => b.ns - a.ns);
    return facts(temporal.length === 1 ? 'Device time' : `Device time, ${device}`, [
      part('Kernels', computeNs),
      part(communicationNs === 0 ? 'Only copies' : 'Only copies or communication', nonComputeNs),
      part('Idle', idleNs),
      ...idle.map(({ cause, ns }) => part(causeNames[cause], ns, true)),
    ]);
  });

export const hostBlocks = ({ host }: Summary): Block[] =>
  host.flatMap(({ name, calls, issuingNs, heldByCopyNs, blockedInSynchronizeNs, workingNs, otherNs }) => {
    const time = (title: string, ns: number): Fact | null =>
      ns > 0 ? { name: title, value: formatDuration(ns) } : null;
    // A profiler's threads already have "thread" in their names.
    return facts(name.startsWith('thread ') ? `Host ${name}` : `Host thread ${name}`, [
      time(calls === 1 ? 'Issuing 1 call' : `Issuing ${calls} calls`, issuingNs),
      time('Blocked by a copy', heldByCopyNs),
      time('Blocked in synchronise', blockedInSynchronizeNs),
      time('Working', workingNs),
      time('Other', otherNs),
    ]);
  });

const allocatorNames: Readonly<Record<AllocatorState['allocator'], string>> = {
  caching: 'caching allocator',
  'caching-host': 'caching host allocator',
  pool: 'pool',
};

/** Returns peaks of memory in use by place, and what each allocator holds. */
export const memoryBlocks = ({ memory, allocators }: Summary): Block[] =>
  facts('Memory', [
    ...memory.map(({ device, memory: kind, mostBytes }): Fact => {
      return { name: `Most in use, ${device || kind}`, value: formatBytes(mostBytes) };
    }),
    ...allocators.map(({ allocator, device, ...held }): Fact => {
      const { allocatedBytes, reservedBytes, peakAllocatedBytes, peakReservedBytes } = held;
      const [used, reserved, mostUsed, most] = [
        allocatedBytes,
        reservedBytes,
        peakAllocatedBytes,
        peakReservedBytes,
      ].map((bytes) => formatBytes(bytes));
      return {
        name: `${device} ${allocatorNames[allocator]}`.trimStart(),
        value: `${used} in use, ${reserved} reserved`,
        more: `most ${mostUsed} and ${most}${held.retries > 0 ? `, ${held.retries} retries` : ''}`,
      };
    }),
  ]);

const count = (value: number): string => value.toLocaleString('en-US');
const mostChecks = 10;

export function dataBlocks(summary: Summary): Block[] {
  const { checks, unverified } = summary.verification;
  const wrong = checks.filter(({ bytesWrong }) => bytesWrong > 0).slice(0, mostChecks);
  return facts(
    'Data',
    [
      ...wrong.map(({ kind, buffer, bytesWrong, bytesChecked, firstWrong }) => ({
        name: kind === 'read' ? `${buffer}, as read` : buffer,
        value: `${count(bytesWrong)} of ${count(bytesChecked)} wrong, the first at byte ${count(firstWrong)}`,
      })),
      ...unverified
        .slice(0, mostChecks)
        .map(({ buffer, reason }) => ({ name: `${buffer}: not verified`, value: reason })),
    ],
    verdictOnData(summary),
  );
}

function verdictOnData({ engine, imported, verification }: Summary): TextBlock {
  const { bytesChecked, bytesWrong } = verification;
  const said = (text: string, tone?: TextBlock['tone']): TextBlock =>
    tone === undefined ? { kind: 'text', text, look: 'dim' } : { kind: 'text', text, tone };
  if (engine === 'sim') return said('A simulation moves no data, so there is none to verify.');
  if (imported !== null) return said('A trace contains no data to verify.');
  if (bytesChecked === 0) return said('Nothing was verified.');
  if (bytesWrong === 0) return said(`Every byte of ${formatBytes(bytesChecked)} is right`, 'good');
  return said(`${count(bytesWrong)} of ${count(bytesChecked)} bytes are wrong`, 'bad');
}

const timings: Readonly<Record<SummaryDocument['timing'], string>> = {
  cupti: 'CUPTI device timestamps',
  'cuda-events': 'CUDA events',
  'host-clock': 'host clock',
  simulated: 'simulated',
};

const rangeText = ({ min, max, count: values }: Spread): string | undefined =>
  values > 1 && max > min ? `${formatDuration(min)} to ${formatDuration(max)}` : undefined;

export function timingBlocks({ iterations, timing, engine, makespanInterval }: Summary): Block[] {
  const { recordedMakespanNs, recordedWallNs, plainWallNs, recordingOverheadNs, recorded } = iterations;
  const spread = (name: string, value: Spread | null): Fact | null =>
    value === null
      ? null
      : {
          name,
          value: formatDuration(value.median),
          more: rangeText(value),
          meaning: `Median of ${value.count}, and least to greatest`,
        };
  const cost: Fact | null =
    recordingOverheadNs === null
      ? null
      : {
          name: 'Cost of recording',
          value: formatDuration(recordingOverheadNs),
          meaning: 'Difference of the medians of recorded and un-recorded iterations',
        };
  const isExecuted = engine !== 'sim';
  return facts('Timing', [
    { name: 'Device times from', value: timings[timing] },
    isExecuted ? { name: 'Recorded iterations', value: String(recorded) } : null,
    spread('Makespan', recordedMakespanNs),
    makespanInterval === null
      ? null
      : {
          name: 'Predicted interval',
          value: intervalText(makespanInterval),
          meaning: 'Makespans of nine in ten machines of this kind',
        },
    // By the host's clock, with and without recording. A prediction has no such cost.
    ...(isExecuted ? [spread('Wall, recorded', recordedWallNs), spread('Wall, not recorded', plainWallNs), cost] : []),
  ]);
}

const engineNames: Readonly<Record<SummaryDocument['engine'], string>> = {
  cuda: 'CUDA',
  cpu: 'CPU engine',
  sim: 'Simulator',
};

/** `date` is `createdAt` as the reader writes it. */
export function machineBlocks({ device, machine, versions, profile, engine }: Summary, date: string): Block[] {
  const fact = (name: string, value: string | null | undefined): Fact | null =>
    value == null ? null : { name, value };
  const link = device?.linkGeneration == null ? null : `PCIe ${device.linkGeneration}.0 ×${device.linkWidth ?? '?'}`;
  return facts('Made on', [
    fact('Engine', engineNames[engine]),
    fact('Profile', profile),
    fact('Device', device?.name),
    fact('Link', link),
    fact('Processor', machine?.cpu),
    fact('System', machine?.os),
    fact('Driver', versions.driver),
    fact('CUDA runtime', versions.runtime),
    fact('CUPTI', versions.cupti),
    fact('Copyscope', versions.copyscope),
    fact('Date', date),
  ]);
}

/** Returns the whole summary in the order of reports. */
export const summaryBlocks = (summary: Summary, date: string): Block[] => [
  ...overlapBlocks(summary),
  ...deviceBlocks(summary),
  ...engineBlocks(summary),
  ...hostBlocks(summary),
  ...memoryBlocks(summary),
  ...dataBlocks(summary),
  ...timingBlocks(summary),
  ...machineBlocks(summary, date),
];
