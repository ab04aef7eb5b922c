import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { newFolder } from '../../support/newFolder.ts';
import { readPerfetto } from '../../unit/export/readPerfetto.ts';
import { rowsTold } from '../../unit/export/support.ts';
import { buildEntry } from '../../unit/host/support/buildEntry.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';
import { read, traceBytes } from '../../unit/import/support.ts';

const built = await buildEntry(engineEntry);
let folder: string;
const cli = (...args: string[]) => copyscope(args, built);
const path = (name: string): string => join(folder, name);

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(path(name), content);
  return path(name);
}

beforeEach(() => {
  folder = newFolder();
});

describe('copyscope export', () => {
  const run = () => file('run.arrow', encodeRun(smallRun(example(), 'cuda')));

  it('writes a run for Perfetto', async () => {
    const out = path('run.perfetto-trace');
    const { exitCode, err } = await cli('export', run(), '--format', 'perfetto', '--out', out);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: `Written to ${out}.\n` });
    const { slices } = readPerfetto(readFileSync(out));
    expect(slices.map(({ name }) => name)).toEqual(['cudaMemcpyAsync', 'H2D 20 MiB', 'H2D 20 MiB']);
  });

  it('writes a PyTorch trace that explain reads as the one it was', async () => {
    const name = 'trace_streamed1_pinned1.json';
    const out = path('again.pt.trace.json');
    const source = file(name, traceBytes(name));
    expect((await cli('export', source, '--format', 'pytorch', '--out', out)).exitCode).toBe(0);
    const [again, before] = [await read(new Uint8Array(readFileSync(out))), await read(traceBytes(name))];
    expect(rowsTold(again)).toEqual(rowsTold(before));
  });

  it('never writes over a file', async () => {
    const out = file('there.json', 'mine');
    const { exitCode, err } = await cli('export', run(), '--format', 'perfetto', '--out', out);
    expect(exitCode).toBe(2);
    expect(err).toContain('not overwritten');
    expect(readFileSync(out, 'utf8')).toBe('mine');
  });

  it('names the iterations that there are, and leaves nothing', async () => {
    const { exitCode, err } = await cli(
      'export',
      run(),
      '--format',
      'perfetto',
      '--out',
      path('x'),
      '--iteration',
      '7',
    );
    expect(exitCode).toBe(2);
    expect(err).toContain('no row of iteration 7');
    expect(err).toContain('Its iterations are 0');
    expect(readdirSync(folder)).toEqual(['run.arrow']);
  });

  it('leaves nothing if it is cancelled', async () => {
    const context = { signal: AbortSignal.abort() };
    const out = path('run.perfetto-trace');
    const args = ['export', run(), '--format', 'perfetto', '--out', out];
    const { exitCode, err } = await copyscope(args, built, { context });
    expect(exitCode).toBe(130);
    expect(err).toContain('nothing of it was kept');
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder)).toEqual(['run.arrow']);
  });
});

describe('copyscope schema', () => {
  it.each(['experiment', 'sweep', 'profile'])('prints the schema of a %s and nothing else', async (kind) => {
    const { exitCode, out, err } = await cli('schema', kind);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(JSON.parse(out).properties.format.const).toBe(`copyscope/${kind}`);
  });

  it('is of an experiment where nothing is named', async () => {
    expect(JSON.parse((await cli('schema')).out).title).toBe('Copyscope experiment');
  });
});
