/** `copyscope check`: races and other hazards of an experiment, without running it. */

import { CopyscopeError } from '../../../core/errors.ts';
import { withEvidence } from '../../../core/explain/hazards/evidence.ts';
import { type HazardReport, hazardsFormat, hazardsVersion } from '../../../core/explain/hazards/hazard.ts';
import { checkExperiment } from '../../../core/explain/hazards/repair.ts';
import { hazardBlocks } from '../../../core/present/verdicts.ts';
import { lower } from '../../../core/program/lower.ts';
import { experimentIn, readInputFile } from '../inputFile.ts';
import type { Context } from '../io.ts';
import { drawBlocks } from '../render/blocks.ts';

/** Rejects with `hazards.found`, after printing, if there are any. */
export async function check(context: Context, file: string, { json }: { readonly json: boolean }): Promise<void> {
  const { terminal } = context;
  context.leaveAtOnce();
  const input = await readInputFile(file, context);
  const experiment = experimentIn(input, file);
  const found = checkExperiment(experiment);
  const report = input.kind === 'run' ? withEvidence(found, lower(experiment), input.run.info.verification) : found;
  const { name } = experiment;
  if (json) await terminal.json({ format: hazardsFormat, version: hazardsVersion, name, ...report });
  else terminal.out(drawBlocks(hazardBlocks(name, report), terminal));
  requireNone(report);
}

function requireNone({ hazards }: HazardReport): void {
  const [first] = hazards;
  if (first === undefined) return;
  throw new CopyscopeError({
    code: 'hazards.found',
    op: first.second.op,
    field: first.second.path,
    message: hazards.length === 1 ? '1 hazard found.' : `${hazards.length} hazards found.`,
    remedy: first.change?.steps[0] ?? first.remedy,
  });
}
