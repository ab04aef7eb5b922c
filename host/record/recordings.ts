/** Records programs for windows, one at a time. The run is stored like an imported one. */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { CopyscopeError, describeError, toErrorInfo } from '../../core/errors.ts';
import {
  isUnderWay,
  nothingRecorded,
  type RecordingStatus,
  type StartRecording,
} from '../../core/service/recording.ts';
import type { WindowEvents } from '../../core/service/service.ts';
import { encodeRun } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';
import type { RunStore } from '../library/runStore.ts';
import { type CheckedProgram, checkProgram, withEnd } from './ownProgram.ts';
import {
  beginRecordingFolder,
  claimLeftRecordings,
  readNote,
  removeWithNote,
  setAside,
  writeNote,
} from './recordingFolders.ts';
import { readRecordingFolder, recordProgram } from './recordProgram.ts';
import type { RecordSettings } from './recordSettings.ts';

interface Options {
  /** Folder of the processes' files until their run is stored. */
  readonly folder: string;
  readonly runs: RunStore;
  /** Version of this program. */
  readonly version: string;
  readonly events: Pick<WindowEvents, 'runChanged' | 'recordingChanged'>;
  /** Environment of recorded programs besides that in the request. */
  readonly environment: NodeJS.ProcessEnv;
}

interface Session {
  status: RecordingStatus;
  printed: string;
  readonly stop: AbortController;
  readonly kill: AbortController;
}

/** Time for a program to save its work when it is asked to end. */
const patienceMs = 10_000;
const keptOutput = 32 * 1024;
/** A program may print thousands of lines in a second; a person sees about this number of changes. */
const tellEveryMs = 120;

export class Recordings {
  readonly #options: Options;
  #session: Session | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Resolves when recordings of killed hosts are stored. */
  readonly recovered: Promise<void>;

  constructor(options: Options) {
    this.#options = options;
    this.recovered = this.#recover();
  }

  get status(): RecordingStatus | null {
    return this.#session?.status ?? null;
  }

  /** See HostService.startRecording(). */
  async start(request: StartRecording): Promise<RecordingStatus> {
    if (this.status !== null && isUnderWay(this.status)) throw busy();
    const before = this.#session;
    const session = newSession(request);
    // Set at once, so that no second recording begins during the check.
    this.#session = session;
    try {
      const checked = await checkProgram(request, settingsOf(request), this.#options.environment);
      void this.#record(session, request, checked);
    } catch (thrown) {
      this.#session = before;
      throw thrown;
    }
    this.#tell(session, {});
    return session.status;
  }

  stop(id: string, atOnce: boolean): void {
    const session = this.#session;
    if (session === null || session.status.id !== id || session.status.phase !== 'recording') throw notUnderWay();
    this.#tell(session, { isStopped: true });
    (atOnce ? session.kill : session.stop).abort();
  }

  /** Ends the program, which nobody could see any more. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#session?.kill.abort();
  }

  async #record(session: Session, request: StartRecording, { environment, folder }: CheckedProgram): Promise<void> {
    try {
      const parts = await beginRecordingFolder(this.#options.folder, session.status.name);
      const exitCode = await recordProgram({
        command: request.command,
        settings: settingsOf(request),
        environment,
        folder: parts,
        signal: session.stop.signal,
        patienceMs,
        onCounts: (counts) => this.#tellSoon(session, { counts }),
        own: {
          folder,
          killed: session.kill.signal,
          onOutput: (text) => this.#print(session, text),
        },
      }).catch(async (thrown: unknown) => {
        await removeWithNote(parts);
        throw thrown;
      });
      this.#tell(session, { phase: 'reading', exitCode });
      await this.#keep(session, parts);
    } catch (thrown) {
      this.#tell(session, { phase: 'failed', error: toErrorInfo(thrown) });
    }
  }

  #print(session: Session, text: string): void {
    session.printed = (session.printed + text).slice(-2 * keptOutput);
    this.#tellSoon(session, {});
  }

  async #keep(session: Session, parts: string): Promise<void> {
    const { id, name, exitCode, isStopped } = session.status;
    try {
      const end = { exitCode, stoppedFrom: isStopped ? 'the window' : null };
      const run = await this.#keepFolder(parts, name, (recorded) => withEnd(recorded, end));
      this.#tell(session, { phase: 'done', run });
    } catch (thrown) {
      throw isNothing(thrown) ? thrown : partsKept(await setAside(parts, id), thrown);
    }
  }

  /** Resolves with the run's id. Also removes a folder without recorded data. */
  async #keepFolder(parts: string, name: string, described: (run: Run) => Run): Promise<string> {
    const { runs, version, events } = this.#options;
    try {
      const run = described(await readRecordingFolder(parts, name, version));
      const before = (id: string): Promise<void> => writeNote(parts, { name, run: id });
      const summary = await runs.keep(name, run.info, encodeRun(run), before);
      await removeWithNote(parts);
      events.runChanged(summary.id, summary);
      return summary.id;
    } catch (thrown) {
      if (isNothing(thrown)) await removeWithNote(parts);
      throw thrown;
    }
  }

