/** `copyscope gate` from the command line: output, files and exit code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../support/newFolder.ts';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';

const trace = (name: string): string => join(repository, `test/fixtures/pytorch-pairs/${name}.json.gz`);
const example = (name: string): string => join(repository, `assets/examples/${name}.json`);

const built = await buildEntry(engineEntry);
const folder = newFolder();
const gate = (...args: string[]) => copyscope(['gate', ...args], built);

const rulesFile = (fields: object): string => {
  const path = join(folder, 'rules.json');
  writeFileSync(path, JSON.stringify({ format: 'copyscope/gate-rules', version: 1, ...fields }));
  return path;
};

describe('copyscope gate', () => {
  it('lets a trace pass that keeps its limits', async () => {
    const { exitCode, out } = await gate(trace('weights.pinned'), '--limit', 'pageableCopies=0');
    expect(exitCode).toBe(0);
    expect(out).toContain('[kept] pageableCopies');
    expect(out).toContain('Passed');
  });

  it('is shut with exit code 6, names the line, and writes what CI reads', async () => {
    const [sarif, junit] = [join(folder, 'found.sarif'), join(folder, 'found.xml')];
    const rules = rulesFile({ limits: { pageableBytes: '1 MiB' } });
    const { exitCode, out, err } = await gate(
      trace('vision.pageable'),
      ...['--rules', rules, '--format', 'github', '--out', sarif, '--out', junit],
    );
    expect(exitCode).toBe(6);
    expect(out).toMatch(/^::error file=pairs\.py,line=39,title=copyscope gate%3A pageableBytes::/);
    expect(err).toContain('1 limit is broken.');
    expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({ version: '2.1.0' });
    expect(readFileSync(junit, 'utf8')).toContain('<failure type="pageableBytes"');
  });

  it('simulates an experiment and names the line of its file; a flag goes before the file', async () => {
    const rules = rulesFile({ limits: { hazards: 5 } });
    const { exitCode, out } = await gate(
      example('races/early-read'),
      '--rules',
      rules,
      '--limit',
      'hazards=0',
      '--json',
    );
    expect(exitCode).toBe(6);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ format: 'copyscope/gate', version: 2, origin: 'simulated', passed: false });
    expect(report.results[0].findings[0].place).toMatchObject({
      file: 'assets/examples/races/early-read.json',
      line: expect.any(Number),
    });
  });

  it('compares with a baseline', async () => {
    const rules = rulesFile({ baseline: { figures: ['waitingCalls', 'exposedCopyNs'] } });
    const against = (now: string, before: string) => gate(trace(now), '--rules', rules, '--baseline', trace(before));
    expect((await against('vision.prefetch', 'vision.pageable')).exitCode).toBe(0);
    expect((await against('vision.pageable', 'vision.prefetch')).exitCode).toBe(6);
  });

  it('does not let a truncated trace pass', async () => {
    const cut = join(folder, 'cut.json.gz');
    writeFileSync(cut, readFileSync(trace('weights.pinned')).subarray(0, 20_000));
    const { exitCode, out } = await gate(cut, '--limit', 'pageableCopies=0');
    expect(out).toContain('[kept] pageableCopies');
    expect(exitCode).toBe(2);
  });
});
