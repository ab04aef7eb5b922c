/**
 * A process with a host that does one thing, and is killed before its n-th change on the disk, or in the middle of it:
 * node entry.mjs OPERATION N DATA_FOLDER ASSETS FILES It prints one line for each confirmed action, and "done" at the
 * end if there were fewer changes.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { isUnderWay, type RecordingStatus } from '../../../../core/service/recording.ts';
import { libraryItems } from '../../../../core/service/service.ts';
import { hostOf } from './hostOf.ts';
import { importFile } from './imports.ts';
import { notesChange } from './notes.ts';
import { toldWindow } from './toldWindow.ts';

const [operation = '', at = '', dataFolder = '', assetsFolder = '', files = ''] = process.argv.slice(2);
let changes = 0;

/** Called before each change. `half` does the part of it that a kill in its middle would leave. */
function change(half: () => void = () => {}): void {
  changes += 1;
  if (changes < Number(at)) return;
  half();
  process.kill(process.pid, 'SIGKILL');
}

type Call = (...args: never[]) => unknown;

function counted(
  owner: object,
  names: readonly string[],
  half?: (self: object, args: readonly unknown[]) => void,
): void {
  const methods = owner as Record<string, Call>;
  for (const name of names) {
    const call = methods[name] as Call;
    methods[name] = function (this: object, ...args: never[]) {
      change(() => half?.(this, args));
      return call.apply(this, args);
    };
  }
}

/** Counts changes from now on, also in the host's imports by name. */
async function countChanges(): Promise<void> {
  counted(fs.promises, ['rename', 'link', 'rm', 'mkdir', 'symlink', 'unlink', 'writeFile', 'copyFile']);
  counted(fs, ['renameSync', 'mkdirSync', 'rmSync', 'writeFileSync']);
  const handle = await fs.promises.open(process.execPath);
  const prototype = Object.getPrototypeOf(handle) as object;
  await handle.close();
  counted(prototype, ['writeFile', 'appendFile'], (self, [content]) => {
    const bytes = Buffer.from(content as string | Uint8Array);
    fs.writeSync((self as { fd: number }).fd, bytes.subarray(0, Math.floor(bytes.length / 2)));
  });
  syncBuiltinESMExports();
}

const host = hostOf(dataFolder, { assetsFolder });
const { service } = host;
const read = (name: string): Uint8Array => new Uint8Array(fs.readFileSync(join(files, name)));
const confirm = (what: unknown): void => void fs.writeSync(1, `${JSON.stringify(what)}\n`);

async function own(): Promise<{ readonly experiments: string[]; readonly runs: string[] }> {
  const experiments = (await service.experiments()).map(({ id }) => id);
  const runs = (await service.runs()).filter(({ builtIn }) => !builtIn).map(({ id }) => id);
  return { experiments, runs };
}

/** Operations, each with preparations before changes are counted. */
const operations: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  start: async () => () => Promise.all([host.ready, host.recovered]),
  save: async () => () => service.saveExperiment(null, JSON.parse(Buffer.from(read('experiment.json')).toString())),
  saveAgain: async () => {
    const [id = ''] = (await own()).experiments;
    const changed = { ...JSON.parse(await service.readExperiment(id)), description: 'changed' };
    return () => service.saveExperiment(id, changed);
  },
  importRun: async () => () => importFile(service, 'new.arrow', read('run.arrow')),
  notes: async () => {
    const [id = ''] = (await own()).runs;
    return () =>
      service.saveNotes(id, notesChange([{ id: 'x', iteration: 0, startNs: 3, endNs: 4, row: null, text: 'new' }]));
  },
  rename: async () => {
    const [id = ''] = (await own()).runs;
    return () => service.renameRun(id, 'Renamed');
  },
  remove: async () => {
    const items = libraryItems(await own());
    return () => service.deleteItems(items);
  },
  restore: async () => {
    const ticket = await service.deleteItems(libraryItems(await own()));
    return () => service.restoreItems(ticket);
  },
  record: async () => async () => {
    const ended = new Promise<RecordingStatus>((resolve) => {
      host.addWindow({
        ...toldWindow(),
        recordingChanged: (status) => {
          if (!isUnderWay(status)) resolve(status);
        },
      });
    });
    const command: [string, string] = ['sh', join(files, 'program.sh')];
    await service.startRecording({ command, folder: files, environment: {}, light: false, lines: true });
    const { error } = await ended;
    if (error !== null) throw new Error(error.message);
  },
  export: async () => {
    const ticket = await service.packBundle(libraryItems(await own()));
    return async () => {
      for await (const _ of await host.bundle(ticket));
    };
  },
};

const prepare = operations[operation];
if (prepare === undefined) throw new Error(`there is no operation ${operation}`);
// A start is counted from its beginning; other operations come after it.
if (operation !== 'start') await host.ready;
const work = await prepare();
await countChanges();
confirm('begun');
await work();
confirm('confirmed');
host.close();
confirm('done');
process.exit(0);
