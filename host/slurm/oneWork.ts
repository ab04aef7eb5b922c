/** What one job is to do that is no sweep, as the window and the command line ask for it. */
import { defaultProfile } from '../../core/cost/simEngine.ts';
import type { RecordSettings } from '../record/recordSettings.ts';
import type { Assets } from '../service/assets.ts';
import type { CalibrationWork, RecordingWork } from './work.ts';

const begun = (host: string | null) => ({ version: 1 as const, createdAt: new Date().toISOString(), host });

export interface ProgramAsJob extends Pick<RecordingWork, 'name' | 'command' | 'folder'> {
  readonly settings: RecordSettings;
}

export const recordingWork = (host: string | null, { settings, ...program }: ProgramAsJob): RecordingWork => ({
  format: 'copyscope/slurm-recording',
  ...begun(host),
  ...program,
  // Without what is undefined: it is no part of a file.
  settings: JSON.parse(JSON.stringify(settings)),
});

interface Wanted extends Pick<CalibrationWork, 'engine' | 'quick'> {
  readonly profile?: string | undefined;
  readonly base?: string | undefined;
}

/** Rejects with `profile.*`. */
export async function calibrationWork(
  assets: Pick<Assets, 'readProfile'>,
  host: string | null,
  { engine, quick, profile: name = defaultProfile, base = defaultProfile }: Wanted,
): Promise<CalibrationWork> {
  return {
    format: 'copyscope/slurm-calibration',
    ...begun(host),
    engine,
    profile: engine === 'sim' ? { name, json: await assets.readProfile(name) } : null,
    base: await assets.readProfile(base),
    quick,
  };
}
