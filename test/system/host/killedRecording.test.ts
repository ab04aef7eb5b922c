/**
 * A host killed while it records a program, or makes its run: the next start keeps the recording, once, and leaves no
 * file and no program behind.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { RunInfo } from '../../../core/trace/run.ts';
import { newFolder } from '../../support/newFolder.ts';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { steps } from '../../unit/import/recorded/recordingBytes.ts';
import { eventually } from '../../unit/support/eventually.ts';

const assets = join(repository, 'assets');
const folder = newFolder();
const built = await buildEntry(join(import.meta.dirname, '../../unit/host/support/killedEntry.ts'));

beforeAll(async () => {
  const recorded = join(folder, 'recorded');
  writeFileSync(recorded, steps(3).bytes());
  // The programs write the recorder's file, since there is no recorder.
  const write = `cp ${recorded} "$COPYSCOPE_RECORD_FOLDER/1.cprec.part"; mv "$COPYSCOPE_RECORD_FOLDER/1.cprec.part" "$COPYSCOPE_RECORD_FOLDER/1.cprec"`;
  for (const [name, end] of [
    ['short', ''],
    // A second process that has only begun its file.
    ['long', ': > "$COPYSCOPE_RECORD_FOLDER/2.cprec"; echo $$ > pid; exec sleep 600'],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'program.sh'), `${write}\n${end}\n`);
  }
});

const recorder = { COPYSCOPE_RECORD_DRIVER: '1', COPYSCOPE_RECORD_LIBRARY: join(repository, 'package.json') };
const environment = { ...process.env, ...recorder };
const args = (operation: string, at: number, dataFolder: string, program: string): string[] => [
  built,
  operation,
  String(at),
  dataFolder,
  assets,
  join(folder, program),
];

/** Returns true if it was killed before its end. */
function isKilled(operation: string, at: number, dataFolder: string): boolean {
  const { stdout, stderr, signal, status } = spawnSync(process.execPath, args(operation, at, dataFolder, 'short'), {
    encoding: 'utf8',
    env: environment,
  });
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(stderr);
  return !stdout.includes('done');
}

/** Returns the runs of the next start, and the remaining files of the recordings' folder. */
async function nextStart(dataFolder: string): Promise<{ readonly runs: RunInfo[]; readonly left: string[] }> {
  const { service, ready, recovered, close } = hostOf(dataFolder, { assetsFolder: assets });
  await Promise.all([ready, recovered]);
  const own = (await service.runs()).filter(({ builtIn }) => !builtIn);
  const runs = await Promise.all(own.map(async ({ id }) => decodeRun(await service.readRun(id)).info));
  close();
  return { runs, left: filesIn(join(dataFolder, 'recordings')) };
}

const filesIn = (path: string): string[] =>
  existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];

it('keeps what was recorded, once, wherever the host was killed', async () => {
  const outcomes = new Set<string>();
  for (let at = 1; ; at += 1) {
    const dataFolder = join(folder, String(at));
    if (!isKilled('record', at, dataFolder)) break;
    const wasRecorded = filesIn(dataFolder).some((path) => /\.(cprec|arrow)$/.test(path));
    const { runs, left } = await nextStart(dataFolder);
    expect(left, `left after change ${at}`).toEqual([]);
    expect(runs, `runs after change ${at}`).toHaveLength(wasRecorded ? 1 : 0);
    for (const { imported, notes } of runs) {
      expect(imported).toMatchObject({ format: 'copyscope-record', name: 'sh' });
      outcomes.add(notes[0]?.startsWith('Copyscope ended') === true ? 'recovered' : 'kept before');
    }
    // A later start changes nothing.
    expect(await nextStart(dataFolder)).toEqual({ runs, left: [] });
  }
  expect([...outcomes].sort()).toEqual(['kept before', 'recovered']);
});

it('ends a program that goes on, and keeps what it had recorded', async () => {
  const dataFolder = join(folder, 'going-on');
  const host = spawn(process.execPath, args('record', Number.MAX_SAFE_INTEGER, dataFolder, 'long'), {
    env: environment,
    stdio: 'ignore',
  });
  const pidFile = join(folder, 'long/pid');
  const pid = await eventually(() => Number(readFileSync(pidFile, 'utf8')) || Promise.reject(new Error('not yet')));
  // During exec the process has no environment, by which it is found.
  await eventually(() => expect(readFileSync(`/proc/${pid}/comm`, 'utf8')).toBe('sleep\n'));
  host.kill('SIGKILL');
  await once(host, 'exit');
  const { runs, left } = await nextStart(dataFolder);
  expect(runs).toMatchObject([{ imported: { format: 'copyscope-record', name: 'sh' } }]);
  expect(left).toEqual([]);
  await eventually(() => {
    expect(isRunning(pid)).toBe(false);
  });
});

/** Returns false also for a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
