/** The summary of a whole run in blocks, for the inspector, reports and paper. */
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { type DeviceIdle, type IdleCause, idleCauses } from '../../core/explain/figures/idleCauses.ts';
import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import { intervalText } from '../../core/machine/cost/interval.ts';
import type { Spread } from '../../core/statistics.ts';
import { laneTitles } from '../../core/trace/laneTitles.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../core/units.ts';
import { formatInstant } from '../common/time.ts';
import { Block, Fact, Facts, ShareBar } from './Facts.tsx';
import classes from './Inspector.module.css';

export function OverlapBlock({ summary: { overlap } }: { readonly summary: WindowSummary }) {
  const { h2dKernel, d2hKernel, h2dD2h, h2dBusyNs, d2hBusyNs, kernelBusyNs } = overlap;
  const kinds = [h2dBusyNs, d2hBusyNs, kernelBusyNs].filter((busyNs) => busyNs > 0);
  if (kinds.length < 2) return null;
  return (
    <Block title="Overlap">
      <Facts>
        <CopyOverlap name="H2D" {...h2dKernel} />
        <CopyOverlap name="D2H" {...d2hKernel} />
        {h2dD2h.shareOfH2d === null || h2dD2h.shareOfD2h === null ? null : (
          <Fact name="H2D with D2H">{formatDuration(h2dD2h.timeNs)}</Fact>
        )}
      </Facts>
    </Block>
  );
}

interface CopyOverlapProps {
  readonly name: string;
  readonly timeNs: number;
  readonly shareOfCopy: number | null;
  readonly shareOfKernel: number | null;
}

function CopyOverlap({ name, timeNs, shareOfCopy, shareOfKernel }: CopyOverlapProps) {
  if (shareOfCopy === null) return null;
  return (
    <>
      <Fact name={`${name} with kernel`}>{formatDuration(timeNs)}</Fact>
      <Fact name={`of ${name} time`}>
        <ShareBar share={shareOfCopy} /> {formatShare(shareOfCopy)}
      </Fact>
      {shareOfKernel === null ? null : (
        <Fact name="of kernel time">
          <ShareBar share={shareOfKernel} /> {formatShare(shareOfKernel)}
        </Fact>
      )}
    </>
  );
}

export function EngineBlock({ summary }: { readonly summary: WindowSummary }) {
  if (summary.engines.length === 0) return null;
  const names = laneTitles(summary.engines);
  return (
    <Block title="Engines">
      <Facts>
        {summary.engines.map((engine, index) => (
          <Fact key={engine.lane} name={names[index] ?? engine.name} title={`${engine.operations} activities`}>
            {engine.busyNs === 0 ? (
              'idle'
            ) : (
              <>
                <ShareBar share={engine.shareOfMakespan ?? 0} /> {formatDuration(engine.busyNs)}
                {engine.kind === 'copy-engine' && engine.bytesPerSecond !== null
                  ? `, ${formatRate(engine.bytesPerSecond)}`
                  : null}
              </>
            )}
          </Fact>
        ))}
      </Facts>
    </Block>
  );
}

/** Shares of each device's time: computing, and waiting for data or for the host. */
export function DeviceBlock({ summary: { temporal, deviceIdle } }: { readonly summary: WindowSummary }) {
  return temporal.map(({ device, totalNs, computeNs, nonComputeNs, communicationNs, idleNs }) => (
    <Block key={device} title={temporal.length === 1 ? 'Device time' : `Device time, ${device}`}>
      <Facts>
        <DeviceTime name="Kernels" timeNs={computeNs} totalNs={totalNs} />
        <DeviceTime
          name={communicationNs === 0 ? 'Only copies' : 'Only copies or communication'}
          timeNs={nonComputeNs}
          totalNs={totalNs}
        />
        <DeviceTime name="Idle" timeNs={idleNs} totalNs={totalNs} />
        <IdleCauses idle={deviceIdle.find((one) => one.device === device)} totalNs={totalNs} />
      </Facts>
    </Block>
  ));
}

