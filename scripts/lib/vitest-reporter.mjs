/**
 * A vitest reporter that leaves its counts for scripts/test.mjs; vitest's own JSON has no reasons for skipping. It ends
 * a run in which nothing ends any more: vitest itself has no limit for what lies outside of tests and hooks.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { vitestCounts } from './counts.mjs';
import { inRoot } from './paths.mjs';

export const vitestCountsFile = inRoot('test-results/vitest.json');

/** Longer than the longest limit in vitest.config.ts, that of hooks, whose own limits report failures first. */
const mostSilentMs = 25 * 60_000;

const writeCounts = (modules, errors) => {
  mkdirSync(dirname(vitestCountsFile), { recursive: true });
  writeFileSync(vitestCountsFile, JSON.stringify(vitestCounts(modules, errors)));
};

/** Returns the processes below this one and what they wait for, which helps to find the cause of a stalled run. */
function processesBelow() {
  const { stdout } = spawnSync('ps', ['-eo', 'pid,ppid,stat,time,wchan:20,args'], { encoding: 'utf8' });
  const [head, ...rows] = (stdout ?? '').trimEnd().split('\n');
  const listed = rows.map((text) => {
    const [pid, parent] = text.trim().split(/\s+/, 2).map(Number);
    return { pid, parent, text };
  });
  const childrenOf = (parent) =>
    listed.filter((row) => row.parent === parent).flatMap((row) => [row, ...childrenOf(row.pid)]);
  const below = childrenOf(process.pid).filter(({ text }) => !text.includes(' ps -eo '));
  const text = [head, ...below.map((row) => row.text)].map((line) => line.slice(0, 200)).join('\n');
  return { pids: below.map(({ pid }) => pid), text };
}

/** Kills what runs below, so that nothing is left of it, and ends. */
function endRun(say) {
  const { pids, text } = processesBelow();
  say(text);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
  process.exit(1);
}

export default class CountsReporter {
  #open = new Set();
  #ended = [];
  #timer;

  onTestRunStart() {
    this.#hear();
  }

  onTestModuleStart(module) {
    this.#open.add(module);
    this.#hear();
  }

  onTestCaseResult() {
    this.#hear();
  }

  onTestModuleEnd(module) {
    this.#open.delete(module);
    this.#ended.push(module);
    this.#hear();
  }

  onTestRunEnd(modules, unhandledErrors) {
    clearTimeout(this.#timer);
    writeCounts(modules, unhandledErrors);
  }

  #hear() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stalled(), mostSilentMs).unref();
  }

  #stalled() {
    const open = [...this.#open].map((module) => module.relativeModuleId);
    const where = open.length === 0 ? 'every file that began has ended' : `not ended: ${open.join(', ')}`;
    const message = `nothing ended for ${mostSilentMs / 60_000} minutes, and vitest was stopped; ${where}`;
    console.error(`vitest: ${message}`);
    writeCounts(this.#ended, [{ message }]);
    endRun(console.error);
  }
}
