/**
 * The programs that are written of the subjects, and compiling them: on the machine with the GPU, or before, on one that has
 * nvcc alone, so that a session on a GPU need not spend its time on it (compilePrograms.ts).
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Subject } from './subjects.ts';

const run = promisify(execFile);

/** Programs that were compiled before, with their texts. */
export const compiledBefore = 'dist/gpu/programs.tar.xz';

export interface Compiling {
  /** Folder of the programs: ID.cu, and the compiled program ID. */
  readonly folder: string;
  /** Architecture in nvcc's notation. */
  readonly arch: string;
  /** When to give up, in milliseconds from now. */
  readonly leftMs: () => number;
}

/** Compiles as many at once as there are processors. Gives for each that failed why, by its id. */
export async function compileAll(
  subjects: readonly (Pick<Subject, 'id'> & { readonly isLibrary: boolean })[],
  compiling: Compiling,
): Promise<ReadonlyMap<string, string>> {
  if (spawnSync('nvcc', ['--version']).status !== 0)
    return new Map(subjects.map(({ id }) => [id, 'nvcc is not there']));
  const failed = new Map<string, string>();
  const waiting = [...subjects];
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const reason = await compile(one, compiling);
      if (reason !== null) failed.set(one.id, reason);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
  return failed;
}

/** Returns why it doesn't compile, or null if it does. */
async function compile(
  { id, isLibrary }: { readonly id: string; readonly isLibrary: boolean },
  { folder, arch, leftMs }: Compiling,
): Promise<string | null> {
  const base = join(folder, id);
  const [include, libraries] = [process.env['CUDA_MATH_INCLUDE'], process.env['CUDA_MATH_LIB']];
  const places = [
    ...(include === undefined ? [] : ['-I', include]),
    ...(libraries === undefined ? [] : ['-L', libraries]),
  ];
  const linked = isLibrary ? [...places, '-lcublas', '-lcufft'] : [];
  const args = ['-std=c++17', '-O3', `-arch=${arch}`, '-o', base, `${base}.cu`, ...linked];
  try {
    await run('nvcc', args, { timeout: Math.max(1, Math.round(leftMs())) });
    return null;
  } catch (error) {
    return `does not compile: ${lastLines(error)}`;
  }
}

/** Unpacks what was compiled before. */
export function unpackCompiled(folder: string): void {
  if (!existsSync(compiledBefore)) return;
  spawnSync('sh', ['-c', 'xz -dc "$1" | tar -x -C "$2"', 'sh', compiledBefore, folder], { stdio: 'inherit' });
}

/** Writes a program's text. True where that very text was compiled before. */
export function writeProgram(folder: string, id: string, text: string): boolean {
  const [source, program] = [join(folder, `${id}.cu`), join(folder, id)];
  if (existsSync(program) && existsSync(source) && readFileSync(source, 'utf8') === text) return true;
  writeFileSync(source, text);
  return false;
}

/** Returns the last output of a failed command. */
export function lastLines(error: unknown): string {
  const { stderr = '', stdout = '', message = '' } = error as { stderr?: string; stdout?: string; message?: string };
  return `${stderr}${stdout}`.trim().slice(-400) || message.slice(0, 400);
}
