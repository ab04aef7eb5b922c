/**
 * Writes the programs of all shipped examples and of 100 random experiments, in both languages, and compiles them:
 * node bench/run.mjs code [FOLDER]. CUDA needs nvcc, PyTorch python3.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../core/code/code.ts';
import { mathHeaders } from '../test/support/mathHeaders.ts';
import { randomSubjects, shippedSubjects } from '../test/unit/code/subjects.ts';

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'copyscope-code-'));
mkdirSync(folder, { recursive: true });
const subjects = [...shippedSubjects(join(import.meta.dirname, '../../assets/examples')), ...randomSubjects()];
for (const { name, experiment } of subjects) {
  writeFileSync(join(folder, `${name}.cu`), codeOf(experiment, 'cuda').text);
  writeFileSync(join(folder, `${name}.py`), codeOf(experiment, 'pytorch').text);
}
console.log(`${subjects.length} experiments written to ${folder}`);

const failed = new Set<string>();
function run(name: string, command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    const over = (isGood: boolean): void => {
      if (!isGood) failed.add(name);
      resolve();
    };
    child.on('error', () => over(false));
    child.on('close', (code) => over(code === 0));
  });
}

const waiting = subjects.map(({ name }) => name);
const compileNext = async (): Promise<void> => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const source = join(folder, name);
    await run(`${name}.py`, 'python3', ['-m', 'py_compile', `${source}.py`]);
    await run(`${name}.cu`, 'nvcc', [
      ...['-std=c++17', '-c', '-Werror', 'all-warnings', ...mathHeaders()],
      ...['-o', '/dev/null', `${source}.cu`],
    ]);
  }
};
await Promise.all([compileNext(), compileNext()]);
console.log(failed.size === 0 ? 'all compile' : `these do not: ${[...failed].join(', ')}`);
process.exitCode = failed.size === 0 ? 0 : 1;
