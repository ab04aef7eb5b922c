/** Computes a real program's steps from its trace, where their time goes, and the gains of changes. */

import { describeError, toErrorInfo } from '../../core/errors.ts';
import { type TraceAnswers, traceAnswers } from '../../core/lift/answers.ts';
import type { ChangeWord } from '../../core/lift/changes/words.ts';
import { profileCosts } from '../../core/machine/cost/profileCosts.ts';
import { type DeviceProfile, parseProfile } from '../../core/machine/profile/profile.ts';
import type { Run } from '../../core/trace/run.ts';
import type { Assets } from '../library/assets.ts';
import { attainableFor } from './attainable.ts';
import type { Terminal } from './io.ts';
import { statusLine } from './progress.ts';

export interface TraceQuestion {
  readonly steps?: StepsOption | undefined;
  readonly try?: readonly ChangeWord[] | undefined;
  readonly stepMs?: number | undefined;
  readonly profile?: string | undefined;
}

export interface StepsOption {
  readonly from: number;
  readonly to: number;
}

/** Prints the reason and returns undefined if a replay is impossible, unless an option requires the answers. */
export async function answersOf(
  run: Run,
  assets: Assets,
  terminal: Terminal,
  question: TraceQuestion,
): Promise<TraceAnswers | undefined> {
  const profile = await traceProfile(run, assets, terminal, question.profile);
  const line = statusLine(terminal);
  line.show('Trying what changes gain');
  try {
    const { steps, stepMs } = question;
    return traceAnswers(run, profileCosts(profile), {
      ...steps,
      tried: question.try,
      knownStepNs: stepMs === undefined ? undefined : stepMs * 1e6,
      onRank: (place, of) => line.show(`Steps of rank ${place + 1} of ${of}`),
    });
  } catch (thrown) {
    if (question.try !== undefined || question.steps !== undefined) throw thrown;
    terminal.err(`No steps and gains: ${describeError(toErrorInfo(thrown))}`);
    return undefined;
  } finally {
    line.clear();
  }
}

const standIn = 'h200';

/** Returns the given profile, or that of the trace's device, or else the H200's with a printed note. */
export async function traceProfile(
  run: Run,
  assets: Assets,
  terminal: Terminal,
  asked: string | undefined,
): Promise<DeviceProfile> {
  if (asked !== undefined) return parseProfile(await assets.readProfile(asked));
  const { profile } = await attainableFor(run.info, assets, terminal.err);
  if (profile !== undefined) return profile;
  const device = run.info.device?.name ?? 'its device';
  terminal.err(`There is no profile of ${device}: ${standIn} supplies what the trace lacks.`);
  return parseProfile(await assets.readProfile(standIn));
}