  async #recover(): Promise<void> {
    for (const parts of await claimLeftRecordings(this.#options.folder)) {
      await this.#recoverFolder(parts).catch((thrown) => leftAlone(parts, thrown));
    }
  }

  async #recoverFolder(parts: string): Promise<void> {
    const { name, run } = await readNote(parts);
    const isKept = run !== null && (await this.#options.runs.list()).some(({ id }) => id === run);
    if (isKept) await removeWithNote(parts);
    else await this.#keepFolder(parts, name, withSuddenEnd);
  }

  #tellSoon(session: Session, changed: Partial<RecordingStatus>): void {
    session.status = { ...session.status, ...changed };
    this.#timer ??= setTimeout(() => this.#tell(session, {}), tellEveryMs);
  }

  #tell(session: Session, changed: Partial<RecordingStatus>): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    session.status = { ...session.status, output: plainTail(session.printed), ...changed };
    this.#options.events.recordingChanged(session.status);
  }
}

const newSession = ({ command }: StartRecording): Session => ({
  status: {
    id: randomUUID(),
    name: recordingName(command),
    phase: 'recording',
    isStopped: false,
    counts: nothingRecorded,
    output: '',
    exitCode: null,
    run: null,
    error: null,
  },
  printed: '',
  stop: new AbortController(),
  kill: new AbortController(),
});

/** Returns 'train' for `python -u scripts/train.py`: the script's name, or else the program's. */
export function recordingName([file, ...words]: StartRecording['command']): string {
  const script = words.find((word) => /\.py$/.test(word));
  return (
    basename(script ?? file)
      .replace(/\.py$/, '')
      .slice(0, 100) || 'recording'
  );
}

/** Returns the output as a terminal shows it: without colours, and only the last version of overwritten lines. */
function plainTail(printed: string): string {
  const text = stripVTControlCharacters(printed)
    .replace(/\r\n/g, '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '')
    .replaceAll('\r', '');
  if (text.length <= keptOutput) return text;
  const cut = text.slice(-keptOutput);
  return cut.slice(cut.indexOf('\n') + 1);
}

/** Returns true if there is no recorded data to keep. */
const isNothing = (thrown: unknown): boolean =>
  /^(record\.nothing|engine\.unavailable)$/.test(toErrorInfo(thrown).code);

const withSuddenEnd = (run: Run): Run => ({
  ...run,
  info: {
    ...run.info,
    notes: ['Copyscope ended while this was recorded: it holds what had been recorded by then.', ...run.info.notes],
  },
});

/** Sets aside a folder that will never be readable; a folder that could not be stored may succeed the next time. */
async function leftAlone(parts: string, thrown: unknown): Promise<void> {
  const isLasting = /^(trace-file|run-file)\./.test(toErrorInfo(thrown).code);
  if (isLasting) await setAside(parts, randomUUID()).catch(() => {});
}

function partsKept(parts: string, thrown: unknown): CopyscopeError {
  const error = toErrorInfo(thrown);
  return new CopyscopeError(
    {
      code: error.code,
      message: `The run could not be made: ${describeError(error)}`,
      remedy: `The recorded data is kept in ${parts}: open its files with Open.`,
    },
    { cause: thrown },
  );
}

const busy = (): CopyscopeError =>
  new CopyscopeError({
    code: 'recording.busy',
    message: 'A program is being recorded already.',
    remedy: 'Wait until it ends, or stop it.',
  });

const notUnderWay = (): CopyscopeError =>
  new CopyscopeError({ code: 'recording.not-found', message: 'This recording is over.' });

/** A window requests one span of steps; the recorder takes several. */
const settingsOf = ({ steps, light, lines, delayS, durationS, stepRange }: StartRecording): RecordSettings => ({
  light,
  lines,
  delayS,
  durationS,
  stepRange,
  ...(steps === undefined ? {} : { steps: [steps] }),
});
