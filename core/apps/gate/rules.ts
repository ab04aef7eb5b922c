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
import { documentHead } from '../../experiment/resources.ts';
import type { GateFigure } from './figures.ts';
import { gateFigures } from './figures.ts';

export const gateRulesFormat = 'copyscope/gate-rules';
export const gateRulesVersion = 1;

/** Number in base units (bytes, nanoseconds, a count, a share from 0 to 1), or text with a unit: "1 MiB", "2 ms". */
const amountSchema = z.union([z.number(), z.string().min(1).max(60)]);

const figureListSchema = z.array(z.enum(gateFigures)).min(1).max(gateFigures.length);

const allowSchema = z.strictObject({
  line: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'A source line as "train.py:44", a line of one function as "train.py:44 in step", or a file; else operation.',
    ),
  operation: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('An operation of an experiment: its label, or its place as "threads[0].operations[2]".'),
  figures: figureListSchema.optional().describe('Figures that it applies to; all if omitted.'),
  reason: z.string().min(1).max(1000).describe('Reason, printed with the findings that it allows.'),
});

const atMost = (description: string) => amountSchema.optional().describe(description);

export const gateRulesSchema = z.strictObject({
  ...documentHead(gateRulesFormat, gateRulesVersion),
  limits: z
    .strictObject({
      pageableCopies: atMost('Copies between host and device of pageable host memory, in each step.'),
      pageableBytes: atMost('Their bytes, in each step.'),
      waitingCalls: atMost('Calls that return when something has completed, in each step.'),
      exposedCopyNs: atMost('Time of copies between host and device that no kernel overlaps, in the median step.'),
      hostHeldNs: atMost('Time of the host thread that is blocked longest, in the median step.'),
      idleShare: atMost('Part of the median step in which the device does nothing.'),
      stepNs: atMost('Duration of the median step.'),
      hazards: atMost('Hazards of the experiment.'),
    } satisfies Record<GateFigure, unknown>)
    .default({})
    .describe('Most of each figure. A number is in base units; a text has its unit, as "1 MiB".'),
  /** An .item() brings four or eight. */
  ignoreCopiesBelow: amountSchema.default(0).describe('Smaller copies don’t count as copies of pageable memory.'),
  steps: z
    .strictObject({
      from: z.number().int().min(1).describe('The first step, counted from 1.'),
      to: z.number().int().min(1).describe('The last step, counted from 1.'),
    })
    .optional()
    .describe('Steps of a trace that count; all if omitted.'),
  baseline: z
    .strictObject({
      figures: figureListSchema.describe('Figures to compare.'),
      leastShare: z
        .number()
        .min(0)
        .max(100)
        .default(0)
        .describe('Smallest relative difference from the baseline that counts.'),
    })
    .optional()
    .describe('Figures that must not exceed the trace of --baseline.'),
  allow: z.array(allowSchema).max(10_000).default([]).describe('Allowed findings, each with its reason.'),
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
