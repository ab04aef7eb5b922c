import { Badge, Tooltip } from '@mantine/core';
import { IconDeviceSdCard, IconRuler2, IconWaveSawTool } from '@tabler/icons-react';
import type { RunOrigin } from '../../core/trace/run.ts';
import classes from './Origin.module.css';

const origins = {
  measured: {
    label: 'Measured',
    icon: IconRuler2,
    meaning: 'Executed by this installation, on this machine or on another one that it reaches.',
  },
  recorded: {
    label: 'Recorded',
    icon: IconDeviceSdCard,
    meaning: 'Executed on real hardware elsewhere or earlier, and opened from a file.',
  },
  simulated: {
    label: 'Simulated',
    icon: IconWaveSawTool,
    meaning: 'Predicted from a device profile. Nothing was executed.',
  },
} as const;

/** The origin of a run's figures. The word says it; icon and colour repeat it. */
export function OriginBadge({ origin, compact = false }: { readonly origin: RunOrigin; readonly compact?: boolean }) {
  const { label, icon: Icon, meaning } = origins[origin];
  return (
    <Tooltip label={meaning}>
      <Badge
        className={classes['origin'] ?? ''}
        data-origin={origin}
        variant="light"
        size={compact ? 'xs' : 'sm'}
        leftSection={<Icon size={compact ? 10 : 12} aria-hidden />}
      >
        {label}
      </Badge>
    </Tooltip>
  );
}
