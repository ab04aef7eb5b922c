/**
 * Data folders damaged by a bad disk, a kill or another program: a host starts on one, lists the items and reads them.
 * Unreadable ones are refused with a message, or left out; nothing outside the folder changes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readers } from '../../unit/support/readers.ts';
import { type HostInFolder, hostInFolder } from '../hostInFolder.ts';
import { taken, Wrong } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { mutatedBytes } from '../mutateBytes.ts';
import { mutatedJson } from '../mutateText.ts';
import { asset, exampleDocuments, smallRuns } from '../seeds.ts';

const right = (name: string): unknown => readers[name]?.document;
const [experiment] = exampleDocuments;
const at = '2026-11-20T09:00:00.000Z';
/** Id of an ended process: process numbers are far smaller. */
const ended = '2147483646-0f3a9c1e-5b2d8c47';

/** Documents by path. The host reads each at its start or on request. */
const documents: Readonly<Record<string, unknown>> = {
  'experiments/mine.json': experiment,
  'drafts/mine.json': { format: 'copyscope/draft', version: 1, changedAt: at, experiment },
  'profiles/mine.json': JSON.parse(asset('profiles/h200.json')),
  'titles.json': { format: 'copyscope/titles', version: 1, titles: { 'imported/a': 'b' } },
  'notes/imported/a.json': right('notes'),
  'remote-hosts.json': { format: 'copyscope/remote-hosts', version: 1, hosts: [{ name: 'gpu-box', port: 4711 }] },
  'slurm-settings.json': right('settings of Slurm'),
  'sweeps/s/sweep.json': right('kept sweep'),
  'sweeps/s/points.jsonl': { point: 0, status: 'failed', error: { code: 'run.failed', message: 'no' } },
  'cache/seen-files.json': {
    format: 'copyscope/seen-files',
    version: 1,
    program: '0.1.0',
    lists: { runs: { '/x/a.arrow': ['1 2', { id: 'a' }] } },
  },
  [`unfinished/${ended}`]: { experiments: ['other'], runs: ['imported/b'], sweeps: ['t'], forGood: true },
  [`recordings/${ended}/recording.json`]: { name: 'train', run: null },
};

async function use({ host: { service, ready, recovered } }: HostInFolder): Promise<boolean> {
  await ready;
  await recovered;
  const asked = [
    () => service.experiments(),
    () => service.readExperiment('mine'),
    () => service.readDraft('mine'),
    () => service.profiles(),
    () => service.readProfile('mine'),
    () => service.runs(),
    () => service.readRun('imported/a'),
    () => service.readNotes('imported/a'),
    () => service.remotes(),
    () => service.slurm(),
    () => service.sweeps(),
    () => service.readSweep('s'),
  ];
  let answers = 0;
  for (const ask of asked) if ((await taken(ask)) !== null) answers += 1;
  if (({} as Record<string, unknown>)['polluted'] !== undefined) throw new Wrong('a prototype was changed');
  return answers > asked.length / 2;
}

export const dataFolderKinds: Readonly<Record<string, Kind>> = {
  'data folder': {
    make: (random) => {
      const damaged = random.pick(Object.keys(documents));
      const input = mutatedJson(documents[damaged], random);
      const run = random.chance(0.2) ? mutatedBytes(smallRuns[0] ?? new Uint8Array(0), random) : smallRuns[0];
      const fill = (folder: string): void => {
        const write = (path: string, content: string | Uint8Array): void => {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), content);
        };
        for (const [path, document] of Object.entries(documents)) {
          write(path, path === damaged ? input : JSON.stringify(document));
        }
        if (run !== undefined) write('runs/imported/a.arrow', run);
      };
      return {
        input: `${damaged}\n${input}`,
        run: async () => {
          const place = hostInFolder(fill);
          try {
            const answered = await use(place);
            place.requireAllInside();
            return answered;
          } finally {
            place.close();
          }
        },
      };
    },
  },
};