const causeNames: Readonly<Record<IdleCause, string>> = {
  loading: 'host loads data',
  working: 'host works on data',
  held: 'host held by a copy',
  waiting: 'host waits for it',
  issuing: 'host issues calls',
  other: 'host does other work',
};

/** Shorter parts of the idle time are left out. */
const leastShare = 0.001;

function IdleCauses({ idle, totalNs }: { readonly idle: DeviceIdle | undefined; readonly totalNs: number }) {
  if (idle === undefined) return null;
  return idleCauses
    .filter((cause) => idle.causes[cause] > leastShare * totalNs)
    .toSorted((a, b) => idle.causes[b] - idle.causes[a])
    .map((cause) => (
      <DeviceTime key={cause} name={`– ${causeNames[cause]}`} timeNs={idle.causes[cause]} totalNs={totalNs} />
    ));
}

interface DeviceTimeProps {
  readonly name: string;
  readonly timeNs: number;
  readonly totalNs: number;
}

function DeviceTime({ name, timeNs, totalNs }: DeviceTimeProps) {
  if (totalNs === 0) return null;
  return (
    <Fact name={name} title="Share of the time from the device's first activity to the end of its last">
      <ShareBar share={timeNs / totalNs} /> {formatDuration(timeNs)}, {formatShare(timeNs / totalNs)}
    </Fact>
  );
}

export function HostBlock({ summary }: { readonly summary: WindowSummary }) {
  const busy = summary.host.filter(
    ({ calls, heldByCopyNs, blockedInSynchronizeNs, workingNs, otherNs }) =>
      calls > 0 || heldByCopyNs + blockedInSynchronizeNs + workingNs + otherNs > 0,
  );
  return busy.map((host) => (
    <Block key={host.lane} title={hostTitle(host.name)}>
      <Facts>
        <Time name={host.calls === 1 ? 'Issuing 1 call' : `Issuing ${host.calls} calls`} value={host.issuingNs} />
        <Time name="Held by a copy" value={host.heldByCopyNs} />
        <Time name="Blocked in synchronise" value={host.blockedInSynchronizeNs} />
        <Time name="Working" value={host.workingNs} />
        <Time name="Other" value={host.otherNs} />
      </Facts>
    </Block>
  ));
}

/** Returns the title of a host thread. A profiler's threads already have "thread" in their names. */
const hostTitle = (name: string): string => (name.startsWith('thread ') ? `Host ${name}` : `Host thread ${name}`);

const Time = ({ name, value }: { readonly name: string; readonly value: number }) =>
  value > 0 ? <Fact name={name}>{formatDuration(value)}</Fact> : null;

const count = (value: number): string => value.toLocaleString('en-US');

export function VerificationBlock({ summary }: { readonly summary: WindowSummary }) {
  const { bytesChecked, bytesWrong, checks, unverified } = summary.verification;
  const simulated = summary.engine === 'sim';
  return (
    <Block title="Data">
      {simulated ? <p className={classes['prose']}>A simulation moves no data, so there is none to verify.</p> : null}
      {!simulated && bytesChecked > 0 ? (
        <p className={classes['check']} data-tone={bytesWrong === 0 ? 'good' : 'bad'}>
          {bytesWrong === 0 ? <IconCircleCheck size={16} aria-hidden /> : <IconCircleX size={16} aria-hidden />}
          {bytesWrong === 0
            ? `Every byte of ${formatBytes(bytesChecked)} is right`
            : `${count(bytesWrong)} of ${count(bytesChecked)} bytes are wrong`}
        </p>
      ) : null}
      {!simulated && bytesChecked === 0 ? <p className={classes['prose']}>Nothing was verified.</p> : null}
      <Facts>
        {checks
          .filter((check) => check.bytesWrong > 0)
          .slice(0, 10)
          .map((check) => (
            <Fact
              key={`${check.kind}:${check.buffer}:${check.op}`}
              name={check.kind === 'read' ? `${check.buffer}, as read` : check.buffer}
              title={`The first wrong byte is at ${count(check.firstWrong)}`}
            >
              {count(check.bytesWrong)} of {count(check.bytesChecked)} wrong, the first at byte{' '}
              {count(check.firstWrong)}
            </Fact>
          ))}
        {unverified.slice(0, 10).map(({ buffer, reason }) => (
          <Fact key={buffer} name={`${buffer}: not verified`}>
            {reason}
          </Fact>
        ))}
      </Facts>
    </Block>
  );
}

