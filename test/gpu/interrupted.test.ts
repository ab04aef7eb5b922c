/** Programs that go on for minutes or ask for more than there is, typed at a terminal: refused, or ended by Ctrl-C. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ExperimentInput } from '../../core/experiment/experiment.ts';
import { endless, tooLarge } from '../support/heavyPrograms.ts';
import { interrupted } from '../support/interrupted.mjs';
import { engineKind, report } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'copyscope-interrupted-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** As typed; Ctrl-C comes when its streams and threads have been at work for some seconds, where it goes on. */
function typed(program: ExperimentInput) {
  const path = join(folder, 'program.json');
  writeFileSync(path, JSON.stringify(program));
  const args = [join(process.cwd(), 'dist/host/cli.js'), 'run', path, '--engine', engineKind];
  return interrupted(args, { afterMs: 5000, environment: { COPYSCOPE_DATA: folder } });
}

for (const program of tooLarge) {
  test(`${program.name} of a tebibyte is refused by itself`, async () => {
    const { code, left, said, tookMs } = await typed(program);
    report(`${program.name} of 1 TiB: exit code ${code}: ${said.trim().split('\n')[0]}`);
    assert.equal(code, 1);
    assert.match(said, /1099511627776/);
    assert.ok(tookMs < 0, 'it ended before it was interrupted');
    assert.equal(left, 0);
  });
}

for (const program of endless) {
  test(`Ctrl-C ends ${program.name} within two seconds, and nothing is left of it`, async () => {
    const { code, left, said, tookMs } = await typed(program);
    report(`${program.name}: exit code ${code}, ${tookMs.toFixed(0)} ms after Ctrl-C, ${left} processes left`);
    assert.equal(code, 130, said);
    assert.ok(tookMs >= 0 && tookMs < 2000, `${tookMs} ms`);
    assert.equal(left, 0);
    // By itself, and not by the end of a process that did not answer.
    assert.doesNotMatch(said, /its engine process was ended/);
  });
}
