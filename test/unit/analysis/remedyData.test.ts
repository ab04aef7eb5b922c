/** No remedy changes the final content of a program's buffers, or adds a race: random programs, each remedy applied. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Program } from '../../../core/program/program.ts';
import { runs } from '../../support/effort.ts';
import { h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';
import { copies, eventOperations } from '../support/operations.ts';

const memories = { pinned: 'pinned', pageable: 'pageable', table: 'mapped', product: 'mapped' } as const;
const host = Object.keys(memories);
const device = ['x', 'y', 'z'];

const stream = fc.constantFrom('a', 'b', 'c', 'blocking', 'default');
const event = fc.constantFrom('e', 'f');
const bytes = fc.constantFrom(4096, 2 ** 20, 2 ** 22);
const mode = fc.constantFrom('async', 'async', 'blocking-to', 'blocking-memcpy');
const one = (buffer: string): [string] => [buffer];
const leaf = fc.oneof(
  { weight: 4, arbitrary: copies(host, device, { stream, bytes, mode }) },
  { weight: 3, arbitrary: copies(device, host, { stream, bytes, mode }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('kernel'),
      kernel: fc.record({ kind: fc.constant('stream'), passes: fc.constantFrom(1, 2) }),
      reads: fc.constantFrom('table', 'product', 'x', 'y').map(one),
      writes: fc.constantFrom('z', 'x', 'table', 'product').map(one),
      smShare: fc.constantFrom(1, 0.5),
      stream,
    }),
  },
  { weight: 2, arbitrary: eventOperations({ event, stream }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('synchronizeStream'), stream }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('write'),
      buffer: fc.constantFrom(...host),
      pattern: fc.record({ kind: fc.constant('constant'), value: fc.integer({ min: 1, max: 9 }) }),
    }),
  },
);
const repeated = fc.record({
  op: fc.constant('repeat'),
  count: fc.constantFrom(2, 3),
  operations: fc.array(leaf, { minLength: 1, maxLength: 3 }),
});
const operations = fc.array(fc.oneof({ weight: 9, arbitrary: leaf }, { weight: 1, arbitrary: repeated }), {
  minLength: 2,
  maxLength: 10,
});

/** Buffers begin with different contents, so that a swap is noticed. */
const buffers = [...host, ...device].map((id, index) => ({
  ...{ id, memory: memories[id as keyof typeof memories] ?? ('device' as const) },
  ...{ bytes: 2 ** 22, pattern: { kind: 'random' as const, seed: index + 1 } },
}));
const streams = [...['a', 'b', 'c'].map((id) => ({ id })), { id: 'blocking', flags: 'blocking' as const }];
const experiments = operations.map((list) =>
  experimentOf({ buffers, streams, events: [{ id: 'e' }, { id: 'f' }] }, list as Parameters<typeof experimentOf>[1]),
);

/** Returns the final content of the experiment's buffers. */
const content = (program: Program, experiment: Experiment) =>
  program.expectations
    .map(({ buffer, ...rest }) => ({ ...rest, id: program.buffers[buffer]?.id }))
    .filter(({ id }) => experiment.buffers.some((buffer) => buffer.id === id));

it('remedies leave the data as it was, and bring no race', () => {
  fc.assert(
    fc.property(experiments, (experiment) => {
      const program = lower(experiment);
      if (findHazards(program).hazards.length > 0) return;
      for (const remedy of explainWithRemedies(experiment, h200Machine)?.remedies ?? []) {
        // A cut buffer keeps the last part of its content, and memory in between gets none; both have their own tests.
        if (remedy.steps.some((step) => step.startsWith('Cut') || step.endsWith('in between.'))) continue;
        const changed = lower(applyChange(experiment, remedy));
        expect([remedy.steps, findHazards(changed).hazards]).toEqual([remedy.steps, []]);
        expect([remedy.steps, content(changed, experiment)]).toEqual([remedy.steps, content(program, experiment)]);
      }
    }),
    { numRuns: runs(500) },
  );
});
