/** The shipped races on a real GPU: flagged ones corrupt data, and their repaired versions don't. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChange } from '../../core/experiment/change.ts';
import { withEvidence } from '../../core/explain/hazards/evidence.ts';
import { checkExperiment } from '../../core/explain/hazards/repair.ts';
import { lower } from '../../core/program/lower.ts';
import { example, report, runOnGpu } from './support.ts';

const races = ['changed-source-pinned', 'early-read', 'unordered-streams'];
const repaired = [
  'changed-source-pageable',
  'changed-source-synchronized',
  'early-read-synchronized',
  'unordered-streams-event',
];

for (const name of races) {
  test(`${name} spoils data, and its change stops that`, async () => {
    const experiment = example(`races/${name}`);
    const { verification } = (await runOnGpu(experiment)).info;
    const [hazard] = withEvidence(checkExperiment(experiment), lower(experiment), verification).hazards;
    report(
      `${name.padEnd(28)} ${hazard?.kind ?? ''}: ${verification.bytesWrong} of ${verification.bytesChecked} bytes wrong`,
    );
    assert.ok((hazard?.evidence?.bytesWrong ?? 0) > 0);
    assert.ok(hazard?.change != null);
    const after = (await runOnGpu(applyChange(experiment, hazard.change))).info.verification;
    assert.equal(after.bytesWrong, 0);
  });
}

for (const name of repaired) {
  test(`${name} is clean`, async () => {
    const experiment = example(`races/${name}`);
    assert.deepEqual(checkExperiment(experiment).hazards, []);
    const { verification } = (await runOnGpu(experiment)).info;
    report(`${name.padEnd(28)} clean: ${verification.bytesWrong} of ${verification.bytesChecked} bytes wrong`);
    assert.equal(verification.bytesWrong, 0);
  });
}
