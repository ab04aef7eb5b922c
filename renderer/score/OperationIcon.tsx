import {
  IconArrowDown,
  IconArrowsLeftRight,
  IconArrowUp,
  IconBolt,
  IconBookmark,
  IconClockPause,
  IconEye,
  IconFunction,
  IconHourglass,
  IconPencil,
  IconPin,
  IconPointFilled,
  IconTool,
} from '@tabler/icons-react';
import type { Operation, OperationName } from '../../core/experiment/operations.ts';

const icons: Partial<Readonly<Record<OperationName, typeof IconBolt>>> = {
  kernel: IconBolt,
  graphLaunch: IconBolt,
  copy: IconArrowsLeftRight,
  multiCopy: IconArrowsLeftRight,
  item: IconArrowDown,
  recordEvent: IconBookmark,
  waitEvent: IconHourglass,
  synchronizeEvent: IconClockPause,
  synchronizeStream: IconClockPause,
  synchronizeDevice: IconClockPause,
  waitSignal: IconClockPause,
  signal: IconArrowUp,
  read: IconEye,
  write: IconPencil,
  work: IconTool,
  pin: IconPin,
  hostFunction: IconFunction,
};

export function OperationIcon({ operation }: { readonly operation: Operation }) {
  const Icon = icons[operation.op] ?? IconPointFilled;
  return <Icon size={13} aria-hidden />;
}
