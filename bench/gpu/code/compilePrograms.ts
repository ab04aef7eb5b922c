/**
 * Compiles the programs that run.sh code will run, on a machine without a GPU, into dist/gpu/programs.tar.xz:
 *   node dist/gpu/compilePrograms.js [SEED] [COUNT] [ARCH]
 * Those that need cuBLAS and cuFFT are left to the machine that has them.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../../core/code/code.ts';
import { compileAll, compiledBefore, writeProgram } from './programs.ts';
import { defaultSeed, randomSubjects } from './subjects.ts';

const [seed = defaultSeed, count = 100] = process.argv.slice(2, 4).map(Number);
const arch = process.argv[4] ?? 'sm_90';
const folder = mkdtempSync(join(tmpdir(), 'copyscope-programs-'));
try {
  const subjects = randomSubjects(seed, count).map((one) => ({ ...one, isLibrary: false }));
  for (const { id, experiment } of subjects) writeProgram(folder, id, codeOf(experiment, 'cuda').text);
  const failed = await compileAll(subjects, { folder, arch, leftMs: () => 600_000 });
  for (const [id, reason] of failed) console.error(`${id}: ${reason}`);
  const compiled = subjects.filter(({ id }) => !failed.has(id)).map(({ id }) => id);
  execFileSync('strip', compiled, { cwd: folder });
  // Compresses common parts, such as CUDA's runtime, only once.
  const pack = 'tar -c -C "$1" . | xz -T1 --lzma2=preset=9,dict=128MiB > "$2"';
  execFileSync('sh', ['-c', pack, 'sh', folder, compiledBefore]);
  const megabytes = (statSync(compiledBefore).size / 1e6).toFixed(1);
  console.log(
    `${compiled.length} of ${subjects.length} programs compiled for ${arch}: ${compiledBefore}, ${megabytes} MB`,
  );
  if (failed.size > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
