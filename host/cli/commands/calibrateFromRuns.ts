/** `copyscope calibrate --from-runs`: fits a device profile to runs that were recorded on a machine. */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeFit } from '../../../core/calibrate/fit/describeFit.ts';
import { type FitErrors, fitErrors } from '../../../core/calibrate/fit/errorTerms.ts';
import { type Fitted, fitInSteps } from '../../../core/calibrate/fit/fit.ts';
import { CopyscopeError, describeError } from '../../../core/errors.ts';
import { defaultProfile } from '../../../core/simulator/engine.ts';
import { type DeviceProfile, parseProfile } from '../../../core/simulator/profile.ts';
import { formatShare } from '../../../core/units.ts';
import { type RecordedRuns, readRecordedRuns } from '../../calibrate/recordedRuns.ts';
import { dataFolder, ownProfilesFolder } from '../../paths.ts';
import { writeWhole } from '../../service/files.ts';
import type { Terminal } from '../io.ts';
import { limited, wrap } from '../render/text.ts';
import { type CalibrateOptions, calibrationLine, requireFreeName } from './calibrate.ts';
import type { Tools } from './run.ts';

export async function calibrateFromRuns(
  { context, assets }: Pick<Tools, 'context' | 'assets'>,
  folders: readonly string[],
  options: CalibrateOptions,
): Promise<void> {
  const { terminal, signal } = context;
  const { recorder, ...machine } = parseProfile(await assets.readProfile(options.base));
  // No recorder was attached to what was simulated.
  const base = options.engine === 'sim' || recorder === undefined ? machine : { ...machine, recorder };
  const recorded = await readRecordedRuns(folders, options.engine, signal);
  const device = recorded.device?.name ?? `the profile "${recorded.profile ?? defaultProfile}"`;
  const name = await requireFreeName(assets, options.name ?? `${recorded.device?.name ?? 'sim'} fitted`);
  const fitted = await fitTo(base, recorded, terminal, signal);
  const origin = { name, device, date: recorded.date, runs: recorded.runs.length };
  const profile = describeFit(fitted, base, origin);
  const path = options.out ?? join(ownProfilesFolder(dataFolder(context.environment)), `${name}.json`);
  const json = `${JSON.stringify(profile, null, 2)}\n`;
  await writeWhole(path, json);
  terminal.out(options.json ? json : `${describe(profile, base, recorded, path, terminal).join('\n')}\n`);
}

/** Turn by turn, so that Ctrl-C is heard. */
async function fitTo(
  base: DeviceProfile,
  { runs }: RecordedRuns,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Fitted> {
  const line = calibrationLine(terminal);
  const going = fitInSteps(base, runs);
  try {
    for (;;) {
      const step = going.next();
      if (step.done === true) return step.value;
      line.show(step.value.done, step.value.total, step.value.what);
      await nextTurn();
      if (signal.aborted) throw new CopyscopeError({ code: 'run.cancelled', message: 'The fit was cancelled.' });
    }
  } finally {
    line.clear();
  }
}

function describe(
  profile: DeviceProfile,
  base: DeviceProfile,
  { runs, leftOut }: RecordedRuns,
  path: string,
  { columns, colors }: Terminal,
): string[] {
  const outcome = (name: string, errors: FitErrors): string =>
    `${name}: makespan error median ${formatShare(errors.median)}, 90th percentile ${formatShare(errors.high)}, overlap within 5 points in ${errors.close} of ${errors.overlaps}`;
  return [
    colors.bold(`Profile ${profile.name}`),
    ...wrap(profile.source, columns, ''),
    ...wrap(outcome(`Before, with the profile "${base.name}"`, fitErrors(runs, base)), columns, ''),
    ...wrap(outcome('Fitted, on the same runs', fitErrors(runs, profile)), columns, ''),
    ...limited(leftOut.map(({ file, error }) => `Left out: ${file}: ${describeError(error)}`)),
    `Written to ${path}. Use it with --profile ${profile.name}.`,
  ];
}
