/** Words for causes on the host: what blocked a thread when it should have issued the next operation. */

import type { Activity } from '../../trace/iteration.ts';
import { formatBytes, formatDuration, formatRate } from '../../units.ts';
import { pinnedNs } from './cost.ts';
import { durationOf } from './scene.ts';
import {
  capital,
  nonBlocking,
  otherWork,
  readLater,
  type Teller,
  type VerdictTexts,
  type Words,
} from './verdictTexts.ts';

export function pageable(texts: VerdictTexts, side: 'source' | 'destination'): Words {
  const { holder } = texts.shown.finding;
  if (texts.readsOneValue) return oneValue(texts, holder);
  const buffer = texts.hostBuffer;
  const work = side === 'source' ? 'the driver staged' : 'the driver brought back';
  const held =
    holder === null
      ? `${buffer} is pageable, so the call returns only when the data is ${side === 'source' ? 'staged' : 'there'}.`
      : texts.scene.facts.capture(texts.copy.op) !== undefined
        ? `The graph copies ${formatBytes(texts.copy.bytes)} of pageable memory, ${buffer}, through staging memory in ${formatDuration(durationOf(texts.copy))}; its launch doesn't wait for that.`
        : `${holder.name} blocked the host for ${formatDuration(durationOf(holder))} while ${work} ${formatBytes(texts.copy.bytes)} of pageable memory.`;
  const remedies = [
    `Pin ${buffer}${texts.shown.finding.also.length > 0 ? '' : '; the streams are already independent'}.`,
  ];
  const { also } = texts.shown.finding;
  if (also.includes('same-stream')) remedies.push(`${texts.ownStream} as well.`);
  if (also.includes('legacy-default-stream')) remedies.push(`${nonBlocking} as well.`);
  if (also.includes('issued-too-late')) remedies.push("Don't synchronise before the kernel is issued.");
  if (texts.shown.partner?.needsData === true) remedies.push(otherWork);
  // The copy itself doesn't gain what it takes to page-lock or fill the memory first.
  remedies.push(
    side === 'source'
      ? 'It gains only if the data is made in pinned memory: copying it there takes as long as staging.'
      : 'Read it there once the copy is done.',
  );
  return {
    title: `Pageable ${side}${texts.sameStream ? '' : ', though in another stream'}`,
    explanation: `${capital(held)}${ifPinned(texts)} ${texts.timing}${texts.andAlso}`,
    remedy: remedies.join(' '),
  };
}

/** Says how much of the copy's cost pinning saves. */
function ifPinned({ scene, copy, shown }: VerdictTexts): string {
  const ns = pinnedNs(scene, copy);
  if (ns === null || ns >= shown.costNs) return '';
  const rate = formatRate(scene.linkRate(copy));
  return ` During that time the device had no kernel for ${formatDuration(shown.costNs)}. From pinned memory the copy takes ${formatDuration(ns)} at ${rate}.`;
}

function oneValue(texts: VerdictTexts, holder: Activity | null): Words {
  const held =
    holder === null
      ? 'It blocked the host'
      : `${holder.name} blocked the host for ${formatDuration(durationOf(holder))}`;
  return {
    title: 'Host blocked to read one value',
    explanation: `${capital(held)} until ${formatBytes(texts.copy.bytes)} had come back from the device, as item() does. ${texts.timing}${texts.andAlso}`,
    remedy: `${texts.copyFirst ? `Issue ${texts.kernelName} first. ` : ''}${readLater}`,
  };
}

export const issuedTooLate: Teller = (texts) => {
  const { holder, obstacle } = texts.shown.finding;
  const second = texts.copyFirst ? texts.kernelName : 'the copy';
  const of = texts.operation(obstacle?.op);
  const calls = texts.shown.finding.callsBetween;
  const held =
    holder === null
      ? calls === undefined
        ? 'The run does not show what the host did in that time.'
        : `The host made ${calls} calls in that time.`
      : `The host was in ${holder.name}${of === null ? '' : ` of ${of}`} for ${formatDuration(durationOf(holder))}.`;
  return {
    title: holder === null ? 'Issued too late' : `Issued too late: host in ${holder.name}`,
    explanation: `${held} ${texts.timing}${texts.andAlso}`,
    remedy: lateRemedy(texts, second, holder),
  };
};

export const launchBlocking: Teller = (texts) => {
  const { holder } = texts.shown.finding;
  const held = holder === null ? '' : ` ${holder.name} blocked the host for ${formatDuration(durationOf(holder))}.`;
  return {
    title: 'Launch blocking',
    explanation: `CUDA_LAUNCH_BLOCKING=1 makes each call return only when its work has completed, so nothing can overlap.${held} ${texts.timing}${texts.andAlso}`,
    remedy: 'Turn launch blocking off: it is for finding errors.',
  };
};

export const launchQueueFull: Teller = (texts) => {
  const { holder, callsBetween } = texts.shown.finding;
  const of = texts.operation(holder?.op);
  const name = holder?.name ?? 'the call';
  const held =
    callsBetween === undefined
      ? `${capital(name)}${of === null ? '' : ` of ${of}`} blocked the host for ${formatDuration(holder === null ? 0 : durationOf(holder))}: its stream's launch queue was full.`
      : `The host made ${callsBetween} calls in between. ${capital(name)} and others blocked it: the launch queue of their stream was full.`;
  return {
    title: 'Launch queue full',
    explanation: `${held} ${texts.timing}${texts.andAlso}`,
    remedy: `Issue ${texts.secondName} before the queue fills, or put many small operations into a graph.`,
  };
};

export const allocationSynchronises: Teller = (texts) => {
  const { holder } = texts.shown.finding;
  const of = texts.operation(holder?.op);
  const name = holder?.name ?? 'an allocation';
  return {
    title: `Host blocked by ${name}`,
    explanation: `${capital(name)}${of === null ? '' : ` of ${of}`} waited until the device was done and blocked the host for ${formatDuration(holder === null ? 0 : durationOf(holder))}. ${texts.timing}${texts.andAlso}`,
    remedy: `Take memory from a pool or a caching allocator, or issue ${texts.secondName} before.`,
  };
};

function lateRemedy(texts: VerdictTexts, second: string, holder: Activity | null): string {
  const { pair } = texts.shown;
  if (holder === null) return `Issue ${second} earlier.`;
  if (holder.kind === 'host-sync') return `Issue ${second} before synchronising.`;
  if (holder.kind !== 'host-call') {
    const isNeeded = pair !== null && texts.scene.facts.shareData(holder.op, pair.second.op) === true;
    if (!isNeeded) return `Issue ${second} before the host's own work.`;
    const other = texts.copyFirst ? 'the copy' : texts.kernelName;
    return `${capital(second)} needs the result of "${holder.name}": make it ahead of time, or on another host thread while ${other} runs.`;
  }
  if (holder.row === pair?.secondCall?.row) {
    return `Find out what blocked ${holder.name}: a full launch queue, or a processor busy with other threads.`;
  }
  return `Issue ${second} before that call${holder.row === pair?.firstCall?.row ? ', or on another host thread' : ''}.`;
}
