/** The profiler's cost is subtracted at the rate of the host that the trace itself shows. */
import { expect, it } from 'vitest';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { hostRate, profilerOf } from '../../../core/lift/profilerCost.ts';
import { mapItems, type Script } from '../../../core/lift/script.ts';
import { drawnTrace } from '../../support/drawnTraces.ts';
import { read } from '../import/support.ts';

const launching = async (count: number): Promise<Script> => {
  const { trace } = await read(
    drawnTrace((program) => {
      for (let launch = 0; launch < count; launch += 1) program.kernel(20);
    }),
  );
  return liftTrace(trace, 'drawn').script;
};

const slower = (script: Script, by: number): Script =>
  mapItems(script, (items) =>
    items.map((item) => (item.kind === 'launch' ? { ...item, callNs: item.callNs * by } : item)),
  );

it('a host whose launches take longer is slower by as much, up to a bound', async () => {
  const script = await launching(10);
  const rate = hostRate(script, profilerOf({}));
  expect(hostRate(slower(script, 1.5), profilerOf({})) / rate).toBeCloseTo(1.5, 6);
  expect(hostRate(slower(script, 50), profilerOf({}))).toBe(hostRate(slower(script, 100), profilerOf({})));
});

it('a host of few launches, or of a recorder that was not measured so, has the usual rate', async () => {
  expect(hostRate(await launching(1), profilerOf({}))).toBe(1);
  expect(hostRate(await launching(10), { ...profilerOf({}), recordedLaunchNs: undefined } as never)).toBe(1);
});
