/** `copyscope explain` of a job: files of its ranks, or their folder. */
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawJob } from '../../support/jobTrace.ts';
import { newFolder } from '../../support/newFolder.ts';
import { copyscope, engineEntry } from './support/terminal.ts';

let folder = '';
const files: string[] = [];

beforeAll(() => {
  folder = newFolder();
  const job = drawJob({ clocksNs: [0, 137_250_000, -3_000_412_000], computeNs: (rank) => (rank === 1 ? 9e6 : 5e6) });
  for (const [rank, { text }] of job.entries()) {
    files.push(join(folder, `run_${rank}.json`));
    writeFileSync(files[rank] ?? '', text);
  }
  writeFileSync(join(folder, 'readme.txt'), 'no trace');
});
afterAll(() => rm(folder, { recursive: true }));

const explain = (...args: string[]) => copyscope(['explain', ...args], engineEntry);

describe('explain of several ranks', () => {
  it('gives each rank and the slowest as JSON, by folder as by file', async () => {
    const [byFolder, byFiles] = [await explain(folder, '--json'), await explain(...files, '--json')];
    expect(byFolder.exitCode).toBe(0);
    expect(JSON.parse(byFiles.out)).toEqual(JSON.parse(byFolder.out));
    const { ranks, slowest, name, steps } = JSON.parse(byFolder.out);
    expect(name).toBe('run');
    expect(ranks.map(({ rank }: { rank: number }) => rank)).toEqual([0, 1, 2]);
    expect(slowest).toBe(1);
    expect(Math.round(ranks[0].waitNs / 1e6)).toBe(4);
    expect(steps.medianNs).toBe(ranks[1].stepNs);
  });

  it('shows a table by rank', async () => {
    const { out } = await explain(folder);
    expect(out).toMatch(/^Rank +Step/m);
    expect(out).toMatch(/^1 \*/m);
  });

  it('gives no ranks for one file', async () => {
    expect(JSON.parse((await explain(files[0] ?? '', '--json')).out)).not.toHaveProperty('ranks');
  });

  it('refuses an experiment among the traces', async () => {
    const experiment = join(import.meta.dirname, '../../../assets/examples/overlap/pageable-same-stream.json');
    const { exitCode, err } = await explain(files[0] ?? '', experiment);
    expect(exitCode).toBe(2);
    expect(err).toContain('is an experiment');
  });
});
