/**
 * Measures lifting a large trace and predicting an edit of its experiment: node bench/run.mjs lift [EVENTS]. Results
 * are relative to a yardstick measured in the same run, a simulation of one shipped experiment, so that figures from
 * busy machines can be compared.
 */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setField } from '../core/experiment/edit/operations.ts';
import { operationPaths } from '../core/experiment/edit/paths.ts';
import type { Experiment } from '../core/experiment/experiment.ts';
import { requireExperiment } from '../core/experiment/parse.ts';
import { plannerOf } from '../core/lift/answers.ts';
import { experimentOf } from '../core/lift/experimentOf.ts';
import { liftTrace } from '../core/lift/fromTrace.ts';
import { profileCosts } from '../core/machine/cost/profileCosts.ts';
import { parseProfile } from '../core/machine/profile/profile.ts';
import { median } from '../core/statistics.ts';
import { importTraceFile } from '../host/library/importTrace.ts';
import { predict } from '../renderer/predict/predict.ts';
import { writeLargeTrace } from '../test/support/largeTrace.ts';

const events = Number(process.argv[2] ?? 100_000);
const profile = parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8')));
const costs = profileCosts(profile);

function timed<Value>(times: number, work: () => Value): { readonly ms: number; readonly value: Value } {
  const taken: number[] = [];
  let value = work();
  for (let time = 0; time < times; time += 1) {
    const start = performance.now();
    value = work();
    taken.push(performance.now() - start);
  }
  return { ms: median(taken), value };
}

const example = requireExperiment(
  JSON.parse(readFileSync('assets/examples/lessons/own-trace.json', 'utf8')) as unknown,
);
const yardstick = timed(15, () => predict(example, profile, '')).ms;
const say = (what: string, ms: number): void =>
  console.log(
    `${what.padEnd(46)} ${ms.toFixed(1).padStart(9)} ms ${(ms / yardstick).toFixed(1).padStart(8)} yardsticks`,
  );

say('Yardstick: four steps of a vision model', yardstick);
const file = join(tmpdir(), `copyscope-lift-${process.pid}.json`);
await writeLargeTrace(file, events);
const start = performance.now();
const { trace, info } = await importTraceFile(file, '0');
console.log(`${trace.count} rows of ${events} events, ${(statSync(file).size / 1e6).toFixed(0)} MB`);
rmSync(file);
say('Reading the file', performance.now() - start);
const lifted = timed(3, () => liftTrace(trace, 'large'));
say(`Lifting ${lifted.value.script.steps.length} of ${lifted.value.found.ranges.length} steps`, lifted.ms);
const planner = plannerOf(lifted.value, info, costs);
const made = timed(3, () => experimentOf(planner.changed([]), 'large').experiment);
say('Making the experiment', made.ms);
const opened = requireExperiment(made.value);
say(`Predicting its ${operationPaths(opened).length} operations`, timed(3, () => predict(opened, profile, '')).ms);
say('An edit, and its prediction', timed(9, edits(opened)).ms);

/** Each call makes the first work of the document a little longer, and predicts what that gives. */
function edits(from: Experiment): () => unknown {
  let current = from;
  let durationNs = 10_000;
  const path = operationPaths(from).find((one) => {
    const operation = one.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], from);
    return (operation as { readonly op: string }).op === 'work';
  });
  if (path === undefined) throw new Error('the experiment has no work of the host');
  return () => {
    durationNs += 1000;
    current = setField(current, [...path, 'durationNs'], durationNs).experiment;
    return predict(current, profile, '');
  };
}
