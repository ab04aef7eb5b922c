import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { newFolder } from '../../support/newFolder.ts';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { example, exampleFile, smallRun } from '../../unit/host/support/runs.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';
import { traceBytes } from '../../unit/import/support.ts';
import { partsOf } from '../../unit/report/partsOf.ts';

const built = await buildEntry(engineEntry);
/** A program's folder with a page that has only the places for the data. */
const program = newFolder();
let folder: string;
const cli = (...args: string[]) => copyscope(args, built, { context: { program } });
const path = (name: string): string => join(folder, name);
const reported = (name = 'report.html') => partsOf(readFileSync(path(name), 'utf8'));

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(path(name), content);
  return path(name);
}

beforeAll(async () => {
  symlinkSync(join(repository, 'assets'), join(program, 'assets'));
  writeFileSync(join(program, 'package.json'), JSON.stringify({ type: 'module', version: '1.2.3' }));
  mkdirSync(join(program, 'dist/renderer'), { recursive: true });
  writeFileSync(join(program, 'dist/renderer/report.html'), '<title>%TITLE%</title>\n<!--data-->\n');
});
beforeEach(() => {
  folder = newFolder();
});

const sweep = {
  format: 'copyscope/sweep',
  version: 1,
  name: 'Chunk size',
  base: { template: 'chunked-pipeline', parameters: { bytes: '8 MiB' } },
  axes: [{ parameter: 'chunkBytes', values: ['1 MiB', '4 MiB'] }],
};

describe('copyscope report', () => {
  it('holds a run with its rows, its summary, its experiment and its versions', async () => {
    const run = smallRun(example(), 'cuda');
    const { exitCode, err } = await cli('report', file('run.arrow', encodeRun(run)), '--out', path('report.html'));
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: `Written to ${path('report.html')}.\n` });
    const { document, runs } = reported();
    expect(document).toMatchObject({ title: example().name, copyscope: '1.2.3', withPaths: false, comparison: null });
    expect(document.runs[0]).toMatchObject({ origin: 'recorded', answers: null });
    const again = decodeRun(runs[0] ?? new Uint8Array());
    expect(again.trace.columns.startNs).toEqual(run.trace.columns.startNs);
    expect(again.info.experiment).toEqual(example());
    expect(again.info.versions).toEqual(run.info.versions);
  });

  it('simulates an experiment, and says so, with verdicts and remedies', async () => {
    await cli('report', exampleFile('pageable-same-stream'), '--out', path('report.html'));
    const [run] = reported().document.runs;
    expect(run?.origin).toBe('simulated');
    expect(run?.summary.verdicts[0]?.cause).toBe('pageable-source');
    expect(run?.summary.remedies.length).toBeGreaterThan(0);
    expect(run?.linkLimits.h2d).toBeGreaterThan(1e9);
  });

  it('holds the step and the plan of a real program’s trace, and the lanes before and after tried changes', async () => {
    const trace = join(repository, 'test/fixtures/pytorch-pairs/vision.pageable.json.gz');
    expect((await cli('report', trace, '--try', 'pin', '--out', path('report.html'))).exitCode).toBe(0);
    const { document, runs } = reported();
    const { answers, tried } = document.runs[0] ?? {};
    const [before, after] = (tried ?? []).map(({ element }) => decodeRun(runs[element] ?? new Uint8Array()).info);
    expect(after?.iterations.recordedMakespanNs[0]).toBeLessThan(before?.iterations.recordedMakespanNs[0] ?? 0);
    expect(answers?.steps.count).toBeGreaterThan(1);
    expect(answers?.plan[0]?.changes).toContain('pin');
  });

  it('compares two', async () => {
    const [a, b] = ['pageable-same-stream', 'pinned-side-stream'].map(exampleFile);
    expect((await cli('report', a ?? '', b ?? '', '--out', path('report.html'))).exitCode).toBe(0);
    const { document, runs } = reported();
    expect(runs).toHaveLength(2);
    expect(document.comparison?.makespan.differenceNs).toBeLessThan(0);
    expect(document.title).toContain(' and ');
  });

  it('begins a comparison of two traces with their steps, and what was predicted of the change', async () => {
    const [a, b] = ['pageable', 'pinned'].map((name) =>
      join(repository, `test/fixtures/pytorch-pairs/vision.${name}.json.gz`),
    );
    expect((await cli('report', a ?? '', b ?? '', '--out', path('report.html'))).exitCode).toBe(0);
    const { comparison } = reported().document;
    expect(comparison?.steps?.duration.differenceNs).toBeLessThan(0);
    expect(comparison?.stepParts?.parts.length).toBeGreaterThan(1);
    expect(comparison?.stepParts?.settled).toMatchObject({ holds: true });
  });

  it('runs the points of a sweep and holds their figures', async () => {
    const document = file('sweep.json', JSON.stringify(sweep));
    expect((await cli('report', document, '--engine', 'sim', '--out', path('report.html'))).exitCode).toBe(0);
    const told = reported().document.sweep;
    expect(told).toMatchObject({ origin: 'simulated', document: { name: 'Chunk size' } });
    expect(told?.points.map(({ status }) => status)).toEqual(['done', 'done']);
  });

  it('leaves folders, users and hosts out of a trace unless it is asked for', async () => {
    const text = new TextDecoder().decode(traceBytes('trace_streamed1_pinned1.json'));
    const [, name = ''] = /"name": "(cudaMemcpyAsync)"/.exec(text) ?? [];
    const secret = text.replaceAll(`"name": "${name}"`, '"name": "/home/ann/secret/train.py(3): load"');
    const trace = file('ann.json', secret);
    await cli('report', trace, '--out', path('report.html'));
    const told = (parts: ReturnType<typeof reported>): string =>
      JSON.stringify(parts.document) + decodeRun(parts.runs[0] ?? new Uint8Array()).trace.names.join('\n');
    expect(told(reported())).toContain('train.py(3): load');
    expect(told(reported())).not.toMatch(/home|secret/);
    await cli('report', trace, '--with-paths', '--out', path('whole.html'));
    expect(told(reported('whole.html'))).toContain('/home/ann/secret/train.py(3): load');
  });

  it('never writes over a file, and leaves nothing if it is cancelled', async () => {
    const run = file('run.arrow', encodeRun(smallRun(example(), 'cuda')));
    const { exitCode, err } = await cli('report', run, '--out', file('report.html', 'mine'));
    expect(exitCode).toBe(2);
    expect(err).toContain('not overwritten');
    const context = { program, signal: AbortSignal.abort() };
    const cancelled = await copyscope(['report', run, '--out', path('x.html')], built, { context });
    expect(cancelled.exitCode).toBe(130);
    expect(cancelled.err).toContain('nothing of it was kept');
    expect(readdirSync(folder).sort()).toEqual(['report.html', 'run.arrow']);
  });

  it('says what to do if its page is not built, but first what is wrong with the options', async () => {
    const context = { program: folder };
    const run = file('run.arrow', encodeRun(smallRun(example(), 'cuda')));
    const args = ['report', run, '--out', path('x.html')];
    writeFileSync(path('package.json'), '{"version":"1.0.0"}');
    const wrong = await copyscope([...args, '--steps', '1..2'], built, { context });
    expect(wrong.exitCode).toBe(2);
    expect(wrong.err).toContain('--steps');
    const { exitCode, err } = await copyscope(args, built, { context });
    expect(exitCode).not.toBe(0);
    expect(err).toContain('npm run build');
  });
});
