/** The run of a program whose keeper was killed: the recorder in it writes on without one. Comes when there is such a program. */
import { dirname } from 'node:path';
import { z } from 'zod';
import { toErrorInfo } from '../../core/errors.ts';
import { checkShape } from '../../core/shape/checkShape.ts';
import { parseJson } from '../../core/shape/parseJson.ts';
import { encodeRun } from '../../core/trace/arrow.ts';
import { programFolder, programVersion } from '../paths.ts';
import { withEnd } from '../record/ownProgram.ts';
import { readRecordingFolder, removeRecordingFolder } from '../record/recordProgram.ts';
import { isAlive } from '../service/thisProcess.ts';
import { isRecordingFolder } from './recordingFolder.ts';

const notedSchema = z.object({
  /** The folder that its processes write to. */
  parts: z.string(),
  pid: z.number().int(),
  name: z.string(),
  host: z.string(),
});
export type NotedProgram = z.infer<typeof notedSchema>;

const note =
  'What kept it on that machine was ended before the program was, so that how the program ended isn’t known.';

/**
 * Keeps the run once the program has ended, and says whether it still goes on. Nothing is kept where nothing was recorded, and
 * where it can't be read: then its files stay where they are.
 */
export async function rescue(noted: string, keep: (run: Uint8Array) => Promise<void>): Promise<boolean> {
  const parsed = parseJson(noted);
  const shape = parsed.ok ? checkShape(notedSchema, parsed.json) : null;
  if (shape?.ok !== true) return false;
  const { parts, pid, name, host } = shape.value;
  if (!(await isRecordingFolder(parts))) return false;
  if (isAlive(pid)) return true;
  try {
    const recorded = await readRecordingFolder(parts, name, programVersion(programFolder()));
    const { info, trace } = withEnd(recorded, { exitCode: null, stoppedFrom: null, host });
    await keep(encodeRun({ info: { ...info, notes: [note, ...info.notes] }, trace }));
    await removeRecordingFolder(dirname(parts));
  } catch (thrown) {
    if (toErrorInfo(thrown).code === 'record.nothing') await removeRecordingFolder(dirname(parts));
  }
  return false;
}
