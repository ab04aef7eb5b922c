import { Badge, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconDeviceSdCard,
  IconQuestionMark,
  IconRuler2,
  IconWaveSawTool,
} from '@tabler/icons-react';
import type { Verdict } from '../../core/explain/verdicts/verdict.ts';
import { verdictTone } from '../../core/present/verdicts.ts';
import type { RunOrigin } from '../../core/trace/run.ts';
import classes from './marks.module.css';

/** The sign in score, lists and cards that says if a copy or kernel overlapped. */
export const VerdictIcon = ({ verdict, size = 18 }: { readonly verdict: Verdict; readonly size?: number }) => (
  <ToneIcon tone={verdictTone(verdict)} size={size} />
);

const toneIcons = { good: IconCircleCheck, warn: IconCircleX, bad: IconAlertTriangle, neutral: IconQuestionMark };

export function ToneIcon({ tone, size }: { readonly tone: keyof typeof toneIcons; readonly size: number }) {
  const Icon = toneIcons[tone];
  return <Icon size={size} aria-hidden className={classes['icon']} data-tone={tone} />;
}

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
