import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GateInput, gate } from '../../../core/apps/gate/gate.ts';
import { noRules, parseGateRules, parseLimit } from '../../../core/apps/gate/parse.ts';
import type { GateRules } from '../../../core/apps/gate/rules.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { smallRun } from '../host/support/runs.ts';
import { chunksOf, complete, read, readStream, traceOf } from '../import/support.ts';
import { experimentOf } from '../support/experiments.ts';

interface Step {
  /** Microseconds of the step's kernel. */
  readonly kernel: number;
  /** Lines of train.py that wait. */
  readonly waits?: readonly number[];
}

/** Returns consecutive steps; a wait takes 5 µs, in the function log. */
async function program(steps: readonly Step[]): Promise<GateInput> {
  let at = 1000;
  const events = steps.flatMap(({ kernel, waits = [] }, index) => {
    const begin = at;
    const joined = { correlation: index + 1 };
    const made: object[] = [
      complete('cuda_runtime', 'cudaLaunchKernel', at, 5, joined),
      complete('kernel', 'work', at + 5, kernel, { ...joined, device: 0, stream: 7 }),
    ];
    at += 5 + kernel;
    for (const line of waits) {
      made.push(complete('python_function', `src/train.py(${line}): log`, at, 5));
      made.push(complete('cuda_runtime', 'cudaStreamSynchronize', at, 5));
      at += 5;
    }
    return [...made, complete('user_annotation', `ProfilerStep#${index}`, begin, at - begin)];
  });
  return { run: await read(traceOf(events)), file: null };
}

const rules = (fields: object): GateRules =>
  parseGateRules(JSON.stringify({ format: 'copyscope/gate-rules', version: 1, ...fields }));

describe('the rules of a gate', () => {
  it.each([
    ['', 'document', 'the file is empty.'],
    ['{', 'document', 'this is not valid JSON'],
    ['[]', 'format', '"format" is missing.'],
    ['{"format": "copyscope/sweep"}', 'format', 'format is "copyscope/sweep".'],
    ['{"format": "copyscope/gate-rules", "version": 2}', 'version', 'version 2 is newer than this program reads (1).'],
    ['{"format": "copyscope/gate-rules", "version": 1, "limts": {}}', 'document', 'unknown field "limts".'],
  ])('%s: the error names the field %s', (text, field, message) => {
    expect(() => parseGateRules(text)).toThrow(
      expect.objectContaining({ code: 'gate.invalid', field, message: expect.stringContaining(message) }),
    );
  });

  it.each([
    [{ limits: { waitingCalls: 1.5 } }, 'limits.waitingCalls', '1.5 is not a whole number of at least 0.'],
    [{ limits: { pageableBytes: '1 MB/s' } }, 'limits.pageableBytes', '"1 MB/s" is not a size such as "1 MiB"'],
    [{ limits: { exposedCopyNs: '2 apples' } }, 'limits.exposedCopyNs', '"2 apples" is not a time such as "2 ms"'],
    [{ limits: { idleShare: 20 } }, 'limits.idleShare', '20 is not a part from 0 to 1'],
    [{ limits: { waiting: 1 } }, 'limits', 'unknown field "waiting".'],
    [{ allow: [{ line: 'a.py:1', reason: '' }] }, 'allow[0].reason', '"" is not a text of at least 1 character.'],
    [{ allow: [{ reason: 'why not' }] }, 'allow[0]', 'it names neither a "line" nor an "operation".'],
    [{ allow: [{ line: 'a', operation: 'b', reason: 'c' }] }, 'allow[0]', 'it names both'],
    [{ steps: { from: 3, to: 2 } }, 'steps', 'from 3 is behind to 2.'],
  ])('%o is refused, with the field, the value and the remedy', (fields, field, message) => {
    expect(() => rules(fields)).toThrow(
      expect.objectContaining({
        code: 'gate.invalid',
        field,
        message: expect.stringContaining(message),
        remedy: expect.stringMatching(/^.{10,}/),
      }),
    );
  });

  it('take amounts with their units', () => {
    const { limits } = rules({
      limits: { pageableBytes: '1 MiB', exposedCopyNs: '2 ms', idleShare: '20 %', hazards: 0 },
    });
    expect(Object.fromEntries(limits)).toEqual({
      pageableBytes: 1_048_576,
      exposedCopyNs: 2_000_000,
      idleShare: 0.2,
      hazards: 0,
    });
    expect(parseLimit('stepNs=10ms')).toEqual(['stepNs', 10_000_000]);
    expect(parseLimit('pageableCopies=3')).toEqual(['pageableCopies', 3]);
    // A number without a unit is in nanoseconds in every form.
    expect(parseLimit('stepNs=2000')).toEqual(['stepNs', 2000]);
    expect(parseLimit('stepNs=2,000')).toBeNull();
    for (const text of ['pageableCopies', 'nothing=1', 'pageableCopies=', 'pageableCopies=-1', 'idleShare=2']) {
      expect(parseLimit(text)).toBeNull();
    }
  });

  it('must hold a limit, and a baseline where they compare with one', async () => {
    const input = await program([{ kernel: 100 }, { kernel: 100 }]);
    expect(() => gate(input, noRules, null)).toThrow(expect.objectContaining({ code: 'gate.no-rules' }));
    const compares = rules({ limits: { stepNs: 1 }, baseline: { figures: ['stepNs'] } });
    expect(() => gate(input, compares, null)).toThrow(expect.objectContaining({ code: 'gate.no-baseline' }));
  });
});

