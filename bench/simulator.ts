/**
 * How fast the simulator is: node bench/run.mjs simulator [OPERATIONS]. An operation is one instruction of a host
 * thread that puts work into a stream; a million of them may take one second.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { deleteOperations, duplicateOperations } from '../core/experiment/edit/operations.ts';
import { resizeOperation } from '../core/experiment/edit/resize.ts';
import type { Experiment } from '../core/experiment/experiment.ts';
import { requireExperiment } from '../core/experiment/parse.ts';
import { profileCosts } from '../core/machine/cost/profileCosts.ts';
import { parseProfile } from '../core/machine/profile/profile.ts';
import { simulate } from '../core/machine/simulate.ts';
import { lower } from '../core/program/lower.ts';
import type { Program } from '../core/program/program.ts';
import { predict } from '../renderer/predict/predict.ts';

const profile = parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8')));
const costs = profileCosts(profile);

const copy = (stream: string) => ({ op: 'copy', src: 'host', dst: 'device', stream, bytes: 4096 });
const spin = (stream: string) => ({ op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 }, stream });
const fill = (stream: string) => ({
  op: 'kernel',
  kernel: { kind: 'stream' },
  reads: ['device'],
  writes: ['result'],
  stream,
});

/** `rounds` of these operations in one host thread. */
function experiment(rounds: number, operations: readonly object[]): Experiment {
  return requireExperiment({
    format: 'copyscope/experiment',
    version: 1,
    name: 'bench',
    environment: { warmups: 0 },
    buffers: [
      { id: 'host', memory: 'pinned', bytes: 4096 },
      { id: 'device', memory: 'device', bytes: 4096 },
      { id: 'result', memory: 'device', bytes: 4096 },
    ],
    streams: [{ id: 'a' }, { id: 'b' }],
    events: [{ id: 'e' }],
    threads: [{ id: 'main', operations: [{ op: 'repeat', count: rounds, operations }, { op: 'synchronizeDevice' }] }],
  });
}

const program = (rounds: number, operations: readonly object[]): Program => lower(experiment(rounds, operations));

interface Taken {
  readonly wallMs: number;
  /** Processor time of all threads of the process, which other work on the machine affects least. */
  readonly processorMs: number;
}

/** The best of `rounds`, by the clock and by processor time each. */
function best(rounds: number, body: () => void): Taken {
  let [wallMs, processorMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round += 1) {
    const [start, before] = [performance.now(), process.cpuUsage()];
    body();
    const used = process.cpuUsage(before);
    wallMs = Math.min(wallMs, performance.now() - start);
    processorMs = Math.min(processorMs, (used.user + used.system) / 1000);
  }
  return { wallMs, processorMs };
}

const show = (name: string, { wallMs, processorMs }: Taken): void =>
  console.log(`${name.padEnd(56)} ${wallMs.toFixed(1).padStart(8)} ${processorMs.toFixed(1).padStart(12)}`);

const operations = Number(process.argv[2] ?? 1_000_000);
const shapes = {
  'copies in one stream': program(operations, [copy('a')]),
  'kernels in one stream': program(operations, [spin('a')]),
  'copies and kernels in two streams, joined by events': program(operations / 4, [
    copy('a'),
    { op: 'recordEvent', event: 'e', stream: 'a' },
    { op: 'waitEvent', event: 'e', stream: 'b' },
    fill('b'),
  ]),
};
console.log(`${'milliseconds, best'.padEnd(56)}     wall    processor`);
console.log(`${operations} operations simulated`);
for (const [name, tested] of Object.entries(shapes)) {
  show(
    name,
    best(5, () => simulate(tested, costs)),
  );
}
const list = Array.from({ length: 500 }, () => [copy('a'), spin('b'), copy('b'), spin('a')]).flat();
console.log('an edit in 2,000 operations');
const path = ['threads', 0, 'operations', 0, 'operations', 0];
let edited = experiment(1, list);
let edits = 0;

/** One operation another size, and the size before again. */
function resized(): Experiment {
  edits += 1;
  edited = resizeOperation(edited, path, edits % 2 === 0 ? 4096 : 2048).experiment;
  return edited;
}

/** One put in, and taken out again: those behind it have other numbers each time. */
function putIn(): Experiment {
  edits += 1;
  edited = (edits % 2 === 0 ? deleteOperations(edited, [path]) : duplicateOperations(edited, [path])).experiment;
  return edited;
}

const measured: readonly (readonly [string, () => void])[] = [
  ['changed, lowered and simulated', () => simulate(lower(resized()), costs)],
  ['changed, predicted as in the window', () => predict(resized(), profile, '')],
  ['put in or taken out, predicted as in the window', () => predict(putIn(), profile, '')],
];
for (const [name, body] of measured) show(name, best(50, body));
