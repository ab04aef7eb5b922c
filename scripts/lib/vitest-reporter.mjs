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

/** More than the longest limit in vitest.config.ts, that of hooks: what those end is told as their failure. */
export const mostSilentMs = 25 * 60_000;

const writeCounts = (modules, errors) => {
  mkdirSync(dirname(vitestCountsFile), { recursive: true });
  writeFileSync(vitestCountsFile, JSON.stringify(vitestCounts(modules, errors)));
};

/** What runs below this process, with what it waits for: of which a stalled run needs to be found. */
function processesBelow() {
  const lines = (spawnSync('ps', ['-eo', 'pid,ppid,stat,time,wchan:20,args'], { encoding: 'utf8' }).stdout ?? '').split(
    '\n',
  );
  const below = new Set([process.pid]);
  // A parent may have a higher number than its child: until nothing is added.
  for (let before = 0; before < below.size; ) {
    before = below.size;
    for (const [pid, parent] of lines.map((line) => line.trim().split(/\s+/).map(Number)))
      if (below.has(parent)) below.add(pid);
  }
  below.delete(process.pid);
  const listed = lines.filter((line) => below.has(Number.parseInt(line, 10)) && !line.includes(' ps -eo '));
  return { pids: [...below], text: [lines[0], ...listed].map((line) => line.slice(0, 200)).join('\n') };
}

/** Kills what runs below, so that nothing is left of it, and ends. */
function endRun(say) {
  const { pids, text } = processesBelow();
  say(text);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  process.exit(1);
}

export default class CountsReporter {
  #ended = new Set();
  #begun = new Set();
  #timer;
  #write;
  #end;

  /** `write` and `end` are for tests of it. */
  constructor({ write = writeCounts, end = () => endRun(console.error) } = {}) {
    this.#write = write;
    this.#end = end;
  }

  onTestRunStart() {
    this.#hear();
  }

  onTestModuleStart(module) {
    this.#begun.add(module);
    this.#hear();
  }

  onTestCaseResult() {
    this.#hear();
  }

  onTestModuleEnd(module) {
    this.#ended.add(module);
    this.#hear();
  }

  onTestRunEnd(modules, unhandledErrors) {
    clearTimeout(this.#timer);
    this.#write(modules, unhandledErrors);
  }

  #hear() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stalled(), mostSilentMs).unref();
  }

  #stalled() {
    const open = [...this.#begun].filter((module) => !this.#ended.has(module)).map((module) => module.relativeModuleId);
    const where = open.length === 0 ? 'every file that began has ended' : `not ended: ${open.join(', ')}`;
    const message = `nothing ended for ${mostSilentMs / 60_000} minutes, and vitest was stopped; ${where}`;
    console.error(`vitest: ${message}`);
    this.#write([...this.#ended], [{ message }]);
    this.#end();
  }
}
