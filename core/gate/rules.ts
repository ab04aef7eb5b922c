/**
 * The rules of a gate, as a person writes them:
 *
 *   {
 *     "format": "copyscope/gate-rules", "version": 1,
 *     "limits": { "pageableBytes": "1 MiB", "waitingCalls": 1, "exposedCopyNs": "2 ms", "idleShare": 0.2 },
 *     "baseline": { "figures": ["stepNs"], "leastShare": 0.02 },
 *     "allow": [{ "line": "train.py:44", "figures": ["waitingCalls"], "reason": "The loss is logged in each step." }]
 *   }
 */
import { z } from 'zod';
import type { GateFigure } from './figures.ts';
import { gateFigures } from './figures.ts';

export const gateRulesFormat = 'copyscope/gate-rules';
export const gateRulesVersion = 1;

/** Number in base units (bytes, nanoseconds, a count, a share from 0 to 1), or text with a unit: "1 MiB", "2 ms". */
const amountSchema = z.union([z.number(), z.string().min(1).max(60)]);

const figureListSchema = z.array(z.enum(gateFigures)).min(1).max(gateFigures.length);

const allowSchema = z.strictObject({
  /** "train.py:44", "train.py:44 in step", or a whole file: "train.py". */
  line: z.string().min(1).max(1000).optional(),
  /** Operation of an experiment: its label, or its path such as "threads[0].operations[2]". */
  operation: z.string().min(1).max(1000).optional(),
  /** All figures if omitted. */
  figures: figureListSchema.optional(),
  reason: z.string().min(1).max(1000),
});

const atMost = (description: string) => amountSchema.optional().describe(description);

export const gateRulesSchema = z.strictObject({
  $schema: z.string().max(1000).optional(),
  format: z.literal(gateRulesFormat),
  version: z.literal(gateRulesVersion),
  limits: z
    .strictObject({
      pageableCopies: atMost('Copies between host and device of pageable host memory, in each step.'),
      pageableBytes: atMost('Their bytes, in each step.'),
      waitingCalls: atMost('Calls that return when something has completed, in each step.'),
      exposedCopyNs: atMost('Time of copies between host and device with no kernel beside them, in the median step.'),
      hostHeldNs: atMost('Time of the host thread that is held longest, in the median step.'),
      idleShare: atMost('Part of the median step in which the device does nothing.'),
      stepNs: atMost('Duration of the median step.'),
      hazards: atMost('Hazards of the experiment.'),
    } satisfies Record<GateFigure, unknown>)
    .default({}),
  /** Smaller copies don't count as copies of pageable memory: an .item() copies four or eight bytes. */
  ignoreCopiesBelow: amountSchema.default(0),
  /** Steps of a trace, counted from 1; all if omitted. */
  steps: z.strictObject({ from: z.number().int().min(1), to: z.number().int().min(1) }).optional(),
  /** Figures that must not exceed a baseline trace. */
  baseline: z
    .strictObject({
      figures: figureListSchema,
      /** Smallest relative difference from the baseline that counts. */
      leastShare: z.number().min(0).max(100).default(0),
    })
    .optional(),
  allow: z.array(allowSchema).max(10_000).default([]),
});

export type GateAllowance = z.infer<typeof allowSchema>;
export type WrittenRules = z.infer<typeof gateRulesSchema>;

/** Rules with all amounts in base units. */
export interface GateRules {
  readonly limits: ReadonlyMap<GateFigure, number>;
  readonly ignoreCopiesBelowBytes: number;
  readonly steps: { readonly from: number; readonly to: number } | null;
  readonly baseline: { readonly figures: readonly GateFigure[]; readonly leastShare: number } | null;
  readonly allow: readonly GateAllowance[];
}
