import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { newFolder } from '../../support/newFolder.ts';
import { readPerfetto } from '../../unit/export/readPerfetto.ts';
import { rowsTold } from '../../unit/export/support.ts';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { example, exampleFile, smallRun } from '../../unit/host/support/runs.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';
import { read, traceBytes } from '../../unit/import/support.ts';

const built = await buildEntry(engineEntry);
const scripted = await buildEntry(fileURLToPath(new URL('../../unit/host/support/scriptedEngine.ts', import.meta.url)));
let folder: string;
const cli = (...args: string[]) => copyscope(args, built);

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

beforeEach(() => {
  folder = newFolder();
});

it('copyscope devices names every engine and what is missing for it', async () => {
  const { exitCode, out, err } = await cli('devices');
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  for (const engine of ['cuda', 'cpu', 'sim']) expect(out).toMatch(new RegExp(`\\[(not )?available\\] +${engine}`));
});

describe('copyscope run', () => {
  it('draws the lanes, the figures and the verdict, and always says how the run came about', async () => {
    const { out } = await cli('run', exampleFile('pageable-same-stream'), '--engine', 'sim');
    expect(out).toContain('simulated with profile h200');
    expect(out).toMatch(/^host main +Cc+/m);
    expect(out).toMatch(/^H2D engine +·*Hh+·*/m);
    expect(out).toMatch(/^Compute +·+Kk/m);
    expect(out).toContain('[not overlapped] H2D 20.0 MiB: Pageable source');
    expect(out).toContain('Remedy: Pin "source"');
    expect(out).toContain('Rule: pageable-copy-holds-host');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(out).not.toContain('\u001b');
  });

  it('draws as wide as the terminal, and the same letters with colours', async () => {
    const args = ['run', exampleFile('pinned-side-stream'), '--engine', 'sim'];
    const plain = await copyscope(args, built, { terminal: { columns: 140 } });
    const painted = await copyscope(args, built, {
      terminal: { columns: 140, isColored: true },
    });
    expect(Math.max(...plain.out.split('\n').map((line) => line.length))).toBe(140);
    expect(painted.out).toContain('\u001b[34mH');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences are what is removed
    expect(painted.out.replace(/\u001b\[\d+m/g, '')).toBe(plain.out);
  });

  it('chooses an engine and says which, and why not the GPU', async () => {
    const { exitCode, err, out } = await cli('run', exampleFile('pinned-side-stream'));
    expect(exitCode).toBe(0);
    expect(err).toMatch(/^Engine: (cuda, on .+|sim\. cuda is not available: .+)\n$/);
    expect(out).toMatch(/(simulated with|measured on)/);
  });

  it('writes the run with --out, which explain reads as it was', async () => {
    const path = join(folder, 'run.arrow');
    const made = await cli(
      'run',
      exampleFile('pinned-side-stream'),
      '--engine',
      'sim',
      '--iterations',
      '3',
      '--out',
      path,
      '--json',
    );
    expect(made.exitCode).toBe(0);
    const { info } = decodeRun(readFileSync(path));
    expect(info.experiment?.environment.iterations).toBe(3);
    const explained = await cli('explain', path, '--json');
    expect(JSON.parse(explained.out)).toEqual(JSON.parse(made.out));
  });

  it('executes the experiment of a run again', async () => {
    const path = file('old.arrow', encodeRun(smallRun(example(), 'cpu')));
    const { exitCode, out } = await cli('run', path, '--engine', 'sim', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ engine: 'sim', name: example().name });
  });
});

it('copyscope explain calls a run from a file recorded, with machine and date', async () => {
  const path = file('run.arrow', encodeRun(smallRun(example(), 'cpu')));
  const { exitCode, out } = await cli('explain', path);
  expect(exitCode).toBe(0);
  expect(out).toContain('recorded on Test CPU by the CPU engine, without a GPU at 2026-11-20 05:45 UTC');
  expect(out).toContain('Data: Every byte of 20.0 MiB is right');
});

