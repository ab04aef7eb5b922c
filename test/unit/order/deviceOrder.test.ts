import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeviceOrder, type Issued, type OrderRule, orderRules } from '../../../core/explain/order/deviceOrder.ts';
import type { ProgramStream, StreamKind } from '../../../core/program/program.ts';
import { runs } from '../../support/effort.ts';

const kinds: readonly StreamKind[] = ['legacy-default', 'blocking', 'per-thread-default', 'non-blocking'];
const stream = (kind: StreamKind, device: number): ProgramStream => ({
  id: kind,
  kind,
  device,
  priority: 0,
  thread: -1,
});
/** Two devices with one stream of each kind. */
const streams = [0, 1].flatMap((device) => kinds.map((kind) => stream(kind, device)));
const none = { op: 0, thread: 0, row: -1, device: -1, event: -1, stream: -1, launch: null, alone: [] };

const plain: fc.Arbitrary<Issued> = fc.oneof(
  fc.record({ code: fc.constantFrom('copy', 'kernel'), stream: fc.nat(7) }).map((one) => ({ ...none, ...one })),
  fc
    .record({ code: fc.constantFrom('recordEvent', 'waitEvent'), stream: fc.nat(7), event: fc.nat(2) })
    .map((one) => ({ ...none, ...one })),
  fc.nat(7).map((of) => ({ ...none, code: 'synchronize', stream: of }) as const),
  fc.nat(2).map((event) => ({ ...none, code: 'synchronize', event }) as const),
  fc.nat(1).map((device) => ({ ...none, code: 'synchronize', device }) as const),
  fc
    .record({ stream: fc.nat(7), alone: fc.constantFrom([0], [0, 1]) })
    .map((one) => ({ ...none, code: 'copy' as const, ...one })),
);
/** One launch of one of two graphs; streams that the program doesn't have are branches. */
const launched: fc.Arbitrary<Issued[]> = fc
  .record({ graph: fc.constantFrom({ id: 1 }, { id: 2 }), nodes: fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }) })
  .map(({ graph, nodes }) => {
    const launch = { graph, op: 0, stream: nodes[0] ?? 0 };
    return nodes.map((of) => ({ ...none, code: 'kernel' as const, stream: of, launch }));
  });
const issuedUpTo = (maxLength: number): fc.Arbitrary<Issued[]> =>
  fc
    .array(fc.oneof({ weight: 5, arbitrary: plain.map((one) => [one]) }, { weight: 1, arbitrary: launched }), {
      maxLength,
    })
    .map((lists) => lists.flat());

/** Returns every direct edge by the text of the rules, then the closure: slow and simple. */
function closure(list: readonly Issued[], rules: readonly OrderRule[]): boolean[][] {
  const before = list.map(() => list.map(() => false));
  const kindOf = (one: Issued): StreamKind | undefined => streams[one.stream]?.kind;
  const deviceOf = (one: Issued): number | undefined => streams[one.stream]?.device;
  const blocking = (one: Issued): boolean => kindOf(one) === 'blocking' || kindOf(one) === 'per-thread-default';
  const isWork = (one: Issued): boolean => one.code !== 'synchronize';
  const waitsForLegacy = (a: Issued, b: Issued): boolean =>
    deviceOf(a) === deviceOf(b) &&
    ((kindOf(b) === 'legacy-default' && blocking(a)) || (kindOf(a) === 'legacy-default' && blocking(b)));
  const isLaterLaunch = (a: Issued, b: Issued): boolean =>
    a.launch !== null && a.launch.graph === b.launch?.graph && a.launch !== b.launch;
  const excludes = (a: Issued, b: Issued): boolean =>
    a.alone.includes(deviceOf(b) ?? -1) ||
    b.alone.includes(deviceOf(a) ?? -1) ||
    a.alone.some((device) => b.alone.includes(device));
  list.forEach((b, j) => {
    const recorded = list.findLastIndex((a, i) => i < j && a.code === 'recordEvent' && a.event === b.event);
    for (let i = 0; i < j; i += 1) {
      const a = list[i] as Issued;
      if (!isWork(a)) continue;
      const direct = isWork(b)
        ? a.stream === b.stream ||
          (rules.includes('legacy') && waitsForLegacy(a, b)) ||
          (rules.includes('launches') && isLaterLaunch(a, b)) ||
          (rules.includes('alone') && excludes(a, b)) ||
          (rules.includes('events') && b.code === 'waitEvent' && i === recorded)
        : b.event >= 0
          ? i === recorded
          : b.stream >= 0
            ? a.stream === b.stream || (kindOf(b) === 'legacy-default' && waitsForLegacy(a, b))
            : deviceOf(a) === b.device;
      if (!direct) continue;
      (before[j] as boolean[])[i] = true;
      for (let k = 0; k < i; k += 1) if (before[i]?.[k]) (before[j] as boolean[])[k] = true;
    }
  });
  return before;
}

describe('device order', () => {
  const ruleSets: (readonly OrderRule[])[] = [
    [],
    ...orderRules.map((rule) => [rule]),
    ['events', 'legacy'],
    orderRules,
  ];
  it.each(ruleSets.map((rules) => ({ rules })))('is the closure of the rules $rules', ({ rules }) => {
    fc.assert(
      fc.property(issuedUpTo(25), (list) => {
        const order = new DeviceOrder(list, streams, rules);
        const expected = closure(list, rules);
        list.forEach((_, j) => {
          list.forEach((_, i) => {
            expect([i, j, order.before(i, j)]).toEqual([i, j, expected[j]?.[i] ?? false]);
          });
        });
      }),
      { numRuns: runs(300) },
    );
  });

  it('finds the first operation of a stream, and the first synchronise, as walking from one to the next does', () => {
    fc.assert(
      fc.property(issuedUpTo(40), (list) => {
        const order = new DeviceOrder(list, streams, orderRules);
        const synchronises = list.flatMap((one, at) => (one.code === 'synchronize' ? [at] : []));
        list.forEach((one, a) => {
          if (one.code === 'synchronize') return;
          const walked = synchronises.find((at) => at > a && order.before(a, at));
          expect(order.firstSynchronised(a, 0)).toBe(walked ?? null);
          for (let own = 0; own < streams.length; own += 1) {
            const positions = list.flatMap(({ stream, code }, at) =>
              stream === own && code !== 'synchronize' ? [at] : [],
            );
            const first = positions.find((at) => at > a && order.before(a, at));
            expect(order.firstAfter(a, Int32Array.from(positions))).toBe(first ?? null);
          }
        });
      }),
      { numRuns: runs(300) },
    );
  });
});
