/** Checks the types of every part, two at a time; exits 1 where one of them has an error. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { inRoot, root } from './lib/paths.mjs';

const parts = ['core', 'native', 'host', 'electron', 'renderer', 'test', 'bench'];
const compiler = inRoot('node_modules/typescript/bin/tsc');

function check(part) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [compiler, '-p', part], { cwd: root });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        output += text;
      });
    }
    child.on('close', (code) => resolve({ part, ok: code === 0, output }));
  });
}

const waiting = [...parts];
const results = [];
async function work() {
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) results.push(await check(part));
}
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));

const failed = results.filter((result) => !result.ok);
for (const { part, output } of failed) console.error(`${part}:\n${output.trim()}\n`);
console.error(
  failed.length === 0 ? 'Types are right.' : `Type errors in ${failed.map(({ part }) => part).join(', ')}.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
