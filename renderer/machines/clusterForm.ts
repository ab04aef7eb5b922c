/** Cluster settings as they are typed, and what they make. */
import type { ErrorInfo } from '../../core/errors.ts';
import { checkShape } from '../../core/shape/checkShape.ts';
import { type SlurmSettings, slurmSettingsSchema } from '../../core/slurm/settings.ts';

export interface TypedSettings {
  readonly partition: string;
  readonly account: string;
  readonly gpus: string;
  readonly time: string;
  readonly atOnce: string;
  /** One a line. */
  readonly lines: string;
  readonly options: string;
}

export const typedOf = (settings: SlurmSettings | null): TypedSettings => ({
  partition: settings?.partition ?? '',
  account: settings?.account ?? '',
  gpus: settings?.gpus ?? '',
  time: settings?.time ?? '',
  atOnce: settings?.atOnce === undefined ? '' : String(settings.atOnce),
  lines: (settings?.lines ?? []).join('\n'),
  options: (settings?.options ?? []).join('\n'),
});

export type ReadSettings =
  | { readonly settings: SlurmSettings; readonly problems: readonly [] }
  | { readonly settings: null; readonly problems: readonly Omit<ErrorInfo, 'code'>[] };

export function settingsOf({ atOnce, lines, options, ...words }: TypedSettings): ReadSettings {
  const given = Object.entries(words).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]]));
  const shape = checkShape(slurmSettingsSchema, {
    ...Object.fromEntries(given),
    ...(atOnce.trim() === '' ? {} : { atOnce: Number(atOnce) }),
    lines: linesOf(lines),
    options: linesOf(options),
  });
  return shape.ok ? { settings: shape.value, problems: [] } : { settings: null, problems: shape.problems };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
