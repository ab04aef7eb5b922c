/** The mark of each kind of activity in a terminal: a letter first, a colour second. */
import type { Activity } from '../../../core/trace/iteration.ts';
import type { RowKind } from '../../../core/trace/trace.ts';
import type { Colors } from '../io.ts';

type ColorName = 'blue' | 'cyan' | 'green' | 'magenta' | 'yellow' | 'red' | 'dim' | 'white';

export interface Mark {
  /** First cell of an activity; the others are its lower case, so that neighbours stay distinct. */
  readonly letter: string;
  readonly meaning: string;
  readonly color: ColorName;
}

const copies = {
  h2d: { letter: 'H', meaning: 'host to device', color: 'blue' },
  d2h: { letter: 'D', meaning: 'device to host', color: 'magenta' },
  d2d: { letter: 'G', meaning: 'device to device', color: 'cyan' },
  h2h: { letter: 'P', meaning: 'host to host', color: 'white' },
} as const satisfies Record<string, Mark>;

const unknownCopy: Mark = { letter: 'X', meaning: 'copy', color: 'white' };

const kinds: Readonly<Record<Exclude<RowKind, 'copy' | 'event-record' | 'event-wait' | 'host-range'>, Mark>> = {
  'host-call': { letter: 'C', meaning: 'call', color: 'yellow' },
  'host-sync': { letter: 'S', meaning: 'waiting in a synchronising call', color: 'dim' },
  'host-work': { letter: 'W', meaning: 'host work', color: 'white' },
  'host-read': { letter: 'R', meaning: 'host read', color: 'white' },
  'host-write': { letter: 'I', meaning: 'host write', color: 'white' },
  kernel: { letter: 'K', meaning: 'kernel', color: 'green' },
  memset: { letter: 'M', meaning: 'memset', color: 'cyan' },
  'host-function': { letter: 'F', meaning: 'host function', color: 'red' },
};

/** Returns null for activities that aren't drawn: events take no time, and a range only surrounds others. */
export function markOf({ kind, direction }: Pick<Activity, 'kind' | 'direction'>): Mark | null {
  if (kind === 'copy') return direction === null ? unknownCopy : copies[direction];
  if (kind === 'event-record' || kind === 'event-wait' || kind === 'host-range') return null;
  return kinds[kind];
}

export const paint = (colors: Colors, { color }: Mark, text: string): string => colors[color](text);
