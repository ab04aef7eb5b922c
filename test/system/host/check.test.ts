import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { type BuiltEntry, buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { smallRun } from '../../unit/host/support/runs.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';

let built: BuiltEntry;
let folder: string;
const race = (name: string): string => join(repository, `assets/examples/races/${name}.json`);

beforeAll(async () => {
  built = await buildEntry(engineEntry);
  folder = mkdtempSync(join(tmpdir(), 'copyscope-check-'));
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('copyscope check', () => {
  it('lists a race with both operations and the remedy, and exits with 5', async () => {
    const { exitCode, out, err } = await copyscope(['check', race('changed-source-pinned')], built.script);
    expect(exitCode).toBe(5);
    expect(out).toMatch(/\[hazard\] Source changed in flight/);
    expect(out).toMatch(/op 1 "copy the ones".*threads\[0\]\.operations\[1\]/);
    expect(out).toMatch(/op 2 "write zeros over the source"/);
    expect(out).toMatch(/Remedy: Synchronise stream "default"/);
    expect(err).toMatch(/1 hazard found/);
  });

  it('exits with 0 if there is no hazard', async () => {
    const { exitCode, out, err } = await copyscope(['check', race('early-read-synchronized')], built.script);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(/No hazards/);
  });

  it('prints one JSON object with --json, and the error on stderr', async () => {
    const { exitCode, out, err } = await copyscope(['check', race('early-read'), '--json'], built.script);
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

  it('finds threads that wait for each other for ever, in words and as JSON', async () => {
    const path = join(folder, 'circle.json');
    const wait = (signal: string, then: string) => [
      { op: 'waitSignal', signal },
      { op: 'signal', signal: then },
    ];
    const circle = {
      format: 'copyscope/experiment',
      version: 1,
      name: 'Circle',
      signals: [{ id: 'filled' }, { id: 'emptied' }],
      threads: [
        { id: 'loader', operations: wait('emptied', 'filled') },
        { id: 'main', operations: wait('filled', 'emptied') },
      ],
    };
    writeFileSync(path, JSON.stringify(circle));
    const { exitCode, out, err } = await copyscope(['check', path], built.script);
    expect(exitCode).toBe(5);
    expect(out).not.toMatch(/No hazards/);
    const text = out.replace(/\s+/g, ' ');
    expect(text).toContain('Host thread "loader" waits for ever at "wait for emptied", and the program never ends.');
    expect(text).toContain('Host thread "main" signals "emptied" only after "wait for filled", where it waits itself.');
    expect(err).toMatch(/2 hazards found/);
    const json = await copyscope(['check', path, '--json'], built.script);
    expect(json.exitCode).toBe(5);
    expect(JSON.parse(json.out).hazards).toMatchObject([
      { kind: 'endless-wait', first: { thread: 'loader' }, second: { op: 0 }, buffer: null },
      { kind: 'endless-wait', first: { thread: 'main' }, second: { op: 2 }, buffer: null },
    ]);
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
    const { exitCode, out } = await copyscope(['check', path], built.script);
    expect(exitCode).toBe(5);
    expect(out).toMatch(/In this run 1,234 of 4,096 bytes were wrong, in "received"/);
  });

  it('exits with 2 for what is no experiment', async () => {
    const path = join(folder, 'broken.json');
    writeFileSync(path, '{"format": "copyscope/experiment"');
    const { exitCode, err } = await copyscope(['check', path], built.script);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/not valid JSON/);
  });
});

describe('copyscope predict', () => {
  it('simulates, whatever engines there are', async () => {
    const { exitCode, out, err } = await copyscope(['predict', race('early-read'), '--json'], built.script);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ engine: 'sim', profile: 'h200', timing: 'simulated' });
  });

  it('refuses a profile that does not exist', async () => {
    const { exitCode, err } = await copyscope(['predict', race('early-read'), '--profile', 'none'], built.script);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/none/);
  });
});
