import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the folder with the original headers of cuBLAS and cuFFT; null if the machine has none. */
export function ownMathHeaders(): string | null {
  const nvcc = spawnSync('nvcc', ['--dryrun', '-x', 'cu', '-E', '/dev/null'], { encoding: 'utf8' });
  const top = /^#\$ TOP=(.*)$/m.exec(nvcc.stderr ?? '')?.[1];
  const toolkits = [process.env['CUDA_HOME'], process.env['CUDA_PATH'], top, '/usr/local/cuda'];
  const folders = toolkits.flatMap((toolkit) => (toolkit === undefined ? [] : [join(toolkit, 'include')]));
  const found = [process.env['CUDA_MATH_INCLUDE'], ...folders].find(
    (folder) => folder !== undefined && existsSync(join(folder, 'cublas_v2.h')) && existsSync(join(folder, 'cufft.h')),
  );
  return found === undefined ? null : dirname(join(found, 'cufft.h'));
}

/** Returns nvcc's options for cuBLAS and cuFFT: with declarations of ours if the headers are missing. */
export const mathHeaders = (): string[] => [
  '-I',
  ownMathHeaders() ?? join(import.meta.dirname, '../fixtures/cuda-math'),
];
