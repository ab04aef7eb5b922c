/** Managed memory on the CUDA engine: verified data, and the device's time near the predicted one, with each remedy. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { applyChange } from '../../core/experiment/change.ts';
import { explainWithRemedies } from '../../core/explain/remedies/remedies.ts';
import { machineOf } from '../../core/machine/cost/machineOf.ts';
import { parseProfile } from '../../core/machine/profile/profile.ts';
import { simulate } from '../../core/machine/simulate.ts';
import { lower } from '../../core/program/lower.ts';
import { rowKinds } from '../../core/trace/trace.ts';
import { MiB } from '../../core/units.ts';
import { deviceRows } from './rows.ts';
import { example, experiment, report, runOnGpu } from './support.ts';

const machine = machineOf(parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8'))));
const shown = example('verdicts/managed-pages');
const explained = explainWithRemedies(shown, machine);
const advised = (advice: 'read-mostly' | 'preferred-host' | 'accessed-by-device') =>
  experiment({
    name: advice,
    buffers: [
      { id: 'shared', memory: 'managed', bytes: 64 * MiB },
      { id: 'result', memory: 'device', bytes: 64 * MiB },
    ],
    streams: [{ id: 's' }],
    operations: [
      { op: 'advise', buffer: 'shared', advice },
      { op: 'kernel', kernel: { kind: 'stream', passes: 1 }, reads: ['shared'], writes: ['result'], stream: 's' },
      { op: 'kernel', kernel: { kind: 'stream', passes: 1 }, reads: ['shared'], writes: ['result'], stream: 's' },
      { op: 'synchronizeStream', stream: 's' },
      { op: 'read', buffer: 'shared' },
    ],
  });
const cases = [
  ['example', shown] as const,
  ...(explained?.remedies ?? []).map((one) => [one.steps[0] ?? '', applyChange(shown, one)] as const),
  ...(['read-mostly', 'preferred-host', 'accessed-by-device'] as const).map((one) => [one, advised(one)] as const),
];

/** Returns how long kernels and copies take in the simulation, in ns. */
function predictedDeviceNs(document: typeof shown): number {
  const { columns } = simulate(lower(document), machine.costs).trace;
  return [...columns.kind].reduce(
    (sum, kind, row) => sum + (['kernel', 'copy'].includes(rowKinds[kind] ?? '') ? (columns.durationNs[row] ?? 0) : 0),
    0,
  );
}

for (const [name, document] of cases) {
  test(`managed memory, ${name}: its data is right, and the device's time is near the predicted one`, async () => {
    const result = await runOnGpu(document);
    const { verification } = result.info;
    assert.equal(verification.bytesWrong, 0, JSON.stringify(verification));
    assert.ok(verification.bytesChecked >= 64 * MiB);
    const measuredNs = deviceRows(result).reduce((sum, { start, end }) => sum + end - start, 0);
    const predictedNs = predictedDeviceNs(document);
    report(
      `managed, ${name}, on the device: ${(measuredNs / 1e6).toFixed(2)} ms, predicted ${(predictedNs / 1e6).toFixed(2)}`,
    );
    // On a host that the rates are not from, the device took 0.5 to 1.3 times as long as predicted.
    assert.ok(
      measuredNs > predictedNs / 2.5 && measuredNs < predictedNs * 2.5,
      `${measuredNs} ns is far from ${predictedNs}`,
    );
  });
}
