/** Damaged traces: each gives figures that are numbers, or a message about the missing part. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import { parseExperiment } from '../../../core/experiment/parse.ts';
import { readPyTorchTrace } from '../../../core/import/kineto/pytorchTrace.ts';
import { traceAnswers } from '../../../core/lift/answers.ts';
import { experimentOf } from '../../../core/lift/experimentOf.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import type { Run } from '../../../core/trace/run.ts';
import { runs } from '../../support/effort.ts';
import { h200Costs as costs } from '../machine/toy.ts';

interface Event {
  [field: string]: unknown;
  args?: Record<string, unknown>;
}

const whole = gunzipSync(readFileSync('test/fixtures/pytorch-unseen-h200/spectra.prefetch.json.gz')).toString();
const document: { traceEvents: Event[] } = JSON.parse(whole);

async function* inOne(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const read = (text: string): Promise<Run> =>
  readPyTorchTrace(inOne(text), { name: 'damaged', version: 'test', modifiedAt: new Date(0) });

/** Throws if an answer isn't valid. */
async function judge(text: string): Promise<void> {
  try {
    const run = await read(text);
    const { steps, plan } = traceAnswers(run, costs);
    expect(Number.isFinite(steps.medianNs) && Number.isFinite(steps.unprofiledNs)).toBe(true);
    for (const { ns } of steps.parts) expect(ns >= 0 && Number.isFinite(ns)).toBe(true);
    for (const { gainShare, lowShare, highShare } of plan) {
      expect(lowShare <= gainShare && gainShare <= highShare && highShare <= 1).toBe(true);
    }
    const { experiment } = experimentOf(liftTrace(run.trace, 'damaged').script, '');
    const parsed = parseExperiment(JSON.parse(JSON.stringify(experiment)));
    expect(parsed.ok ? [] : parsed.problems).toEqual([]);
  } catch (error) {
    expect(error instanceof CopyscopeError ? '' : String(error)).toBe('');
    expect((error as CopyscopeError).message.length).toBeGreaterThan(20);
  }
}

const oddNumbers = fc.constantFrom(-1, 0, 0.5, -1e15, 1e15, 2 ** 53, 1e300, '12', null, true, [], {});
const fields = fc.constantFrom('ts', 'dur', 'ph', 'pid', 'tid', 'name', 'cat');
const details = fc.constantFrom(
  'correlation',
  'bytes',
  'stream',
  'device',
  'External id',
  'stream_id',
  'cuda_sync_kind',
);

it('with events that are gone, doubled or changed', async () => {
  const damage = fc.array(
    fc.record({
      at: fc.nat(document.traceEvents.length - 1),
      count: fc.integer({ min: 1, max: 200 }),
      how: fc.constantFrom('remove', 'double', 'field', 'detail', 'shift'),
      field: fields,
      detail: details,
      value: oddNumbers,
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(damage, async (wounds) => {
      const events = document.traceEvents.map((event) => ({ ...event, args: { ...event.args } }) as Event);
      for (const { at, count, how, field, detail, value } of wounds) {
        const some = events.slice(at, at + count);
        if (how === 'remove') events.splice(at, count);
        if (how === 'double') events.splice(at, 0, ...some);
        for (const event of some) {
          if (how === 'field') event[field] = value;
          if (how === 'detail') event.args = { ...event.args, [detail]: value };
          if (how === 'shift') event['ts'] = Number(event['ts']) * 0.5;
        }
      }
      await judge(JSON.stringify({ ...document, traceEvents: events }));
    }),
    { numRuns: runs(500) },
  );
});

it('that break off anywhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), (length) => judge(whole.slice(0, length))),
    { numRuns: runs(100) },
  );
});

it('without any call of the host, or any work of a device', async () => {
  const without = (pattern: RegExp): string =>
    JSON.stringify({ traceEvents: document.traceEvents.filter(({ cat }) => !pattern.test(String(cat))) });
  await expect(read(without(/cuda_runtime|cuda_driver/)).then(({ trace }) => liftTrace(trace, 'a'))).rejects.toThrow(
    /which host call issued which GPU work/,
  );
  await expect(read(without(/kernel|gpu_mem|gpu_user/)).then(({ trace }) => liftTrace(trace, 'a'))).rejects.toThrow();
});
