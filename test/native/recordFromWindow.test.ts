/** A program recorded from a window, with the stand-in for CUPTI: reports of the host, for each end of the program. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { isUnderWay, type RecordingStatus, type StartRecording } from '../../core/service/recording.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import type { Host } from '../../host/service/host.ts';
import { newFolder } from '../support/newFolder.ts';
import { buildRecorder, noRecorder, player, standInEnvironment } from '../support/recorder.ts';
import { hostOf } from '../unit/host/support/hostOf.ts';
import { toldWindow } from '../unit/host/support/toldWindow.ts';

let folder: string;
let host: Host;
let told: RecordingStatus[];

function open(environment: NodeJS.ProcessEnv): void {
  host = hostOf(join(folder, 'data'), {
    assetsFolder: join(folder, 'assets'),
    environment: { PATH: process.env['PATH'], ...environment },
  });
  told = [];
  host.addWindow({ ...toldWindow(), recordingChanged: (status) => void told.push(status) });
}

beforeEach(() => {
  folder = newFolder();
  return () => {
    host.close();
  };
});

const asked = (...command: [string, ...string[]]): StartRecording => ({
  command,
  folder,
  environment: {},
  light: false,
  lines: true,
});

const patient = { timeout: 60_000, interval: 20 };
const until = (holds: (status: RecordingStatus) => boolean): Promise<RecordingStatus> =>
  vi.waitFor(() => {
    const found = told.find(holds);
    if (found === undefined) throw new Error(JSON.stringify(told.at(-1)));
    return found;
  }, patient);
const ended = (): Promise<RecordingStatus> => until((status) => !isUnderWay(status));

describe.skipIf(noRecorder !== null)(
  `recording from a window${noRecorder === null ? '' : ` (skipped: ${noRecorder})`}`,
  () => {
    let built: string;
    beforeAll(() => {
      built = buildRecorder();
    }, 600_000);
    beforeEach(() => open(standInEnvironment(built)));

    it('tells the output and the exit code, and keeps the run', async () => {
      const begun = await host.service.startRecording(
        asked('sh', '-c', `${player(built)} 2 40 >/dev/null; echo "in $PWD"; exit 5`),
      );
      expect(begun).toMatchObject({ phase: 'recording', name: 'sh', exitCode: null });
      const status = await ended();
      expect(status).toMatchObject({ phase: 'done', exitCode: 5, output: `in ${folder}\n`, error: null });
      expect(status.counts).toMatchObject({ processes: 1, copies: 80, kernels: 240, waits: 80, dropped: 0 });
      expect(status.counts.bytes).toBeGreaterThan(10_000);
      expect(await host.service.recording()).toEqual(status);
      const run = decodeRun(await host.service.readRun(status.run ?? ''));
      expect(run.info).toMatchObject({ imported: { format: 'copyscope-record', name: 'sh' } });
      expect(run.info.notes[0]).toBe('The program ended with exit code 5.');
      // The run contains the data of the processes.
      expect(readdirSync(join(folder, 'data/recordings'))).toEqual([]);
    });

    it('passes variables on, splits nothing, and shows what a terminal would', async () => {
      const shown = String.raw`printf '\033[31m%s\033[0m\n10 %%\r20 %%\n' "$WHAT|$1"`;
      const request = {
        ...asked('sh', '-c', `${player(built)} 1 1 >/dev/null; ${shown}`, 'sh', 'a b'),
        environment: { WHAT: 'x y' },
      };
      await host.service.startRecording(request);
      expect((await ended()).output).toBe('x y|a b\n20 %\n');
    });
  },
);

it('a window’s recording without a GPU is refused in words before anything is started', async () => {
  const driver = ['/proc/driver/nvidia/version', '/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg'].some(existsSync);
  open({});
  if (driver) return;
  await expect(host.service.startRecording(asked('touch', join(folder, 'started')))).rejects.toMatchObject({
    code: 'engine.unavailable',
    remedy: expect.stringMatching(/Record it on a machine with an NVIDIA GPU/),
  });
  expect(existsSync(join(folder, 'started'))).toBe(false);
});
