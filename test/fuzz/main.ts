/** Tries inputs for the given minutes, and prints the numbers of tried and accepted ones, and the failures. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type Failure, Fuzzer } from './fuzzer.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string' },
    kind: { type: 'string' },
    /** Number of the only input, as a failure names it. */
    number: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const folder = join(process.cwd(), 'test-results/fuzz');
const fuzzer = new Fuzzer(join(import.meta.dirname, 'worker.js'));
/** Time of one kind in turn: short, so that all kinds get the same time in the end. */
const goMs = 1500;

function keep({ kind, number, reason, input }: Failure): void {
  mkdirSync(folder, { recursive: true });
  const name = `${kind.replaceAll(' ', '-')}-${seed}-${number}`;
  if (input !== null) writeFileSync(join(folder, name), input);
  console.log(`FAILED ${kind}: node test/fuzz/run.mjs --seed ${seed} --kind '${kind}' --number ${number}\n${reason}\n`);
}

const kinds = values.kind === undefined ? await fuzzer.kinds() : [values.kind];
console.log(`seed ${seed}`);
const counts = new Map(
  kinds.map((kind) => [kind, { next: Number(values.number ?? 0), inputs: 0, taken: 0, failed: 0, ms: 0 }]),
);
const end = Date.now() + Number(values.minutes) * 60_000;
const isOver = (): boolean => Date.now() >= end || values.number !== undefined;
do {
  for (const [kind, count] of counts) {
    const until = Date.now() + goMs;
    do {
      const to = count.next + (values.number === undefined ? 20 : 1);
      const from = Date.now();
      const { inputs, taken, failures } = await fuzzer.run({ seed, kind, from: count.next, to });
      count.next = to;
      count.ms += Date.now() - from;
      count.inputs += inputs;
      count.taken += taken;
      count.failed += failures.length;
      failures.forEach(keep);
    } while (Date.now() < until && !isOver());
    if (isOver()) break;
  }
} while (!isOver());
fuzzer.close();

const all = { inputs: 0, failed: 0 };
for (const [kind, { inputs, taken, failed, ms }] of counts) {
  const rate = Math.round((inputs / Math.max(1, ms)) * 1000);
  console.log(`${kind.padEnd(18)} ${inputs} inputs, ${taken} taken, ${failed} failed, ${rate} a second`);
  all.inputs += inputs;
  all.failed += failed;
}
console.log(`${all.inputs} inputs, ${all.failed} failed`);
process.exitCode = all.failed > 0 ? 1 : 0;
