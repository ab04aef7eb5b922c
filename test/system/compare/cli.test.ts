import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';

const built = await buildEntry(engineEntry);

const recorded = (name: string): string => join(repository, `assets/runs/overlap/${name}.arrow`);
const compare = (...args: string[]) => copyscope(['compare', ...args], built);

describe('copyscope compare', () => {
  it('says what a pinned source gains, and that it is more than the spread', async () => {
    const { exitCode, out, err } = await compare(recorded('pageable-side-stream'), recorded('pinned-side-stream'));
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(/^A {2}Pageable source, second stream {2}recorded on NVIDIA H200/m);
    expect(out).toMatch(/0 +H2D 20\.0 MiB .*−\d+.* larger than the spread/);
    expect(out).toMatch(/H2D engine/);
  });

  it('compares a run with what is predicted for it where only that is given', async () => {
    const { exitCode, out } = await compare(recorded('pinned-side-stream'), '--json');
    expect(exitCode).toBe(0);
    const found = JSON.parse(out);
    expect(found).toMatchObject({
      format: 'copyscope/comparison',
      version: 2,
      a: { origin: 'recorded', iterations: 15 },
      b: { origin: 'simulated', profile: 'h200', whileRecording: true },
      matchedBy: 'number',
    });
    expect(found.operations).toHaveLength(7);
    expect(found.a.makespanInterval).toBeNull();
    expect(found.b.makespanInterval).toMatchObject({ level: 0.9 });
    const words = (await compare(recorded('pinned-side-stream'))).out;
    expect(words).toMatch(/^The recorded makespan lies within the predicted interval: \d+ to \d+ µs \(90 %\)\.$/m);
  });
});
