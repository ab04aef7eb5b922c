import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { newFolder } from '../../support/newFolder.ts';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { smallRun } from '../../unit/host/support/runs.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';

const built = await buildEntry(engineEntry);
const folder = newFolder();
const race = (name: string): string => join(repository, `assets/examples/races/${name}.json`);

describe('copyscope check', () => {
  it('lists a race with both operations and the remedy, and exits with 5', async () => {
    const { exitCode, out, err } = await copyscope(['check', race('changed-source-pinned')], built);
    expect(exitCode).toBe(5);
    expect(out).toMatch(/\[hazard\] Source changed in flight/);
    expect(out).toMatch(/op 1 "copy the ones".*threads\[0\]\.operations\[1\]/);
    expect(out).toMatch(/op 2 "write zeros over the source"/);
    expect(out).toMatch(/Remedy: Synchronise stream "legacy default"/);
    expect(err).toMatch(/1 hazard found/);
  });

  it('exits with 0 if there is no hazard', async () => {
    const { exitCode, out, err } = await copyscope(['check', race('early-read-synchronized')], built);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(/No hazards/);
  });

  it('prints one JSON object with --json, and the error on stderr', async () => {
    const { exitCode, out, err } = await copyscope(['check', race('early-read'), '--json'], built);
    const report = JSON.parse(out);
    expect(exitCode).toBe(5);
    expect(report).toMatchObject({
      format: 'copyscope/hazards',
      version: 1,
      name: 'Result read too early',
      limits: [],
    });
    expect(report.hazards).toEqual([expect.objectContaining({ kind: 'read-before-arrival', evidence: null })]);
    expect(JSON.parse(err).error).toMatchObject({ code: 'hazards.found', op: 2 });
  });

  it('says of a run how many bytes its data check found wrong', async () => {
    const experiment = requireExperiment(readFileSync(race('early-read'), 'utf8'));
    const found = {
      kind: 'read',
      buffer: 'received',
      op: 2,
      bytesChecked: 4096,
      bytesWrong: 1234,
      firstWrong: 0,
    } as const;
    const verification = { bytesChecked: 4096, bytesWrong: 1234, checks: [found], unverified: [] };
    const path = join(folder, 'run.arrow');
    writeFileSync(path, encodeRun(smallRun(experiment, 'cuda', { verification })));
    const { exitCode, out } = await copyscope(['check', path], built);
    expect(exitCode).toBe(5);
    expect(out).toMatch(/In this run 1,234 of 4,096 bytes were wrong, in "received"/);
  });
});
