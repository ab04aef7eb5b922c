/**
 * Figures that a gate can limit. Each is measured in every step. The limit applies to:
 *
 * - Counts and bytes: the step with the largest value, so it holds for every step.
 * - Times and shares: the median step (the lower of the middle two), because single steps can be longer for other
 *   reasons.
 *
 * A step is one of a trace's steps (core/lift/steps.ts) or one recorded iteration of a run.
 */
import { formatBytes, formatDuration, formatShare } from '../../units.ts';

export const gateFigures = [
  'pageableCopies',
  'pageableBytes',
  'waitingCalls',
  'exposedCopyNs',
  'hostHeldNs',
  'idleShare',
  'stepNs',
  'hazards',
] as const;
export type GateFigure = (typeof gateFigures)[number];

export type GateUnit = 'count' | 'bytes' | 'ns' | 'share';

interface FigureFacts {
  readonly unit: GateUnit;
  readonly title: string;
  /** Returns the amount as the beginning of a sentence. */
  readonly tell: (amount: string) => string;
  readonly remedy: string;
}

const pin =
  'Pin the source once, where it is made (pin_memory=True in a DataLoader, Tensor.pin_memory(), cudaMallocHost), and copy with non_blocking=True.';

export const figureFacts: Readonly<Record<GateFigure, FigureFacts>> = {
  pageableCopies: {
    unit: 'count',
    title: 'Copies of pageable memory',
    tell: (amount) => `${amount} ${amount === '1' ? 'copy' : 'copies'} of pageable memory`,
    remedy: pin,
  },
  pageableBytes: {
    unit: 'bytes',
    title: 'Bytes copied from or to pageable memory',
    tell: (amount) => `${amount} copied from or to pageable memory`,
    remedy: pin,
  },
  waitingCalls: {
    unit: 'count',
    title: 'Calls that wait for the device',
    tell: (amount) =>
      amount === '1' ? '1 call that waits for the device' : `${amount} calls that wait for the device`,
    remedy:
      'Wait once, behind the loop: .item(), .cpu(), nonzero() and printing a tensor wait for all that their stream has to do.',
  },
  exposedCopyNs: {
    unit: 'ns',
    title: 'Copies between host and device that no kernel overlaps',
    tell: (amount) => `${amount} of copying that no kernel overlaps`,
    remedy: 'Copy page-locked memory ahead, in a stream of its own, while kernels run.',
  },
  hostHeldNs: {
    unit: 'ns',
    title: 'Blocked time of a host thread, in waiting calls and in copies that return late',
    tell: (amount) => `${amount} in which the host thread is blocked`,
    remedy: 'Pin what is copied, and wait later or not at all.',
  },
  idleShare: {
    unit: 'share',
    title: 'A device that does nothing',
    tell: (amount) => `${amount} of the time the device does nothing`,
    remedy: 'copyscope explain says what the device waits for.',
  },
  stepNs: {
    unit: 'ns',
    title: 'Duration of a step',
    tell: (amount) => `${amount} from begin to end`,
    remedy: 'copyscope explain says where the step time goes.',
  },
  hazards: {
    unit: 'count',
    title: 'Hazards',
    tell: (amount) => `${amount} ${amount === '1' ? 'hazard' : 'hazards'}`,
    remedy: 'copyscope check says which order is missing.',
  },
};

/** Returns whether the step with the largest value is compared with the limit, rather than the one with the median. */
export const takesMost = (figure: GateFigure): boolean => {
  const { unit } = figureFacts[figure];
  return unit === 'count' || unit === 'bytes';
};

/** Returns a figure with its value, as the beginning of a sentence. */
export const tellFigure = (figure: GateFigure, value: number): string =>
  figureFacts[figure].tell(figureText(figure, value));

/** Formats a value of a figure. */
export function figureText(figure: GateFigure, value: number): string {
  switch (figureFacts[figure].unit) {
    case 'bytes':
      return formatBytes(value);
    case 'ns':
      return formatDuration(value);
    case 'share':
      return formatShare(value);
    default:
      return String(value);
  }
}
