/** The recording form's content, and its request. Kept between visits, except variables, which may be secrets. */
import { create } from 'zustand';
import type { StartRecording } from '../../core/service/recording.ts';
import { recall, remember } from '../store/settings.ts';
import { quoted, type SplitCommand, splitCommand } from './words.ts';

export interface RecordDraft {
  readonly command: string;
  readonly folder: string;
  readonly environment: string;
  readonly light: boolean;
  readonly lines: boolean;
  readonly when: 'all' | 'time' | 'steps';
  readonly delay: string;
  readonly duration: string;
  readonly from: string;
  readonly to: string;
  readonly range: string;
}

const first: RecordDraft = {
  command: '',
  folder: '',
  environment: '',
  light: false,
  lines: true,
  when: 'all',
  delay: '',
  duration: '',
  from: '20',
  to: '25',
  range: '',
};

const storedAs = 'record-draft';

function stored(): RecordDraft {
  try {
    const kept = JSON.parse(recall(storedAs) ?? '{}') as Partial<Record<keyof RecordDraft, unknown>>;
    const entries = Object.entries(first).map(([name, value]) => {
      const own = kept[name as keyof RecordDraft];
      return [name, typeof own === typeof value ? own : value];
    });
    return Object.fromEntries(entries) as unknown as RecordDraft;
  } catch {
    return first;
  }
}

export const useRecordDraft = create<RecordDraft>()(() => stored());

export function setRecordDraft(change: Partial<RecordDraft>): void {
  useRecordDraft.setState(change);
  remember(storedAs, JSON.stringify({ ...useRecordDraft.getState(), environment: '' }));
}

/** Problem of each field as text. */
export type Problems = Partial<Record<keyof RecordDraft, string>>;

export interface ReadDraft {
  readonly split: SplitCommand;
  readonly problems: Problems;
  /** Null if a field has a problem. */
  readonly request: StartRecording | null;
}

export function readDraft(draft: RecordDraft): ReadDraft {
  const split = splitCommand(draft.command);
  const variables = readVariables(draft.environment);
  const [delay, duration] = [readSeconds(draft.delay), readSeconds(draft.duration)];
  const [from, to] = [readStep(draft.from), readStep(draft.to)];
  const isTime = draft.when === 'time';
  const isSteps = draft.when === 'steps';
  const problems: Problems = {
    ...(split.ok ? {} : { command: split.message }),
    ...(typeof variables === 'string' ? { environment: variables } : {}),
    ...(isTime && delay === null ? { delay: noSeconds } : {}),
    ...(isTime && duration === null ? { duration: noSeconds } : {}),
    ...(isTime && duration === 0 ? { duration: 'Write more than 0, or leave it empty: to the end.' } : {}),
    ...(isSteps && from === null ? { from: noStep } : {}),
    ...(isSteps && to === null ? { to: noStep } : {}),
    ...(isSteps && from !== null && to !== null && to < from ? { to: 'It ends before it begins.' } : {}),
  };
  const [file, ...words] = split.ok ? split.words : [];
  if (Object.keys(problems).length > 0 || file === undefined || !split.ok || typeof variables === 'string') {
    return { split, problems, request: null };
  }
  const request: StartRecording = {
    command: [file, ...words],
    folder: draft.folder.trim(),
    environment: { ...variables, ...split.variables },
    light: draft.light,
    lines: draft.lines,
    ...(isTime && delay != null ? { delayS: delay } : {}),
    ...(isTime && duration != null ? { durationS: duration } : {}),
    ...(isSteps && from !== null && to !== null ? { steps: { from, to } } : {}),
    ...(isSteps && draft.range.trim() !== '' ? { stepRange: draft.range.trim() } : {}),
  };
  return { split, problems, request };
}

const noSeconds = 'Write seconds, as 2.5, or leave it empty.';
const noStep = 'Write a whole number from 1.';

/** Returns undefined for empty text, and null if it is no number of seconds. */
function readSeconds(text: string): number | undefined | null {
  if (text.trim() === '') return undefined;
  return /^\d{1,6}(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}

const readStep = (text: string): number | null => (/^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : null);

/** Reads one NAME=value per line. Returns the problem as text if one is wrong. */
function readVariables(text: string): Readonly<Record<string, string>> | string {
  const variables: Record<string, string> = {};
  for (const [number, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (name === undefined) {
      return `Line ${number + 1} is not NAME=value. A name has letters, digits and _ and begins with no digit.`;
    }
    variables[name] = value ?? '';
  }
  return variables;
}

/** Returns the equivalent command line, which starts in the folder. */
export function commandLine(request: StartRecording): string {
  const { command, folder, environment, light, lines, ...when } = request;
  const { delayS, durationS, steps, stepRange } = when;
  const options = [
    ...(light ? ['--light'] : []),
    ...(lines ? [] : ['--no-lines']),
    ...(delayS === undefined ? [] : ['--delay', String(delayS)]),
    ...(durationS === undefined ? [] : ['--duration', String(durationS)]),
    ...(steps === undefined ? [] : ['--steps', `${steps.from}..${steps.to}`]),
    ...(stepRange === undefined ? [] : ['--step-range', quoted(stepRange)]),
  ];
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value === '' ? '' : quoted(value)}`);
  const place = folder.startsWith('~') ? folder : quoted(folder);
  const folderWords = folder === '' ? [] : ['cd', place, '&&'];
  return [...folderWords, ...variables, 'copyscope', 'record', ...options, '--', ...command.map(quoted)].join(' ');
}