describe('allowances', () => {
  const twoWaits = program([{ kernel: 100, waits: [30] }, { kernel: 100, waits: [30, 44] }, { kernel: 100 }]);
  const waiting = async (line: string, more: object = {}) =>
    gate(await twoWaits, rules({ limits: { waitingCalls: 0 }, allow: [{ line, reason: 'logs', ...more }] }), null);

  it.each([
    ['train.py', 0],
    ['src/train.py:30', 1],
    ['train.py:44', 1],
    ['train.py:44 in log', 1],
    ['train.py:44 in step', 2],
    ['rain.py:44', 2],
    ['other.py', 2],
  ])('%s leaves %i waiting calls', async (line, left) => {
    const report = await waiting(line);
    expect(report.results[0]).toMatchObject({ value: left });
  });

  it('are listed with reason and count; unused ones are listed as well', async () => {
    expect(await waiting('train.py:30')).toMatchObject({
      allowed: [{ what: 'train.py:30', reason: 'logs', times: 2 }],
      notes: [],
    });
    const unused = await waiting('train.py:30', { figures: ['pageableCopies'] });
    expect(unused.results[0]?.value).toBe(2);
    expect(unused.notes).toEqual([expect.stringContaining('"train.py:30" is allowed, and nothing like it was found')]);
  });

  it('may be an operation of an experiment, by its label or its place', async () => {
    const early = experimentOf(
      {
        buffers: [
          { id: 'd', memory: 'device', bytes: 64 },
          { id: 'h', memory: 'pinned', bytes: 64 },
        ],
        streams: [{ id: 's' }],
      },
      [
        { op: 'copy', src: 'd', dst: 'h', stream: 's' },
        { op: 'read', buffer: 'h', label: 'look' },
      ],
    );
    const input = { run: smallRun(early, 'sim'), file: { name: 'early.json', text: JSON.stringify(early, null, 2) } };
    const limits = { hazards: 0 };
    const [found] = gate(input, rules({ limits }), null).results;
    expect(found).toMatchObject({ status: 'broken', value: 1 });
    expect(found?.findings[0]?.place).toMatchObject({ file: 'early.json', path: 'threads[0].operations[1]' });
    const line = found?.findings[0]?.place.line ?? 0;
    expect(
      input.file.text
        .split('\n')
        .slice(line - 1, line + 1)
        .join(' '),
    ).toContain('"op": "read"');
    for (const operation of ['look', 'threads[0].operations[1]', 'threads[0].operations[0]']) {
      const allow = [{ operation, reason: 'known' }];
      expect(gate(input, rules({ limits, allow }), null)).toMatchObject({ passed: true, allowed: [{ times: 1 }] });
    }
  });
});

