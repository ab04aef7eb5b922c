/**
 * Records the experiments of the blind set on this machine's GPU as small runs, one after another in one process: node
 * dist/gpu/recordBlind.js SEED [SECONDS] [two-gpus] into $OUT/runs/blind, or those for two GPUs into
 * $OUT/runs/two-gpus. Experiments that don't fit into the time are reported as not recorded. COPYSCOPE_TRIAL=cpu tries
 * it without a GPU, without what that engine can't do.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { engineKind, example, report, runOnGpu } from '../../../test/gpu/support.ts';
import { smallRun } from '../../support/smallRun.ts';
import { blindExperiments } from './blind.ts';
import { twoGpuShapes } from './twoGpus.ts';

/** Bytes of a run beyond which only the most typical iterations are kept. */
const mostBytes = 40_000;
/** One that hangs must not cost the others their time. */
const mostMsForOne = 15_000;
const [seed = Number.NaN, seconds = 120] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(seed)) throw new Error('usage: node recordBlind.js SEED [SECONDS]');
const set = process.argv[4] === 'two-gpus' ? 'two-gpus' : 'blind';
const folder = join(process.env['OUT'] ?? '.', 'runs', set);
mkdirSync(folder, { recursive: true });
const endsAt = performance.now() + seconds * 1000;

// The clocks of a GPU that has just been idle are low, and the first run makes the context.
await runOnGpu(example('verdicts/same-stream'));
const startedAt = performance.now();
const missing: string[] = [];
let [recorded, bytes] = [0, 0];
for (const { id, experiment } of blindExperiments(seed, set === 'blind' ? undefined : twoGpuShapes)) {
  const reason = await record(id, experiment);
  if (reason === null) recorded += 1;
  else missing.push(`  not recorded: ${set}/${id}: ${reason}`);
}
for (const line of missing) say(line);
const took = ((performance.now() - startedAt) / 1000).toFixed(1);
say(`${set}, seed ${seed}: ${recorded} recorded in ${took} s, ${missing.length} not; ${(bytes / 1e6).toFixed(1)} MB`);
if (missing.length > 0) process.exitCode = 1;

function say(line: string): void {
  console.log(line);
  report(line);
}

/** Returns why it isn't recorded, or null if it is. */
async function record(id: string, experiment: Experiment): Promise<string | null> {
  const leftMs = Math.min(mostMsForOne, Math.round(endsAt - performance.now()));
  if (leftMs <= 0) return 'no time left';
  try {
    const run = await runOnGpu(executable(experiment), { signal: AbortSignal.timeout(leftMs) });
    const { bytesWrong } = run.info.verification;
    if (bytesWrong > 0) return `${bytesWrong} bytes are wrong`;
    const file = smallRun(run, mostBytes);
    writeFileSync(join(folder, `${id}.arrow`), file);
    bytes += file.length;
    return null;
  } catch (thrown) {
    return toErrorInfo(thrown).message;
  }
}

/** The CPU engine has no multiprocessors to share out and no priorities, and computes a thousand times as slowly. */
function executable(experiment: Experiment): Experiment {
  if (engineKind === 'cuda') return experiment;
  const plain: Readonly<Record<string, (value: never) => unknown>> = {
    smShare: () => 1,
    priority: () => 0,
    flops: (flops: number) => Math.ceil(flops / 1000),
    iterations: () => 1,
    warmups: () => 0,
  };
  return requireExperiment(JSON.stringify(experiment, (key, value) => plain[key]?.(value as never) ?? value));
}