describe('copyscope explain, of a trace of the PyTorch profiler', () => {
  const trace = (name: string): string => join(repository, 'test/fixtures/pytorch-traces', name);

  it('reads a gzipped one, and says for people where it comes from and what it does not hold', async () => {
    const { exitCode, out } = await cli('explain', trace('resnet50.json.gz'));
    expect(exitCode).toBe(0);
    expect(out).toContain('recorded on NVIDIA H200 at 2026-11-20 04:33 UTC');
    // The answer comes first, then what it is about.
    expect(out.split('\n').indexOf('resnet50')).toBeGreaterThan(1);
    expect(out).toContain('Data: A trace contains no data to verify.');
    expect(out).toContain('Note: This trace has waits for events without saying which event');
  });

  it('tells on a terminal how much of the file it has read', async () => {
    for (const name of ['resnet50.json.gz', 'trace_streamed0_pinned0.json']) {
      const { err } = await copyscope(['explain', trace(name)], built, { terminal: { animated: true } });
      expect(err).toMatch(/Reading \[#{30}\] 100 %, [\d,]+ events/);
    }
  });

  it('shows what could be read of one that breaks off, and exits with 2', async () => {
    const whole = readFileSync(trace('trace_streamed0_pinned0.json'), 'utf8');
    const cut = file('cut.json', whole.slice(0, 12_000));
    const { exitCode, out, err } = await cli('explain', cut);
    expect(exitCode).toBe(2);
    const [, , heading = ''] = out.split('\n');
    expect(heading).toMatch(/^This trace is partial: byte 12000, line \d+: after \d+ events the file breaks off\.$/);
    expect(err).toContain(heading.replace('This trace is partial: ', ''));
  });

  it('can not be run again', async () => {
    const { exitCode, err } = await cli('run', trace('trace_streamed0_pinned0.json'), '--engine', 'sim', '--json');
    expect({ exitCode, code: JSON.parse(err).error.code }).toEqual({ exitCode: 2, code: 'experiment.missing' });
  });
});

describe('copyscope exits', () => {
  const sim = (path: string): string[] => ['run', path, '--engine', 'sim'];
  const truncated = (): string => file('truncated.json', JSON.stringify(example()).slice(0, 300));
  const wrongField = (): string => {
    const [source, ...others] = example().buffers;
    return file('wrong.json', JSON.stringify({ ...example(), buffers: [{ ...source, memory: 'paged' }, ...others] }));
  };
  const unsupported = (): string => {
    return file('gap.json', JSON.stringify({ ...example(), streams: [{ id: 'side', priority: -1 }] }));
  };
  const cutRun = (): string => file('cut.arrow', encodeRun(smallRun(example(), 'cpu')).slice(0, 1000));

  it.each<[string, number, () => string[], string, string | undefined]>([
    ['no such file', 2, () => sim(join(folder, 'none.json')), 'file.not-found', undefined],
    ['a folder', 2, () => sim(folder), 'file.failed', undefined],
    ['a truncated experiment', 2, () => sim(truncated()), 'experiment.invalid', undefined],
    ['a wrong field', 2, () => sim(wrongField()), 'experiment.invalid', 'buffers[0].memory'],
    ['a truncated run', 2, () => ['explain', cutRun()], 'run-file.truncated', 'file'],
    [
      'an unknown profile',
      2,
      () => [...sim(exampleFile('pinned-side-stream')), '--profile', '../x'],
      'profile.not-found',
      'profile',
    ],
    [
      'a profile for a real engine',
      2,
      () => ['run', exampleFile('pinned-side-stream'), '--engine', 'cpu', '--profile', 'h200'],
      'usage.profile',
      '--profile',
    ],
    [
      'a change to what is no trace',
      2,
      () => ['explain', exampleFile('pinned-side-stream'), '--try', 'pin'],
      'usage.invalid',
      '--try',
    ],
    ['an unknown engine', 2, () => ['run', 'x.json', '--engine', 'gpu'], 'usage.invalid', undefined],
    ['no file named', 2, () => ['run'], 'usage.invalid', undefined],
    ['an unknown command', 2, () => ['measure'], 'usage.invalid', undefined],
    ['a file that is not there', 2, () => ['./missing.arrow'], 'file.not-found', undefined],
    [
      'what the engine can not execute',
      3,
      () => ['run', unsupported(), '--engine', 'cpu'],
      'engine.unsupported',
      'streams[0].priority',
    ],
  ])('with %s: %i', async (_name, exitCode, args, code, field) => {
    const people = await cli(...args());
    expect(people.exitCode).toBe(exitCode);
    expect(people.out).toBe('');
    // The error consists of sentences.
    expect(people.err).toMatch(/^Error: \S.+[.)…]\n/);
    const json = await cli(...args(), '--json');
    expect(json).toMatchObject({ exitCode, out: '' });
    expect(JSON.parse(json.err)).toEqual({
      error: expect.objectContaining({ code, message: expect.any(String), ...(field === undefined ? {} : { field }) }),
    });
  });

  it.each([
    [['export', '--format', 'csv', '--profile', 'h200'], '--profile'],
    [['report', '--engine', 'sim'], '--engine'],
    [['report', '--steps', '2..3'], '--steps'],
    [['report', '--profile', 'h200'], '--profile'],
  ])('2 with an option that a run has no use for: %o', async (args, field) => {
    const kept = file('kept.arrow', encodeRun(smallRun(example(), 'cpu')));
    const [command = '', ...options] = args;
    const { exitCode, err } = await cli(command, kept, ...options, '--out', join(folder, 'written'));
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining(`Error: ${field}: `) });
  });

  it('3 where the engine is not available, with what to do', async () => {
    const report = JSON.parse((await cli('devices', '--json')).out);
    for (const { kind, available } of report.engines) {
      if (available) continue;
      const { exitCode, err } = await cli('run', exampleFile('pinned-side-stream'), '--engine', kind, '--json');
      expect(exitCode).toBe(3);
      expect(JSON.parse(err).error).toMatchObject({ code: 'engine.unavailable', remedy: expect.any(String) });
    }
  });

  it('1 where the engine process is lost', async () => {
    const path = file('crash.json', JSON.stringify({ ...example(), name: 'exit 7' }));
    const { exitCode, err } = await copyscope(['run', path, '--engine', 'cpu'], scripted);
    expect(exitCode).toBe(1);
    expect(err).toContain('ended with exit code 7');
  });

  it('1 for a run that failed, after showing what it recorded', async () => {
    const error = { code: 'engine.cuda', message: 'cudaErrorLaunchFailure', op: 1 };
    const path = file('failed.arrow', encodeRun(smallRun(example(), 'cpu', { status: 'failed', error })));
    const { exitCode, out, err } = await cli('explain', path);
    expect(exitCode).toBe(1);
    expect(out).toContain('This run failed: cudaErrorLaunchFailure');
    expect(err).toContain('cudaErrorLaunchFailure');
  });

  it('4 where bytes are wrong, naming the buffer and the first of them', async () => {
    const check = {
      kind: 'final' as const,
      buffer: 'target',
      op: -1,
      bytesChecked: 100,
      bytesWrong: 7,
      firstWrong: 42,
    };
    const verification = { bytesChecked: 100, bytesWrong: 7, checks: [check], unverified: [] };
    const path = file('wrong.arrow', encodeRun(smallRun(example(), 'cpu', { verification })));
    const { exitCode, out, err } = await cli('explain', path);
    expect(exitCode).toBe(4);
    expect(out).toContain('target  7 of 100 wrong, the first at byte 42');
    expect(err).toContain('7 of 100 bytes');
  });

  it('130 when it is cancelled, and writes nothing', async () => {
    const path = file('slow.json', JSON.stringify({ ...example(), name: 'until cancelled' }));
    const controller = new AbortController();
    const args = ['run', path, '--engine', 'cpu', '--out', join(folder, 'never.arrow')];
    const { exitCode, err } = await copyscope(args, scripted, {
      terminal: { animated: true, err: (text) => text.includes('Recording') && controller.abort() },
      // A long limit, so that an engine that isn't scheduled is not killed.
      context: { signal: controller.signal, cancelGraceMs: 600_000 },
    });
    expect(exitCode).toBe(130);
    expect(err).toMatch(/Error: Stopped\.\n$/);
    expect(existsSync(join(folder, 'never.arrow'))).toBe(false);
  });

  it('2 rather than write a run over something else', async () => {
    const path = file('experiment.json', JSON.stringify(example()));
    const { exitCode, err } = await cli(...sim(path), '--out', path);
    expect(exitCode).toBe(2);
    expect(err).toContain('is not overwritten');
    expect(readFileSync(path, 'utf8')).toBe(JSON.stringify(example()));
  });

  it('0 for help, which lists the exit codes, and for the version', async () => {
    const help = await cli('run', '--help');
    expect(help).toMatchObject({ exitCode: 0, err: '', out: expect.stringMatching(/130 +cancelled/) });
    expect(await cli('--version')).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});

it('copyscope bundle packs the library into one file, and adds such a file to another', async () => {
  const data = (name: string) => ({ context: { environment: { COPYSCOPE_DATA: join(folder, name) } } });
  const one = file('mine.json', JSON.stringify(example()));
  const bundle = join(folder, 'all.copyscope');
  const bundled = (args: readonly string[], name: string) => copyscope(['bundle', ...args], scripted, data(name));
  expect((await bundled(['export', bundle], 'here')).err).toContain('nothing of your own');
  expect((await bundled(['import', one, '--json'], 'here')).out).toContain('"pinned-source-second-stream"');
  expect(await bundled(['export', bundle], 'here')).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining('1 experiments, 0 runs, 0 sweeps'),
  });
  const again = await bundled(['export', bundle], 'here');
  expect(again.exitCode).not.toBe(0);
  const imported = await bundled(['import', bundle, '--json'], 'there');
  expect(JSON.parse(imported.out)).toEqual({ experiments: ['pinned-source-second-stream'], runs: [], sweeps: [] });
  const cut = file('cut.copyscope', readFileSync(bundle).subarray(0, 200));
  expect((await bundled(['import', cut], 'there')).err).toMatch(/breaks off|can’t be read/);
});

