/** Each shipped example of a cause: the verdict names it, and its remedy removes it with a gain. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { predict } from '../../../core/explain/remedies/predict.ts';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { type Cause, causes } from '../../../core/explain/verdicts/verdict.ts';
import { lower } from '../../../core/program/lower.ts';
import type { RuleId } from '../../../core/rules/rules.ts';
import { h200Machine } from '../machine/toy.ts';

const folder = join(import.meta.dirname, '../../../assets/examples/verdicts');
const example = (name: string): Experiment => requireExperiment(readFileSync(join(folder, `${name}.json`), 'utf8'));

/** Example, operation of its verdict, cause, rule, and obstacle. */
const cases: readonly (readonly [string, string, Cause, RuleId, string | null, string | null])[] = [
  ['pageable-source', 'upload', 'pageable-source', 'pageable-copy-holds-host', null, 'cudaMemcpyAsync'],
  [
    'pageable-destination',
    'download',
    'pageable-destination',
    'pageable-destination-holds-host',
    null,
    'cudaMemcpyAsync',
  ],
  ['same-stream', 'upload', 'same-stream', 'stream-order', null, null],
  ['legacy-default-stream', 'upload', 'legacy-default-stream', 'legacy-default-stream', null, null],
  ['event-not-needed', 'upload', 'event-dependency', 'event-order', 'wait for uploaded', null],
  ['event-needed', 'upload', 'event-dependency', 'event-order', 'wait for uploaded', null],
  ['graph-launches', 'upload', 'graph-launches', 'graph-launches-in-turn', 'launch step', null],
  ['peer-copy-alone', 'to the other device', 'peer-copy-alone', 'peer-copy', null, null],
  ['engine-busy', 'small upload', 'engine-busy', 'one-engine-per-direction', 'large upload', null],
  ['copy-queues', 'download five', 'copy-queues', 'copy-queues', 'download one', null],
  ['mapped-memory', 'download', 'mapped-memory', 'mapped-memory', null, null],
  ['managed-pages', 'work', 'managed-pages', 'managed-pages', null, null],
  ['mapped-memory-shared', 'download', 'overlapped', 'mapped-memory', null, null],
  ['queued-behind', 'upload', 'queued-behind', 'stream-order', 'write the log', null],
  [
    'late-synchronise',
    'upload',
    'issued-too-late',
    'synchronize-holds-host',
    'synchronize copies',
    'cudaStreamSynchronize',
  ],
  [
    'late-host-work',
    'upload',
    'issued-too-late',
    'issue-before-run',
    'prepare the next batch',
    'prepare the next batch',
  ],
  ['late-pageable-call', 'upload', 'issued-too-late', 'pageable-copy-holds-host', 'pageable upload', 'cudaMemcpyAsync'],
  ['late-blocking-copy', 'upload', 'issued-too-late', 'blocking-memcpy', null, 'cudaMemcpy'],
  ['launch-queue-full', 'upload', 'launch-queue-full', 'launch-queue', 'clear', 'cudaMemsetAsync'],
  ['multiprocessors-full', 'few blocks', 'multiprocessors-full', 'sm-share', null, null],
  ['too-small', 'upload 1', 'too-small', 'launch-cost', null, null],
  ['copied-by-host', 'host copy', 'not-a-copy-engine-copy', 'host-to-host-copy', null, 'cudaMemcpyAsync'],
  ['free-synchronises', 'upload', 'allocation-synchronises', 'allocation-waits', 'free scratch', 'cudaFree'],
  ['waits-for-earlier-work', 'upload', 'waits-for-earlier-work', 'blocking-to', null, 'cudaStreamSynchronize'],
  ['many-small-copies', 'block', 'many-small-copies', 'launch-cost', null, null],
  [
    'wait-after-each-copy',
    'upload',
    'wait-after-each-copy',
    'synchronize-holds-host',
    'synchronize copies',
    'cudaStreamSynchronize',
  ],
  ['allocated-again', 'page-lock', 'allocated-again', 'pin-memory-blocks', null, 'cudaHostAlloc'],
  ['launch-blocking', 'upload', 'launch-blocking', 'launch-blocking', null, 'cudaMemcpyAsync'],
];

/** Causes that no change of the experiment removes. */
const withoutRemedy = ['not-on-a-copy-engine'];

describe('the examples of causes', () => {
  it.each(cases)(
    '%s: %s gets the verdict %s, and its remedy removes it and gains',
    (name, label, cause, rule, obstacle, call) => {
      const experiment = example(name);
      const explained = explainWithRemedies(experiment, h200Machine);
      const verdict = explained?.before.verdicts.find((one) => one.label === label);
      expect(verdict).toMatchObject({ cause, rule, hostCall: call });
      const blockedBy = verdict?.blockedBy ?? null;
      expect(blockedBy === null ? null : explained?.before.program.operations[blockedBy]?.label).toBe(obstacle);
      expect(verdict?.evidence.length).toBeGreaterThanOrEqual(2);

      const remedy = explained?.remedies.find(({ op, alsoRemoves }) =>
        [op, ...alsoRemoves].includes(verdict?.op ?? -1),
      );
      expect(remedy).toMatchObject({ isConfirmed: true });
      const changed = applyChange(experiment, { patches: remedy?.patches ?? [] });
      const after = predict(changed, h200Machine);
      expect((explained?.before.makespanNs ?? 0) - (after?.makespanNs ?? 0)).toBe(remedy?.gainNs);
      expect(remedy?.gainNs).toBeGreaterThan(0);
      expect(remedy?.after?.cause).not.toBe(cause);
      expect(findHazards(lower(changed)).hazards).toEqual([]);
    },
  );

  it('says of a copy within the device that no engine did it, and offers nothing', () => {
    const explained = explainWithRemedies(example('not-on-a-copy-engine'), h200Machine);
    expect(explained?.before.verdicts).toMatchObject([
      { cause: 'not-a-copy-engine-copy', rule: 'copy-without-engine', remedy: null },
    ]);
    expect(explained?.remedies).toMatchObject([{ isConfirmed: null, steps: [] }]);
  });

  it('are free of hazards themselves', () => {
    for (const [name] of cases) expect([name, findHazards(lower(example(name))).hazards]).toEqual([name, []]);
  });

  it('are all listed here, and leave no cause without one', () => {
    const files = readdirSync(folder).map((file) => file.replace('.json', ''));
    expect(files.sort()).toEqual([...cases.map(([name]) => name), ...withoutRemedy].sort());
    const shown = new Set<Cause>(cases.map(([, , cause]) => cause));
    const none: readonly Cause[] = [
      'race',
      'copied-again',
      'through-host',
      'captured-again',
      'frontend-calls',
      'nothing-to-overlap',
      'unexplained',
    ];
    expect(causes.filter((cause) => !shown.has(cause))).toEqual(none);
  });
});
