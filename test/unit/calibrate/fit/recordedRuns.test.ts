/** Recorded runs as they lie on a disk. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../../core/experiment/parse.ts';
import { encodeRun } from '../../../../core/trace/arrow.ts';
import type { RunInfo } from '../../../../core/trace/run.ts';
import { readRecordedRuns } from '../../../../host/calibrate/recordedRuns.ts';
import { h200 } from '../../simulator/toy.ts';
import { runOf } from './support.ts';

const experiment = requireExperiment({
  ...{ format: 'copyscope/experiment', version: 1, name: 'spin' },
  threads: [{ id: 'main', operations: [{ op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 } }] }],
});
const gpu = (name: string): Partial<RunInfo> => ({
  engine: 'cuda',
  timing: 'cupti',
  device: {
    ...{ index: 0, name, computeCapability: '9.0', asyncEngineCount: 3, multiprocessors: 132 },
    ...{ memoryBytes: 2 ** 37, pciBusId: '', linkGeneration: 5, linkWidth: 16 },
  },
});
const going = new AbortController().signal;

let folder = '';
const save = (name: string, changes: Partial<RunInfo>): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), encodeRun(runOf(experiment, h200, changes)));
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-runs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('recorded runs', () => {
  it('are those of one engine below the folders, in order, with the day of the latest', async () => {
    save('b/two.arrow', { ...gpu('GPU'), createdAt: '2026-11-21T01:00:00.000Z' });
    save('a/one.arrow', gpu('GPU'));
    save('simulated.arrow', {});
    writeFileSync(join(folder, 'broken.arrow'), 'nothing');
    const found = await readRecordedRuns([folder], 'cuda', going);
    expect(found.runs.map(({ id }) => id)).toEqual(['a/one', 'b/two']);
    expect(found).toMatchObject({ date: '2026-11-21', device: { name: 'GPU' }, profile: null });
    expect(found.leftOut.map(({ file }) => file)).toEqual([
      join(folder, 'broken.arrow'),
      join(folder, 'simulated.arrow'),
    ]);
  });

  it('may be named one by one', async () => {
    save('one.arrow', gpu('GPU'));
    const found = await readRecordedRuns([join(folder, 'one.arrow')], 'cuda', going);
    expect(found.runs.map(({ id }) => id)).toEqual(['one']);
  });

  it('of several kinds of GPU describe no one machine', async () => {
    save('one.arrow', gpu('GPU'));
    save('two.arrow', gpu('another GPU'));
    await expect(readRecordedRuns([folder], 'cuda', going)).rejects.toMatchObject({ code: 'fit.devices' });
  });

  it('that are none, and folders that aren’t there, are errors that say so', async () => {
    await expect(readRecordedRuns([folder], 'cuda', going)).rejects.toMatchObject({ code: 'fit.no-runs' });
    const missing = readRecordedRuns([join(folder, 'missing')], 'cuda', going);
    await expect(missing).rejects.toMatchObject({ code: 'file.not-found' });
  });

  it('end where they are cancelled', async () => {
    save('one.arrow', gpu('GPU'));
    await expect(readRecordedRuns([folder], 'cuda', AbortSignal.abort())).rejects.toMatchObject({
      code: 'run.cancelled',
    });
  });
});
