/**
 * Measures submitting 1,000 asynchronous copies of 4 KB: the executor with recording off and a hand-written loop, in turns in
 * one process; and the cost of recording by CUPTI and by CUDA events. Writes $OUT/submit-cost.json.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../../core/statistics.ts';
import { endMeasuring, measure } from '../../native/bench.ts';
import { experiment, report, runOnGpu } from '../../test/gpu/support.ts';
import { submitting } from './submitting.ts';

const { count: copies, bytes } = submitting;
const iterations = 51;

// Several rounds, so that the spread between them can be said too.
const rounds: { executorNs: number; byHandNs: number; ratio: number }[] = [];
for (let round = 0; round < 5; round += 1) {
  const { ns, callNs, wrong } = await measure(submitting);
  if (wrong > 0) throw new Error(`${wrong} bytes are wrong`);
  const [executorNs, byHandNs] = [median([...ns]), median([...callNs])];
  rounds.push({
    executorNs,
    byHandNs,
    ratio: median([...ns].map((value, sample) => value / (callNs[sample] ?? Number.NaN))),
  });
}
endMeasuring();
const ratios = rounds.map(({ ratio }) => ratio);
report(
  `submit ${copies} copies of ${bytes} B: executor ${perCopy(rounds.map((round) => round.executorNs))} ns a copy, by hand ` +
    `${perCopy(rounds.map((round) => round.byHandNs))} ns, ratio ${median(ratios).toFixed(3)} ` +
    `(${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}), target at most 1.05`,
);

const document = experiment({
  name: 'submit cost',
  environment: { iterations, warmups: 5 },
  buffers: [
    { id: 'host', memory: 'pinned', bytes },
    { id: 'device', memory: 'device', bytes },
  ],
  streams: [{ id: 's' }],
  threads: [
    {
      id: 'main',
      operations: [
        { op: 'repeat', count: copies, operations: [{ op: 'copy', src: 'host', dst: 'device', stream: 's' }] },
        { op: 'synchronizeStream', stream: 's' },
      ],
    },
  ],
});
const recording: Record<string, { plainNs: number; recordedNs: number }> = {};
for (const timing of ['cupti', 'cuda-events'] as const) {
  const { plainWallNs, recordedWallNs } = (await runOnGpu(document, { timing })).info.iterations;
  const [plainNs, recordedNs] = [median([...plainWallNs]), median([...recordedWallNs])];
  recording[timing] = { plainNs, recordedNs };
  report(
    `  recording by ${timing}: ${(recordedNs / 1e3).toFixed(0)} us an iteration, off ${(plainNs / 1e3).toFixed(0)} us: ` +
      `${((recordedNs - plainNs) / copies).toFixed(0)} ns more a copy`,
  );
}
writeFileSync(join(process.env['OUT'] ?? '.', 'submit-cost.json'), JSON.stringify({ rounds, recording }, null, 1));

function perCopy(values: readonly number[]): string {
  return (median(values) / copies).toFixed(0);
}
