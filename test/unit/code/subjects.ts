/** The experiments whose programs must compile: all shipped ones, and 100 random ones that an engine could execute. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CopyscopeError } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';
import { widerExperiment } from '../hazards/programs.ts';
import { Random } from '../support/random.ts';

export interface CodeSubject {
  readonly name: string;
  readonly experiment: Experiment;
}

/** `examples`: the folder assets/examples. */
export const shippedSubjects = (examples: string): CodeSubject[] =>
  readdirSync(examples, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      name: file.replace(/\.json$/, '').replaceAll(/[\\/]/g, '-'),
      experiment: requireExperiment(readFileSync(join(examples, file), 'utf8')),
    }));

export function randomSubjects(count = 100): CodeSubject[] {
  const found: CodeSubject[] = [];
  for (let seed = 1; found.length < count; seed += 1) {
    const experiment = widerExperiment(new Random(seed));
    if (isSound(experiment)) found.push({ name: `random-${seed}`, experiment });
  }
  return found;
}

function isSound(experiment: Experiment): boolean {
  try {
    lower(experiment);
    return true;
  } catch (error) {
    if (error instanceof CopyscopeError) return false;
    throw error;
  }
}
