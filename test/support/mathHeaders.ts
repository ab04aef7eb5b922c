import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder with cuBLAS's and cuFFT's own headers; null where the machine has none. */
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

/** Options of nvcc with which programs that use cuBLAS and cuFFT compile: without their headers, with declarations of ours. */
export const mathHeaders = (): string[] => [
  '-I',
  ownMathHeaders() ?? join(import.meta.dirname, '../fixtures/cuda-math'),
];
