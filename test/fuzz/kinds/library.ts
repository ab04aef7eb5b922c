/** Files that a window adds to the library: a refused file leaves nothing behind. */
import { gzipSync } from 'node:zlib';
import type { Imported, LibraryItems } from '../../../core/service/service.ts';
import { libraryItems } from '../../../core/service/service.ts';
import { importFile } from '../../unit/host/support/imports.ts';
import { steps } from '../../unit/import/recorded/recordingBytes.ts';
import type { Random } from '../../unit/support/random.ts';
import { type HostInFolder, hostInFolder } from '../hostInFolder.ts';
import { taken, Wrong } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { mutatedBytes, mutatedGzip } from '../mutateBytes.ts';
import { mutatedJson } from '../mutateText.ts';
import { exampleDocuments, smallRuns, smallTrace } from '../seeds.ts';
import { type TarEntry, tarOf } from '../tar.ts';

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

const right: Readonly<Record<string, Uint8Array>> = {
  'a.json': utf8(JSON.stringify(exampleDocuments[0])),
  'a.arrow': smallRuns[0] ?? new Uint8Array(0),
  'a.pt.trace.json': utf8(JSON.stringify(smallTrace('pytorch-unseen-h200/spectra.prefetch.json.gz', 60))),
  'a.cprec': steps(2).bytes(),
};

const oddNames = [
  '../a.json',
  '/etc/passwd',
  'a\0.arrow',
  'con',
  '.arrow',
  'a'.repeat(255),
  '\u202eworra.a',
  'a.nsys-rep',
  '🙂',
];

const itemsOf = (imported: Imported): LibraryItems => {
  if (imported.kind === 'run') return libraryItems({ runs: [imported.run.id] });
  return imported.kind === 'bundle' ? imported.items : libraryItems({ experiments: [imported.id] });
};

/** Checks that an accepted file is listed and can be read, and deletes it. */
async function readAndDelete({ host: { service } }: HostInFolder, imported: Imported): Promise<void> {
  const items = itemsOf(imported);
  const runs = await service.runs();
  for (const id of items.runs) {
    const run = runs.find((one) => one.id === id);
    if (run === undefined || run.error?.code === 'internal') throw new Wrong(`${id} was taken and can't be listed`);
    await service.readRun(id);
  }
  for (const id of items.experiments) await service.readExperiment(id);
  // Shipped or earlier items are kept.
  if (imported.kind === 'bundle' || imported.isNew) await service.deleteItems(items);
}

function imported(place: HostInFolder, name: string, bytes: Uint8Array, partBytes: number) {
  return {
    input: bytes,
    run: async () => {
      const before = place.content();
      const result = await taken(() => importFile(place.host.service, name, bytes, partBytes));
      if (result === null) place.requireSame(before);
      else await readAndDelete(place, result);
      return result !== null;
    },
  };
}

const partSizes = [1 << 20, 1000, 64];

function wrongFile(random: Random): readonly [name: string, bytes: Uint8Array] {
  const [name, bytes] = random.pick(Object.entries(right));
  const odd = random.chance(0.2) ? random.pick(oddNames) : name;
  if (!name.endsWith('.json') || random.chance(0.3)) return [odd, mutatedBytes(bytes, random)];
  const wrong = utf8(mutatedJson(JSON.parse(Buffer.from(bytes).toString()), random));
  return [odd, random.chance(0.1) ? gzipSync(wrong, { level: 1 }) : wrong];
}

const files = (place: HostInFolder): Kind => ({
  make: (random) => {
    const [name, bytes] = wrongFile(random);
    return imported(place, name, bytes, random.pick(partSizes));
  },
});

const manifest = {
  format: 'copyscope/bundle',
  version: 2,
  createdAt: '2026-11-20T09:00:00.000Z',
  program: 'fuzz',
  experiments: [{ id: 'mine', name: 'Mine' }],
  runs: [{ id: 'imported/a', name: 'a', title: 'b', notes: true }],
  sweeps: [],
};
const notes = { format: 'copyscope/notes', version: 1, notes: [] };

/** Returns an archive with a wrong manifest, entries, names or types of entries. */
function wrongBundle(random: Random): Uint8Array {
  const text = random.chance(0.3) ? mutatedJson(manifest, random) : JSON.stringify(manifest);
  const entries: TarEntry[] = [
    { name: 'manifest.json', content: utf8(text) },
    { name: 'experiments/mine.json', content: right['a.json'] ?? utf8('') },
    { name: 'runs/imported/a.arrow', content: right['a.arrow'] ?? utf8('') },
    { name: 'notes/imported/a.json', content: utf8(JSON.stringify(notes)) },
  ];
  for (let count = random.below(3); count > 0; count -= 1) woundEntries(entries, random);
  const archive = gzipSync(tarOf(entries), { level: 1 });
  return random.chance(0.3) ? mutatedGzip(archive, random) : archive;
}

const oddPaths = [
  '../../out',
  '/tmp/out',
  'runs/../../out',
  'experiments/mine.json',
  'a\\b',
  '',
  './manifest.json',
  'runs/imported/a.arrow/x',
];

function woundEntries(entries: TarEntry[], random: Random): void {
  const at = random.below(entries.length);
  const entry = entries[at] ?? { name: 'x', content: new Uint8Array(0) };
  const wounds = [
    () => entries.splice(at, 1),
    () => entries.push(entry),
    () => entries.push({ ...entry, name: random.pick(oddPaths) }),
    // Hard link, symbolic link, device, folder, pipe, a pax header, a long name of GNU's.
    () =>
      entries.splice(at, 0, {
        ...entry,
        type: random.pick(['1', '2', '3', '5', '6', 'x', 'g', 'L']),
        link: random.pick(oddPaths),
      }),
    () => entries.splice(at, 1, { ...entry, content: mutatedBytes(entry.content, random) }),
    () =>
      entries.splice(at, 1, { ...entry, claims: random.pick([0, 1, 2 ** 31, 2 ** 33 - 1, entry.content.length * 2]) }),
    () => entries.reverse(),
    () => entries.push({ name: 'grows', content: new Uint8Array(1 << 20) }),
  ];
  random.pick(wounds)();
}

const bundles = (place: HostInFolder): Kind => ({
  make: (random) => imported(place, 'a.copyscope', wrongBundle(random), random.pick(partSizes)),
});

/** Makes the host at the first input, since a batch has one kind. */
function placed(kindOf: (place: HostInFolder) => Kind): Kind {
  let place: HostInFolder | null = null;
  return {
    make: (random) => {
      place ??= hostInFolder();
      return kindOf(place).make(random);
    },
    close: () => place?.close(),
  };
}

export const libraryKinds = (): Readonly<Record<string, Kind>> => ({
  import: placed(files),
  bundle: placed(bundles),
});