const race = (name: string): string => join(repository, `assets/examples/races/${name}.json`);

describe('copyscope check', () => {
  it('lists a race with both operations and the remedy, and exits with 5', async () => {
    const { exitCode, out, err } = await cli('check', race('changed-source-pinned'));
    expect(exitCode).toBe(5);
    expect(out).toMatch(/\[hazard\] Source changed in flight/);
    expect(out).toMatch(/op 1 "copy the ones".*threads\[0\]\.operations\[1\]/);
    expect(out).toMatch(/op 2 "write zeros over the source"/);
    expect(out).toMatch(/Remedy: Synchronise stream "legacy default"/);
    expect(err).toMatch(/1 hazard found/);
  });

  it('exits with 0 if there is no hazard', async () => {
    const { exitCode, out, err } = await cli('check', race('early-read-synchronized'));
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(/No hazards/);
  });

  it('prints one JSON object with --json, and the error on stderr', async () => {
    const { exitCode, out, err } = await cli('check', race('early-read'), '--json');
    const report = JSON.parse(out);
    expect(exitCode).toBe(5);
    expect(report).toMatchObject({
      format: 'copyscope/hazards',
      version: 1,
      name: 'Result read too early',
      limits: [],
    });
    expect(report.hazards).toEqual([expect.objectContaining({ kind: 'read-before-arrival', evidence: null })]);
    expect(JSON.parse(err).error).toMatchObject({ code: 'hazards.found', op: 2 });
  });

  it('says of a run how many bytes its data check found wrong', async () => {
    const experiment = requireExperiment(readFileSync(race('early-read'), 'utf8'));
    const found = {
      kind: 'read',
      buffer: 'received',
      op: 2,
      bytesChecked: 4096,
      bytesWrong: 1234,
      firstWrong: 0,
    } as const;
    const verification = { bytesChecked: 4096, bytesWrong: 1234, checks: [found], unverified: [] };
    const path = file('run.arrow', encodeRun(smallRun(experiment, 'cuda', { verification })));
    const { exitCode, out } = await cli('check', path);
    expect(exitCode).toBe(5);
    expect(out).toMatch(/In this run 1,234 of 4,096 bytes were wrong, in "received"/);
  });
});

