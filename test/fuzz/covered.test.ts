/** Whatever is read, and whatever a window can ask for, is among what the fuzzer makes wrong. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostFunctions, requireArguments } from '../../core/service/requests.ts';
import { rightArguments } from './kinds/calls.ts';
import { allKinds } from './kinds.ts';

/** Modules that make values of text or of a schema: the kind of input that comes to each, or why none does. */
const readBy: Readonly<Record<string, string>> = {
  'core/bench/parse.ts': 'benchmark',
  'core/experiment/parse.ts': 'experiment',
  'core/gate/parse.ts': 'gate rules',
  'core/import/kineto/kinetoHeader.ts': 'pytorch',
  'core/import/recorded/recordingFile.ts': 'recording',
  'core/import/textTable.ts': 'pytorch',
  'core/lessons/check.ts': 'lesson',
  'core/lessons/figure.ts': 'values',
  'core/lessons/lesson.ts': 'lesson',
  'core/lessons/parse.ts': 'lesson',
  'core/lessons/results.ts': 'values',
  'core/profile/profile.ts': 'profile',
  'core/slurm/settings.ts': 'cluster files',
  'core/sweep/parse.ts': 'sweep',
  'core/trace/arrow/metadata.ts': 'run',
  'core/trace/notes.ts': 'notes',
  'host/bench/pytorch.ts': 'not a file: what the Python program printed that it started itself',
  'host/machines/jobs.ts': 'jobs',
  'host/machines/machineStore.ts': 'data folder',
  'host/machines/rescue.ts': 'jobs',
  'host/paths.ts': "not somebody's: the program's own package.json",
  'host/server/rememberedPort.ts':
    'not from elsewhere: a number of 1 kB at most, test/unit/host/rememberedPort.test.ts',
  'host/service/assets.ts': 'data folder',
  'host/service/bundle/manifest.ts': 'manifest',
  'host/service/draftStore.ts': 'data folder',
  'host/service/ids.ts': 'call',
  'host/service/keptSweep.ts': 'kept sweep',
  'host/service/lessons.ts': 'values',
  'host/service/recordingFolders.ts': 'data folder',
  'host/service/seenFiles.ts': 'data folder',
  'host/service/titleStore.ts': 'data folder',
  'host/service/unfinished.ts': 'data folder',
  'host/slurm/oneWork.ts': 'not read: a copy of its own settings',
  'host/slurm/readShape.ts': 'cluster files',
};

const reads = /\b(checkShape|parseJson|JSON\.parse|\w*[sS]chema\.parse)\(/;
/** What edits a document, and what all readers share. */
const others = /^core\/(experiment\/(edit|operations)|shape)/;

describe('the fuzzer', () => {
  it('has a kind for each module that reads', () => {
    const sources = ['core', 'host'].flatMap((layer) =>
      readdirSync(layer, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(layer, name).replaceAll('\\', '/')),
    );
    const reading = sources.filter((path) => !others.test(path) && reads.test(readFileSync(path, 'utf8')));
    expect(reading.sort()).toEqual(Object.keys(readBy).sort());
    const kinds = allKinds();
    const named = Object.values(readBy).filter((kind) => !kind.startsWith('not '));
    expect(named.filter((kind) => !Object.hasOwn(kinds, kind))).toEqual([]);
    for (const kind of Object.values(kinds)) kind.close?.();
  });

  it.each(hostFunctions)('calls %s with right arguments, and with wrong ones', (name) => {
    const args = rightArguments[name] ?? [];
    expect(() => requireArguments(name, args)).not.toThrow();
  });
});
