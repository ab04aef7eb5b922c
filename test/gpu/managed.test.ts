/** Managed memory on the CUDA engine: verified data, and times within the predicted interval, with each remedy. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { applyChange } from '../../core/experiment/change.ts';
import { explainWithRemedies } from '../../core/explain/remedies/remedies.ts';
import { figuresAround, intervalAround } from '../../core/machine/cost/interval.ts';
import { machineOf } from '../../core/machine/cost/machineOf.ts';
import { parseProfile } from '../../core/machine/profile/profile.ts';
import { simulate } from '../../core/machine/simulate.ts';
import { lower } from '../../core/program/lower.ts';
import { median } from '../../core/statistics.ts';
import { atOnce } from '../../core/steps.ts';
import { MiB } from '../../core/units.ts';
import { deviceRows } from './rows.ts';
import { example, experiment, report, runOnGpu } from './support.ts';

const machine = machineOf(parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8'))));
const { around } = machine;
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

for (const [name, document] of cases) {
  test(`managed memory, ${name}: its data is right, and its time is in the predicted interval`, async () => {
    const result = await runOnGpu(document);
    const { info } = result;
    assert.equal(info.verification.bytesWrong, 0, JSON.stringify(info.verification));
    assert.ok(info.verification.bytesChecked >= 64 * MiB);
    const makespan = atOnce(figuresAround(lower(document), around ?? assert.fail(), ({ makespanNs }) => makespanNs));
    const predictedNs = simulate(lower(document), machine.costs).makespanNs;
    const { lowNs, highNs } = intervalAround(predictedNs, makespan ?? assert.fail());
    const measuredNs = median(info.iterations.recordedMakespanNs);
    const ms = (ns: number): string => (ns / 1e6).toFixed(2);
    const rows = deviceRows(result).map(({ kind, start, end }) => `${kind} ${ms(end - start)}`);
    report(`managed, ${name}, on the device: ${rows.join(', ')} ms`);
    report(`managed, ${name}: ${ms(measuredNs)} ms, predicted ${ms(predictedNs)} (${ms(lowNs)} to ${ms(highNs)})`);
    assert.ok(measuredNs >= lowNs && measuredNs <= highNs, `${ms(measuredNs)} ms is outside`);
  });
}