describe('copyscope export', () => {
  const run = () => file('run.arrow', encodeRun(smallRun(example(), 'cuda')));

  it('writes a run for Perfetto', async () => {
    const out = join(folder, 'run.perfetto-trace');
    const { exitCode, err } = await cli('export', run(), '--format', 'perfetto', '--out', out);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: `Written to ${out}.\n` });
    const { slices } = readPerfetto(readFileSync(out));
    expect(slices.map(({ name }) => name)).toEqual(['cudaMemcpyAsync', 'H2D 20 MiB', 'H2D 20 MiB']);
  });

  it('writes a PyTorch trace that explain reads as the one it was', async () => {
    const name = 'trace_streamed1_pinned1.json';
    const out = join(folder, 'again.pt.trace.json');
    const source = file(name, traceBytes(name));
    expect((await cli('export', source, '--format', 'pytorch', '--out', out)).exitCode).toBe(0);
    const [again, before] = [await read(new Uint8Array(readFileSync(out))), await read(traceBytes(name))];
    expect(rowsTold(again)).toEqual(rowsTold(before));
  });

  it('names the iterations that there are, and leaves nothing', async () => {
    const { exitCode, err } = await cli(
      'export',
      run(),
      '--format',
      'perfetto',
      '--out',
      join(folder, 'x'),
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
    const out = join(folder, 'run.perfetto-trace');
    const args = ['export', run(), '--format', 'perfetto', '--out', out];
    const { exitCode, err } = await copyscope(args, built, { context });
    expect(exitCode).toBe(130);
    expect(err).toContain('nothing of it was kept');
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder)).toEqual(['run.arrow']);
  });
});

it('copyscope schema prints a schema and nothing else: of an experiment if nothing is named', async () => {
  const { exitCode, out, err } = await cli('schema');
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  expect(JSON.parse(out).title).toBe('Copyscope experiment');
  expect(JSON.parse((await cli('schema', 'sweep')).out).properties.format.const).toBe('copyscope/sweep');
});