describe('a gate that compares with a baseline', () => {
  const steps = (...kernels: readonly number[]) => program(kernels.map((kernel) => ({ kernel })));
  const against = async (now: Promise<GateInput>, before: Promise<GateInput>, more: object = {}) =>
    gate(await now, rules({ baseline: { figures: ['stepNs'], ...more } }), await before);

  it('is shut by what is more than the noise, and by no more', async () => {
    const before = steps(100, 104, 98, 101, 99);
    expect(await against(steps(120, 124, 118, 121, 119), before)).toMatchObject({ passed: false });
    expect(await against(steps(101, 105, 99, 102, 100), before)).toMatchObject({ passed: true });
    expect(await against(steps(80, 84, 78, 81, 79), before)).toMatchObject({ passed: true });
  });

  it('takes a difference for none that is below the least share', async () => {
    const now = steps(120, 124, 118, 121, 119);
    const before = steps(100, 104, 98, 101, 99);
    expect(await against(now, before, { leastShare: 0.1 })).toMatchObject({ passed: false });
    expect(await against(now, before, { leastShare: 0.3 })).toMatchObject({ passed: true });
  });

  it('says that two steps do not tell', async () => {
    const { results, passed } = await against(steps(200, 204), steps(100, 104));
    expect({ status: results[0]?.status, passed }).toEqual({ status: 'undecided', passed: true });
  });

  it('counts without noise, and names the line that is new, though lines have moved', async () => {
    const before = await program([
      { kernel: 100, waits: [30] },
      { kernel: 100, waits: [30] },
    ]);
    const now = await program([
      { kernel: 100, waits: [32] },
      { kernel: 100, waits: [32, 50] },
    ]);
    const { results } = gate(now, rules({ baseline: { figures: ['waitingCalls'] } }), before);
    expect(results[0]).toMatchObject({ status: 'broken', value: 2, most: 1 });
    expect(results[0]?.findings.map(({ place, amount }) => [place.line, amount])).toEqual([[50, 1]]);
    expect(gate(before, rules({ baseline: { figures: ['waitingCalls'] } }), before).passed).toBe(true);
  });
});

describe("limits that can't be judged", () => {
  it('does not pass: hazards of a trace', async () => {
    const input = await program([{ kernel: 100 }, { kernel: 100 }]);
    expect(() => gate(input, rules({ limits: { hazards: 0 } }), null)).toThrow(
      expect.objectContaining({ code: 'gate.undecided', field: 'limits.hazards' }),
    );
  });

  it('does not pass: steps that are not there', async () => {
    const input = await program([{ kernel: 100 }, { kernel: 100 }]);
    expect(() => gate(input, rules({ limits: { stepNs: 0 }, steps: { from: 2, to: 3 } }), null)).toThrow(
      'steps 2..3 were given, and there are 2.',
    );
  });

  it('does not pass: a trace without a device or a host', async () => {
    const kernel = complete('kernel', 'work', 10, 5, { device: 0, stream: 7, correlation: 1 });
    const call = complete('cuda_runtime', 'cudaLaunchKernel', 1, 5, { correlation: 1 });
    for (const [event, lacks] of [
      [kernel, 'no host activity'],
      [call, 'no GPU activity'],
    ] as const) {
      const input = { run: await read(traceOf([event])), file: null };
      expect(() => gate(input, rules({ limits: { waitingCalls: 0 } }), null)).toThrow(lacks);
    }
  });
});

it('agrees with what explain tells of a real program', async () => {
  const file = join(import.meta.dirname, '../../fixtures/pytorch-pairs/vision.pageable.json.gz');
  const run = await readStream(chunksOf(new Uint8Array(readFileSync(file))));
  const { parts, recordedNs } = liftTrace(run.trace, 'trace');
  const exposed = parts.filter(({ part }) => /^exposed-copy-p/.test(part)).reduce((sum, { ns }) => sum + ns, 0);
  const limits = { exposedCopyNs: 0, stepNs: 0, pageableCopies: 0 };
  const { results } = gate({ run, file: null }, rules({ limits }), null);
  const value = (figure: string) => results.find((result) => result.figure === figure)?.value ?? 0;
  expect(recordedNs).toContain(value('stepNs'));
  expect(value('exposedCopyNs') / exposed).toBeCloseTo(1, 1);
  expect(results[0]?.findings[0]?.place).toMatchObject({ file: 'pairs.py', line: 39, name: 'step' });
});
