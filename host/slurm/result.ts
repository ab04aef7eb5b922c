/** What a job writes of each point it ran, beside the run itself. It comes back from elsewhere, and is checked here. */
import { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { figuresSchema } from '../service/keptSweep.ts';
import { errorSchema } from '../service/runSummaries.ts';
import type { PointResult } from '../service/sweepPoints.ts';
import type { PointFiles } from './protocol.ts';
import { readShape } from './readShape.ts';

const resultSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('done'), figures: figuresSchema }),
  z.object({ status: z.literal('failed'), error: errorSchema }),
]);

export const resultText = (result: PointResult): string =>
  JSON.stringify(
    result.status === 'done' ? { status: 'done', figures: result.figures } : { status: 'failed', error: result.error },
  );

/** Throws `slurm.damaged`, or as decodeRun() does. */
export function readResult({ point, result, run }: PointFiles): PointResult {
  const read = readShape(resultSchema, result, { code: 'slurm.damaged', what: `The result of point ${point}` });
  if (read.status === 'failed') return { point, ...read };
  if (run === null) throw damaged(point, 'its run is missing.');
  return { point, ...read, file: run, info: decodeRun(run).info };
}

const damaged = (point: number, why: string): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.damaged',
    message: `The result of point ${point} can't be read: ${why}`,
    remedy: 'Run the point again.',
  });
