/** Accepted experiments, in everything that the window and the command line do with them. */

import { codeLanguages, codeOf } from '../../../core/code/code.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { summarizeRun } from '../../../core/explain/summary/summary.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import { simulateRunInSteps } from '../../../core/machine/cost/simEngine.ts';
import { parseProfile } from '../../../core/machine/profile/profile.ts';
import { lower, lowerToSimulate } from '../../../core/program/lower.ts';
import { atOnce } from '../../../core/steps.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { taken } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { alteredValue, mutatedValue } from '../mutateText.ts';
import { asset, exampleDocuments } from '../seeds.ts';

const profile = parseProfile(JSON.parse(asset('profiles/h200.json')));
const queueDepth = profileCosts(profile).facts.queueDepth;

/** A few lines can ask for a million repetitions, whose simulation takes long, with a progress bar and cancellation. */
const limits = { maxInstructions: 50_000 };

/** Tries each part, since one part may accept input that another one refuses. */
async function useAll(text: string): Promise<boolean> {
  const experiment = await taken(() => requireExperiment(text));
  if (experiment === null) return false;
  await taken(() => findHazards(lower(experiment)));
  for (const language of codeLanguages) await taken(() => codeOf(experiment, language));
  await taken(() => {
    const request = { experiment, program: lowerToSimulate(experiment), profile: profile.name };
    const run = atOnce(simulateRunInSteps(request, profile, { machine: null, version: 'fuzz' }, limits));
    decodeRun(encodeRun(run));
    summarizeRun(run, { queueDepth });
  });
  return true;
}

export const programKinds: Readonly<Record<string, Kind>> = {
  program: {
    make: (random) => {
      const document = random.pick(exampleDocuments);
      const isAltered = random.chance(0.8);
      const input = JSON.stringify(isAltered ? alteredValue(document, random) : mutatedValue(document, random)) ?? '';
      return { input, run: () => useAll(input) };
    },
  },
};
