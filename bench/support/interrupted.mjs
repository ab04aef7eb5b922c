/** Starts a command like a terminal, and sends Ctrl-C to it and all its processes. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const childrenOf = (pid) => {
  try {
    const listed = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    return listed.trim().split(/\s+/).map(Number);
  } catch {
    return [];
  }
};

const statusOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
};
const isThere = (pid) => /^State:\s+[^Z]/m.test(statusOf(pid));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Interrupts the command `afterMs` after the start of its engine process. Returns its exit code, the time until its
 * end, and the number of its remaining processes.
 */
export async function interrupted(args, { afterMs, environment = {} }) {
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  let isOver = false;
  const end = new Promise((resolve) =>
    child.once('exit', (code, signal) => {
      isOver = true;
      resolve({ code: code ?? signal, at: performance.now() });
    }),
  );
  while (!isOver && childrenOf(child.pid).length === 0) await pause(10);
  await Promise.race([pause(afterMs), end]);
  const started = childrenOf(child.pid);
  const asked = performance.now();
  if (!isOver) process.kill(-child.pid, 'SIGINT');
  const { code, at } = await end;
  return { code, said, tookMs: at - asked, left: started.filter(isThere).length };
}
