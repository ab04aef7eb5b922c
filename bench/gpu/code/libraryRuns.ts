/**
 * Kernels of cuBLAS and cuFFT on the GPU at hand, against PyTorch's own: whether the results are right, and how long each
 * kernel takes: node dist/gpu/libraryRuns.js. Figures go to $OUT/libraries.json.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorInfo } from '../../../core/errors.ts';
import type { OperationOf } from '../../../core/experiment/operations.ts';
import { median } from '../../../core/statistics.ts';
import { activity } from '../../../core/trace/iteration.ts';
import type { Run } from '../../../core/trace/run.ts';
import { report, runOnGpu } from '../../../test/gpu/support.ts';
import { librarySubjects, type Subject } from './subjects.ts';

/** Smallest deviation that is reported. */
const within = 0.05;
const shapes = librarySubjects.map(({ id, experiment }) => {
  const [first] = experiment.threads[0]?.operations ?? [];
  const [launch] = first !== undefined && 'operations' in first ? first.operations : [];
  return { id, ...(launch as OperationOf<'kernel'>).kernel };
});
const pytorch = spawnSync('python3', ['bench/gpu/code/library_times.py'], {
  ...{ input: JSON.stringify(shapes), encoding: 'utf8', timeout: 90_000 },
});
if (pytorch.status !== 0) say(`PyTorch's times: not measured (${pytorch.stderr.trim().slice(-300)})`);
const theirs =
  pytorch.status === 0 ? (JSON.parse(pytorch.stdout) as Record<string, { ms: number; worst: number }>) : {};
const figures: object[] = [];
let [wrong, far] = [0, 0];
for (const subject of librarySubjects) await hold(subject);
say(
  `Kernels of cuBLAS and cuFFT: ${wrong} of ${librarySubjects.length} wrong (at most 0), ${far} further than ${within * 100} % from PyTorch's time`,
);
writeFileSync(join(process.env['OUT'] ?? 'dist/gpu/out', 'libraries.json'), JSON.stringify(figures, null, 1));
process.exitCode = wrong > 0 ? 1 : 0;

async function hold({ id, experiment }: Subject): Promise<void> {
  const other = theirs[id];
  try {
    const run = await runOnGpu(experiment);
    const ms = kernelMs(run);
    const { bytesChecked, bytesWrong, unverified } = run.info.verification;
    if (bytesWrong > 0 || bytesChecked === 0) wrong += 1;
    const ratio = ms === null || other === undefined ? null : ms / other.ms;
    if (ratio === null || Math.abs(ratio - 1) > within) far += 1;
    figures.push({ id, ms, pytorch: other ?? null, bytesChecked, bytesWrong, unverified, notes: run.info.notes });
    const theirMs =
      other === undefined ? '-' : `${other.ms.toFixed(4)} ms (worst error ${other.worst.toExponential(1)})`;
    say(`  ${id}: ${ms?.toFixed(4) ?? '-'} ms, PyTorch ${theirMs}; ${bytesWrong} of ${bytesChecked} bytes wrong`);
  } catch (error) {
    wrong += 1;
    say(`  ${id}: ${toErrorInfo(error).message}`);
  }
}

function kernelMs({ trace }: Run): number | null {
  const times: number[] = [];
  for (let row = 0; row < trace.count; row += 1) {
    const one = activity(trace, row);
    if (one.kind === 'kernel' && one.laneId.startsWith('stream:')) times.push((one.endNs - one.startNs) / 1e6);
  }
  return times.length === 0 ? null : median(times);
}

function say(line: string): void {
  console.log(line);
  report(line);
}
