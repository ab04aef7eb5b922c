/** Makes an engine process's request from that of a window or the command line. */

import type { Experiment } from '../../core/experiment/experiment.ts';
import { requireExperiment } from '../../core/experiment/parse.ts';
import { defaultProfile } from '../../core/machine/cost/simEngine.ts';
import { requireCapable } from '../../core/program/capabilities.ts';
import type { StartRun } from '../../core/service/service.ts';
import type { EngineRunRequest } from '../engine/protocol.ts';
import type { Assets } from '../library/assets.ts';

/** Rejects with `experiment.invalid`, `engine.unsupported` or `profile.*` before anything has begun. */
export const prepareRun = async (request: StartRun, assets: Pick<Assets, 'readProfile'>): Promise<EngineRunRequest> =>
  prepareParsed({ ...request, experiment: requireExperiment(request.experiment) }, assets);

/** Prepares a run of an experiment that was validated when it came in. */
export async function prepareParsed(
  request: StartRun & { readonly experiment: Experiment },
  assets: Pick<Assets, 'readProfile'>,
): Promise<EngineRunRequest> {
  const { engine } = request;
  const experiment = withIterations(request.experiment, request.iterations);
  requireCapable(experiment, engine);
  if (engine !== 'sim') return { experiment, engine };
  const name = request.profile ?? defaultProfile;
  const profile = { name, json: await assets.readProfile(name) };
  return { experiment, engine, profile, whileRecording: request.whileRecording };
}

function withIterations(experiment: Experiment, iterations: number | undefined): Experiment {
  if (iterations === undefined) return experiment;
  return { ...experiment, environment: { ...experiment.environment, iterations } };
}