const timings: Readonly<Record<WindowSummary['timing'], string>> = {
  cupti: 'CUPTI device timestamps',
  'cuda-events': 'CUDA events',
  'host-clock': 'host clock',
  simulated: 'simulated',
};

export function TimingBlock({
  summary: { iterations, timing, engine, makespanInterval },
}: {
  readonly summary: WindowSummary;
}) {
  const { recordedMakespanNs, recorded } = iterations;
  return (
    <Block title="Timing">
      <Facts>
        <Fact name="Device times from">{timings[timing]}</Fact>
        {engine === 'sim' ? null : <Fact name="Recorded iterations">{recorded}</Fact>}
        <SpreadFact name="Makespan" spread={recordedMakespanNs} />
        {makespanInterval === null ? null : (
          <Fact name="Predicted interval" title="Makespans of nine in ten machines of this kind">
            {intervalText(makespanInterval)}
          </Fact>
        )}
        {engine === 'sim' ? null : <RecordingCost iterations={iterations} />}
      </Facts>
    </Block>
  );
}

/** The cost of recording: iterations by the host's clock, with and without recording. A prediction has none. */
function RecordingCost({ iterations }: Pick<WindowSummary, 'iterations'>) {
  const { recordedWallNs, plainWallNs, recordingOverheadNs } = iterations;
  return (
    <>
      <SpreadFact name="Wall, recorded" spread={recordedWallNs} />
      <SpreadFact name="Wall, not recorded" spread={plainWallNs} />
      {recordingOverheadNs === null ? null : (
        <Fact name="Cost of recording" title="Difference of the medians of recorded and un-recorded iterations">
          {formatDuration(recordingOverheadNs)}
        </Fact>
      )}
    </>
  );
}

function SpreadFact({ name, spread }: { readonly name: string; readonly spread: Spread | null }) {
  if (spread === null) return null;
  const { median, min, max, count } = spread;
  return (
    <Fact name={name} title={`Median of ${count}, and least to greatest`}>
      {formatDuration(median)}
      {count > 1 && max > min ? (
        <small>
          {formatDuration(min)} to {formatDuration(max)}
        </small>
      ) : null}
    </Fact>
  );
}

const engineNames: Readonly<Record<WindowSummary['engine'], string>> = {
  cuda: 'CUDA',
  cpu: 'CPU engine',
  sim: 'Simulator',
};

export function MachineBlock({ summary }: { readonly summary: WindowSummary }) {
  const { device, machine, versions, profile, createdAt, engine } = summary;
  return (
    <Block title="Made on">
      <Facts>
        <Fact name="Engine">{engineNames[engine]}</Fact>
        {profile === null ? null : <Fact name="Profile">{profile}</Fact>}
        {device === null ? null : <Fact name="Device">{device.name}</Fact>}
        {device?.linkGeneration == null ? null : (
          <Fact name="Link">
            PCIe {device.linkGeneration}.0 ×{device.linkWidth ?? '?'}
          </Fact>
        )}
        {machine === null ? null : <Fact name="Processor">{machine.cpu}</Fact>}
        {machine === null ? null : <Fact name="System">{machine.os}</Fact>}
        {versions.driver === null ? null : <Fact name="Driver">{versions.driver}</Fact>}
        {versions.runtime === null ? null : <Fact name="CUDA runtime">{versions.runtime}</Fact>}
        {versions.cupti === null ? null : <Fact name="CUPTI">{versions.cupti}</Fact>}
        <Fact name="Copyscope">{versions.copyscope}</Fact>
        <Fact name="Date">{formatInstant(createdAt)}</Fact>
      </Facts>
    </Block>
  );
}

export function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <Block title="Notes">
      <ul className={classes['notes']}>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Block>
  );
}
