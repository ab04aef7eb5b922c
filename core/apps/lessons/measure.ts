/**
 * Measures: numbers that a lesson can read from a run (a time, bytes, overlap), as a teacher writes them. A measure
 * never names an operation by its position, so every correct solution of a task gives the same result.
 */
import { z } from 'zod';
import { parseBytes, parseDuration } from '../../experiment/edit/quantities.ts';
import { operationNames } from '../../experiment/operations.ts';
import { bufferMemories } from '../../experiment/resources.ts';
import { hazardKinds } from '../../explain/hazards/hazard.ts';
import { copyDirections, laneKinds, rowKinds } from '../../trace/trace.ts';

const word = z.string().min(1).max(120);

/** Selects rows that fit every given field; all rows if no field is given. */
export const selectorSchema = z.strictObject({
  kind: z.enum(rowKinds).optional(),
  direction: z.enum(copyDirections).optional(),
  /** Name of the row, for example 'cudaStreamSynchronize'. */
  name: word.optional(),
  /** Name of the host thread or stream. */
  lane: word.optional(),
  /** Kind of engine that the row ran on. */
  engine: z.enum(laneKinds).optional(),
  /** Label of the row's operation. */
  label: word.optional(),
  /** Buffer that the row's operation reads, or writes. */
  from: word.optional(),
  to: word.optional(),
  /** Only the row that starts last. */
  last: z.literal(true).optional(),
});

/** Number, or text with a unit: '50 %', '300 us', '20 MiB'. Becomes nanoseconds, bytes, or a share from 0 to 1. */
export const quantitySchema = z.unknown().transform((given, context): number => {
  const value = typeof given === 'string' ? quantity(given) : given;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const shown = JSON.stringify(given)?.slice(0, 60);
  context.addIssue({ code: 'custom', message: `${shown} is no quantity, as "50 %", "300 µs" or "20 MiB"` });
  return z.NEVER;
});

function quantity(text: string): number | null {
  const percent = /^\s*([\d.]+)\s*%\s*$/.exec(text)?.[1];
  if (percent !== undefined) return Number(percent) / 100;
  return parseBytes(text) ?? parseDuration(text);
}

const bounds = {
  atLeast: quantitySchema.optional(),
  atMost: quantitySchema.optional(),
  /** Another experiment of the lesson, or 'start'. The bounds then apply to the ratio to the measure in that one. */
  comparedTo: word.optional(),
};

const of = { of: selectorSchema };
/** The bounds then apply to the ratio of `of` to these rows, in the same run or in that of `comparedTo`. */
const against = { against: selectorSchema.optional() };

const measureSchemas = [
  /** Time in which both run, divided by the shorter of the two: from 0 to 1. */
  z.strictObject({ measure: z.literal('together'), ...of, with: selectorSchema, ...bounds }),
  /** Nanoseconds in which `of` runs and `with` doesn't, such as copy time that no kernel overlaps. */
  z.strictObject({ measure: z.literal('exposed'), ...of, with: selectorSchema, ...bounds }),
  /** Nanoseconds in which at least one of the rows runs. */
  z.strictObject({ measure: z.literal('time'), ...of, ...against, ...bounds }),
  /** `time` divided by the makespan: from 0 to 1. */
  z.strictObject({ measure: z.literal('share'), ...of, ...bounds }),
  /** Nanoseconds of the longest or shortest row. */
  z.strictObject({ measure: z.literal('longest'), ...of, ...against, ...bounds }),
  z.strictObject({ measure: z.literal('shortest'), ...of, ...bounds }),
  /** Nanoseconds from the start of the first row to the end of the last. */
  z.strictObject({ measure: z.literal('span'), ...of, ...against, ...bounds }),
  /** Nanoseconds from the start of the first `of` to the start of the first `until`; negative if `of` starts later. */
  z.strictObject({ measure: z.literal('lead'), ...of, until: selectorSchema, ...bounds }),
  /** Nanoseconds from the end of the last `of` to the start of the first `until`; negative if they overlap. */
  z.strictObject({ measure: z.literal('gap'), ...of, until: selectorSchema, ...bounds }),
  /** Nanoseconds from the end of the first `of` to the end of the last `until`. */
  z.strictObject({ measure: z.literal('between'), ...of, until: selectorSchema, ...bounds }),
  z.strictObject({ measure: z.literal('bytes'), ...of, ...bounds }),
  /** Bytes of the rows divided by the time in which at least one of them runs. */
  z.strictObject({ measure: z.literal('bandwidth'), ...of, ...against, ...bounds }),
  z.strictObject({ measure: z.literal('count'), ...of, ...against, ...bounds }),
  /** Nanoseconds from the start of the iteration to the end of its last activity. */
  z.strictObject({ measure: z.literal('makespan'), ...bounds }),
  /** Number of hazards in the program, of one kind or of all. */
  z.strictObject({ measure: z.literal('hazards'), kind: z.enum(hazardKinds).optional(), ...bounds }),
  /** Nanoseconds between two events, given by id, as cudaEventElapsedTime measures them. */
  z.strictObject({ measure: z.literal('elapsed'), start: word, end: word, ...bounds }),
  /** Number of wrong bytes, in all buffers or in one. Known only on real hardware: a simulation moves no data. */
  z.strictObject({ measure: z.literal('wrong-bytes'), buffer: word.optional(), ...bounds }),
  /** Number of operations of a kind in the experiment. */
  z.strictObject({ measure: z.literal('operations'), op: z.enum(operationNames), ...bounds }),
  /** Declared bytes of all buffers in a kind of memory. */
  z.strictObject({ measure: z.literal('declared'), memory: z.enum(bufferMemories), ...bounds }),
  z.strictObject({ measure: z.literal('host-threads'), ...bounds }),
] as const;

export const measureSchema = z.discriminatedUnion('measure', [...measureSchemas]);

export type Selector = z.infer<typeof selectorSchema>;
export type Measure = z.infer<typeof measureSchema>;

export type Unit = 'time' | 'bytes' | 'rate' | 'share' | 'count';

const units: Readonly<Record<Measure['measure'], Unit>> = {
  together: 'share',
  exposed: 'time',
  time: 'time',
  share: 'share',
  longest: 'time',
  shortest: 'time',
  span: 'time',
  lead: 'time',
  gap: 'time',
  between: 'time',
  bytes: 'bytes',
  bandwidth: 'rate',
  count: 'count',
  makespan: 'time',
  elapsed: 'time',
  hazards: 'count',
  'wrong-bytes': 'bytes',
  operations: 'count',
  declared: 'bytes',
  'host-threads': 'count',
};

export const unitOf = ({ measure }: Pick<Measure, 'measure'>): Unit => units[measure];
